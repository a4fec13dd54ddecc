"""The Chinese of every sentence: complete, with the same placeholders, and compiled."""

import re
import shutil
from pathlib import Path

import polib
import pytest
from django.core.management import call_command

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}")
HAN = re.compile(r"[\u4e00-\u9fff]")
SAME_IN_BOTH = {"“{}”", ", "}


@pytest.fixture(scope="module")
def entries() -> list[polib.POEntry]:
    return list(polib.pofile(str(SOURCE)))


def texts(entry: polib.POEntry) -> list[str]:
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


def test_every_sentence_has_its_chinese(entries: list[polib.POEntry]) -> None:
    missing = [entry.msgid for entry in entries if not all(texts(entry)) or entry.fuzzy]
    assert missing == []


def test_chinese_is_chinese(entries: list[polib.POEntry]) -> None:
    odd = [
        entry.msgid
        for entry in entries
        if entry.msgid not in SAME_IN_BOTH and not all(HAN.search(text) for text in texts(entry))
    ]
    assert odd == []


def test_placeholders_are_the_same(entries: list[polib.POEntry]) -> None:
    odd = [
        entry.msgid
        for entry in entries
        for text in texts(entry)
        if set(PLACEHOLDER.findall(text)) != set(PLACEHOLDER.findall(entry.msgid))
    ]
    assert odd == []


def test_the_compiled_file_is_current(entries: list[polib.POEntry]) -> None:
    compiled = polib.mofile(str(SOURCE.with_suffix(".mo")))
    assert {e.msgid: texts(e) for e in compiled} == {e.msgid: texts(e) for e in entries}


@pytest.mark.skipif(not shutil.which("xgettext"), reason="needs GNU gettext to collect sentences")
def test_no_sentence_of_the_code_is_missing(
    entries: list[polib.POEntry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("lito", "projects", "documents", "retrieval", "citations", "chat", "templates"):
        shutil.copytree(
            ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.pdf", "__pycache__")
        )
    (tmp_path / "locale").mkdir()
    monkeypatch.chdir(tmp_path)
    call_command("makemessages", locale=["zh_Hans"], verbosity=0, no_obsolete=True)
    fresh = polib.pofile(str(tmp_path / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"))
    assert {entry.msgid for entry in fresh} - {entry.msgid for entry in entries} == set()
