"""`.env.example` is the list of all settings: none is missing, none is made up."""

import ast
import re

from lito.paths import ROOT

READ_BEFORE_SETTINGS = {"LITO_HOME"}
COMPOSE_ALONE = {"POSTGRES_PASSWORD"}


def names_read_by_settings() -> set[str]:
    tree = ast.parse((ROOT / "lito" / "settings.py").read_text())
    return {
        call.args[0].value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "env"
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    }


def test_the_example_lists_exactly_what_settings_read() -> None:
    listed = re.findall(r"^#?([A-Z][A-Z0-9_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) == names_read_by_settings() | READ_BEFORE_SETTINGS | COMPOSE_ALONE


def test_settings_are_read_in_one_file_alone() -> None:
    reading = re.compile(r"environ\.Env\(|environ\[[\"']LITO_|environ\.get\([\"']LITO_")
    apps = ("projects", "documents", "retrieval", "citations", "chat", "llm")
    files = [file for app in apps for file in (ROOT / app).rglob("*.py")]
    assert len(files) > 50
    assert [str(file) for file in files if reading.search(file.read_text())] == []


def test_the_given_defaults_are_the_real_ones() -> None:
    """Every `#NAME=value` line, put into the environment, changes nothing."""
    settings = (ROOT / "lito" / "settings.py").read_text()
    example = (ROOT / ".env.example").read_text()
    given = re.findall(r"^#([A-Z][A-Z0-9_]+)=(.+)$", example, re.MULTILINE)
    for name, value in given:
        default = re.search(rf'"{name}", default=([^)]+)\)', settings)
        assert default is not None, name
        assert default[1].strip("\"'").lower() == value.lower(), name
