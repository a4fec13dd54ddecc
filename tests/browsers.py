"""Finds a real Chromium or Chrome for the browser tests."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
MISSING = (
    "Browser tests need Chromium or Chrome and neither is installed, nor could Playwright download "
    "one. On Debian or Ubuntu: apt-get install chromium. Elsewhere install Google Chrome, or run "
    ".venv/bin/playwright install chromium with a network. Without browser tests: "
    "make test TESTS='-m \"not browser\"'."
)


def find_browser(playwright: Playwright) -> str:
    """The path of an installed browser, else of the one that Playwright downloads."""
    for name in NAMES:
        if found := shutil.which(name):
            return found
    own = Path(playwright.chromium.executable_path)
    if not own.exists():
        command = [sys.executable, "-m", "playwright", "install", "chromium"]
        subprocess.run(command, capture_output=True, check=False, timeout=280)
    if not own.exists():
        pytest.fail(MISSING, pytrace=False)
    return str(own)
