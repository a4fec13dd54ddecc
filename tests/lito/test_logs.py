"""What a log line must never hold: the values of variables, and secrets."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-very-secret-value-93"
TEXT = "a sentence out of somebody's unpublished paper"
FAILING = """
import logging, logging.config, sys
import structlog
from lito.logs import logging_configuration

form, given, words = sys.argv[1:4]
logging.config.dictConfig(logging_configuration(level="INFO", form=form, secrets=(words,)))

def ask(api_key: str, page_text: str) -> None:
    password = api_key[::-1]
    session = {"key": api_key, "text": [page_text]}
    try:
        raise LookupError("first trouble")
    except LookupError as error:
        raise RuntimeError("the endpoint said no") from error

for log in (logging.getLogger("documents"), structlog.get_logger("chat"),
            logging.getLogger("celery.app.trace"), logging.getLogger("django.request")):
    try:
        ask(given, words)
    except RuntimeError:
        log.exception("asking failed")
try:
    raise ConnectionError(f"can't reach postgres://lito:{words}@db/lito")
except ConnectionError:
    logging.getLogger("lito").exception("no database")
"""


def said(form: str, given: str, words: str) -> str:
    """Standard error of a process of its own that logs five errors."""
    command = [sys.executable, "-c", FAILING, form, given, words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stderr


@pytest.mark.parametrize("form", ["json", "console"])
def test_a_traceback_shows_where_and_never_the_values_of_variables(form: str) -> None:
    written = said(form, KEY, TEXT)
    for value in (KEY, KEY[::-1], TEXT):
        assert value not in written
    assert written.count("asking failed") == 4
    for wanted in ("RuntimeError", "the endpoint said no", "LookupError", "first trouble"):
        assert written.count(wanted) >= 4, wanted
    assert written.count("ask") >= 8


@pytest.mark.parametrize("form", ["json", "console"])
@pytest.mark.parametrize("secret", [KEY, 'p"ss\\wörd-with-signs'])
def test_a_known_secret_in_an_error_is_hidden(form: str, secret: str) -> None:
    written = said(form, "nothing", secret)
    assert "can't reach postgres://lito:(hidden)@db/lito" in written
    assert secret not in written
    assert json.dumps(secret)[1:-1] not in written


def test_lines_for_machines_stay_json() -> None:
    lines = said("json", KEY, KEY).splitlines()
    parsed = [json.loads(line) for line in lines if line.startswith("{")]
    assert [line["event"] for line in parsed] == ["asking failed"] * 4 + ["no database"]
    frames = parsed[0]["exception"][0]["frames"]
    assert frames[-1]["name"] == "ask"
    assert not any("locals" in frame for frame in frames)
