"""`manage.py parse` as another program calls it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.documents.files import PDFS

ROOT = PDFS.parent.parent


def parse(*arguments: str, home: Path) -> subprocess.CompletedProcess[bytes]:
    environment = os.environ | {
        "LITO_HOME": str(home),
        "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none",
        "LC_ALL": "C",
    }
    return subprocess.run(
        [sys.executable, "manage.py", "parse", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        check=False,
        timeout=120,
    )


def parsed(path: Path, home: Path) -> dict[str, Any]:
    done = parse(str(path), "--json", home=home)
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.decode("utf-8").splitlines()
    values: dict[str, Any] = json.loads(line)
    return values


def test_json_has_the_documented_shape_without_a_database(tmp_path: Path) -> None:
    found = parsed(PDFS / "article.pdf", tmp_path)
    assert set(found) >= {"sha256", "parser", "pages", "chunks", "metadata", "warnings"}
    page = found["pages"][0]
    assert set(page) >= {
        "number", "label", "state", "width", "height", "rotation", "text", "blocks", "tables",
    }  # fmt: skip
    title = next(block for block in page["blocks"] if block["class"] == "title")
    start, end = title["span"]
    assert page["text"][start:end] == "On the growth of small plants"
    ((x0, y0, x1, y1),) = title["rects"]
    assert 0 < x0 < x1 < 1
    assert 0 < y0 < y1 < 0.2
    texts = {page["number"]: page["text"] for page in found["pages"]}
    for chunk in found["chunks"]:
        for number, begin, finish in chunk["spans"]:
            assert texts[number][begin:finish].strip()
    assert found["metadata"]["title"] == {
        "value": "On the growth of small plants",
        "from": "first_page",
    }


def test_chinese_text_comes_out_as_utf8_under_any_locale(tmp_path: Path) -> None:
    assert parsed(PDFS / "radicals.pdf", tmp_path)["pages"][0]["text"].startswith("语")


def test_a_refused_file_gives_its_code_and_exit_status_2(tmp_path: Path) -> None:
    done = parse(str(PDFS / "locked.pdf"), "--json", home=tmp_path)
    assert done.returncode == 2
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "locked"
    assert error["message"]


def test_a_missing_file_is_a_failure_and_no_json(tmp_path: Path) -> None:
    done = parse(str(tmp_path / "none.pdf"), "--json", home=tmp_path)
    assert done.returncode == 1
    assert done.stdout == b""


def test_plain_output_is_for_reading(tmp_path: Path) -> None:
    done = parse(str(PDFS / "scan_between.pdf"), home=tmp_path)
    assert done.returncode == 0
    assert "And on the third page." in done.stdout.decode()
    assert b"No text on page 2" in done.stderr
