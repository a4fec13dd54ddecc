"""Reads the `.env` file once, before anything asks for a setting."""

import os
from pathlib import Path

import environ

from lito.paths import ROOT


def read_environment_file() -> None:
    """Sets what the file names and the environment does not. `LITO_ENV_FILE` names another file."""
    file = Path(os.environ.get("LITO_ENV_FILE") or ROOT / ".env")
    if file.is_file():
        environ.Env.read_env(str(file))
