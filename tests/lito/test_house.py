"""The shape of the house: what may import what, and what must stay out of the web server."""

import subprocess
import sys
import tomllib

import pytest

from lito.paths import ROOT

RULES = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]


def run(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_every_package_has_its_place_in_the_layers() -> None:
    packages = {file.parent.name for file in ROOT.glob("*/__init__.py")} - {"tests"}
    [layers] = [rule["layers"] for rule in RULES["contracts"] if rule["type"] == "layers"]
    placed = [name.strip() for layer in layers for name in layer.split("|")]
    assert sorted(placed) == sorted(packages)
    assert sorted(RULES["root_packages"]) == sorted(packages)


def test_the_import_contracts_hold() -> None:
    start = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    assert "0 broken" in run(sys.executable, "-c", start)


@pytest.mark.parametrize("heavy", ["pymupdf", "onnxruntime", "torch", "rjieba"])
def test_the_web_server_starts_without(heavy: str) -> None:
    loads = (
        "import os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'lito.settings'; "
        "import lito.asgi, lito.web; from django.urls import get_resolver; "
        f"get_resolver().url_patterns; print({heavy!r} in sys.modules)"
    )
    assert run(sys.executable, "-c", loads) == "False\n"


def test_hooks_before_a_commit_run_what_lint_runs() -> None:
    makefile = (ROOT / "Makefile").read_text()
    recipe = makefile.split("\nlint:", 1)[1].split("\n\n", 1)[0]
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    for tool in ("ruff check", "ruff format", "lint-imports", "djade", "mypy", "makemigrations"):
        assert tool in recipe
        assert tool in hooks
