import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from documents.models import Version
from projects.models import Project
from tests.documents.pdf_making import make_pdf

FIELDS = {"file", "document", "sha256", "status", "pages", "chunks", "seconds", "warnings"}


def ingest(*arguments: str | Path) -> list[dict[str, Any]]:
    said = StringIO()
    call_command("ingest", *map(str, arguments), "--json", stdout=said)
    return [json.loads(line) for line in said.getvalue().splitlines()]


def test_one_line_for_each_file_with_all_its_fields(project: Project, pdf: Path) -> None:
    (line,) = ingest(pdf, "--project", project.slug)
    assert set(line) >= FIELDS
    assert (line["status"], line["pages"], line["warnings"]) == ("ready", 3, [])
    assert line["chunks"] > 0
    version = Version.objects.get(sha256=line["sha256"])
    assert line["document"] == version.document.public_id


def test_folders_are_walked_and_only_pdfs_taken(project: Project, tmp_path: Path) -> None:
    inner = tmp_path / "library/inner"
    inner.mkdir(parents=True)
    make_pdf(inner / "b.PDF", mark="b")
    make_pdf(tmp_path / "library/a.pdf", mark="a")
    (inner / "notes.txt").write_text("no")
    lines = ingest(tmp_path / "library", "--project", project.slug)
    assert [Path(line["file"]).name for line in lines] == ["a.pdf", "b.PDF"]


def test_it_goes_on_after_a_refused_file_and_exits_with_2(
    project: Project, pdf: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.pdf"
    page.write_text("<html></html>")
    said = StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("ingest", page, pdf, "--project", project.slug, "--json", stdout=said)
    refused, ready = [json.loads(line) for line in said.getvalue().splitlines()]
    assert end.value.code == 2
    assert refused["error"]["code"] == "not_a_pdf"
    assert refused["error"]["message"]
    assert ready["status"] == "ready"


def test_the_same_file_again_is_the_same_document(project: Project, pdf: Path) -> None:
    (first,), (second,) = ingest(pdf, "--project", "papers"), ingest(pdf, "--project", "papers")
    assert first["document"] == second["document"]
    assert second["status"] == "ready"


def test_a_missing_project_is_an_error_unless_it_shall_be_made(db: None, pdf: Path) -> None:
    with pytest.raises(CommandError, match="--create"):
        ingest(pdf, "--project", "nowhere")
    ingest(pdf, "--project", "nowhere", "--create")
    assert Project.objects.filter(slug="nowhere").exists()


@pytest.mark.parametrize("path", ["missing.pdf", "."])
def test_nothing_to_ingest_is_an_error(path: str, project: Project, tmp_path: Path) -> None:
    with pytest.raises(CommandError):
        ingest(tmp_path / path, "--project", project.slug)


def test_a_person_gets_a_readable_line(project: Project, tmp_path: Path) -> None:
    scan = make_pdf(tmp_path / "scan.pdf", pages=2, blank=(1, 2))
    said = StringIO()
    call_command("ingest", scan, "--project", project.slug, stdout=said)
    assert "scan.pdf  ready  2 pages" in said.getvalue()
    assert "Pages 1-2 are empty" in said.getvalue()
