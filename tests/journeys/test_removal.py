"""Nothing of a removed paper remains, on disk, in tables or in Redis, but the excerpts it lent."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pymupdf
import pytest
from django.apps import apps
from django.conf import settings as django_settings
from django.db import connection
from pytest_django import Settings
from redis import Redis

from citations.anchoring import Anchor
from citations.citing import CitedEvidence, save_answer
from citations.following import follow_documents, forget_unreadable
from citations.models import Citation, Location
from citations.placing import place_citation
from citations.segments import CiteSegment, Segment, TextSegment
from documents import ingestion
from documents.models import Version
from documents.removing import remove, remove_version, sweep_unused_files
from documents.rendering import render_page
from documents.rereading import reread
from documents.storage import file_path
from documents.uploads import add_file, add_version
from projects.models import Membership, Project, User
from retrieval.scope import project_scope
from retrieval.search import search
from retrieval.tasks import follow_documents as follow_in_index
from tests.documents.other_parser import OTHER
from tests.documents.pdf_making import make_pdf

WORD = "quixotryword"
"""In the paper, and nowhere else."""
LENT = {"citations.Citation", "citations.Answer"}
"""Where an excerpt of a paper that has gone may stand."""
NAMED = {"citations.Citation", "documents.Version"}
"""Where its hash may stand: it says which file was cited."""


@pytest.fixture
def reader(db: None) -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def project(reader: User) -> Project:
    project = Project.objects.create(slug="papers", name="Papers", created_by=reader)
    Membership.objects.create(project=project, user=reader, role=Membership.Role.OWNER)
    return project


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, settings: Settings) -> None:
    for name in ("FILES", "CACHE", "INDEXES"):
        setattr(settings, f"LITO_{name}", tmp_path / name.lower())


def paper(path: Path) -> Path:
    with pymupdf.open(make_pdf(path.with_name("plain.pdf"))) as document:  # type: ignore[no-untyped-call]
        document[0].insert_text((72, 400), f"Of the {WORD} nothing was known before.")
        document.save(path)
    return path


def used(project: Project, reader: User, path: Path) -> Version:
    """A paper that was searched, cited, placed, looked at, and read anew."""
    version = add_file(project, path_or_upload=path, file_name="a.pdf", user=reader).version
    ingestion.parse_version(version.pk)
    ingestion.index_version(version.pk)
    evidence = search(WORD, scope=project_scope(project)).evidence[0]
    source = evidence.version
    anchor = Anchor(source.document_id, source.sha256, source.parser, evidence.spans, evidence.text)
    cited = CitedEvidence(source.file_id, source.title, anchor)
    segments: list[Segment] = [TextSegment(f"It says “{WORD}” once. "), CiteSegment(1)]
    answer = save_answer(project=project, segments=segments, evidence={1: cited}, owner=reader)
    place_citation(answer.citations.get(), reader)
    assert reread(version.pk, way=OTHER) is ingestion.Outcome.DONE
    follow_documents(project)
    place_citation(answer.citations.get(), reader)
    render_page(file_path(version.sha256), 1, width_px=240)
    search(WORD, scope=project_scope(project))
    version.refresh_from_db()
    return version


def remove_all(version: Version) -> None:
    remove(version.document)


def remove_the_project(version: Version) -> None:
    version.project.delete()
    forget_unreadable()
    sweep_unused_files()


def replace_and_remove(version: Version) -> None:
    path = make_pdf(Path(django_settings.LITO_CACHE).parent / "newer.pdf", mark="newer")
    newer = add_version(version.document, path_or_upload=path, file_name="b.pdf", user=None).version
    ingestion.parse_version(newer.pk)
    remove_version(version)


@pytest.mark.parametrize("go", [remove_all, remove_the_project, replace_and_remove])
@pytest.mark.django_db(transaction=True)
def test_nothing_of_a_removed_paper_remains(
    go: Callable[[Version], None], project: Project, reader: User, redis: Redis, tmp_path: Path
) -> None:
    version = used(project, reader, paper(tmp_path / "paper.pdf"))
    sha256 = version.sha256
    assert "documents.Page" in rows_with(WORD)
    assert {"documents.ParsedFile", "citations.Location"} <= rows_with(sha256)
    assert files_with(WORD, sha256)

    go(version)
    for each in Project.objects.all():
        follow_documents(each)
        follow_in_index(each.pk)

    assert rows_with(WORD) <= LENT
    assert rows_with(sha256) <= NAMED
    assert not files_with(WORD, sha256)
    assert not redis_with(redis, WORD, sha256)
    assert not Location.objects.exists()
    for citation in Citation.objects.select_related("source__version__document"):
        assert WORD in citation.anchor["excerpt"]
        assert place_citation(citation, reader).status == "removed"


@pytest.mark.django_db(transaction=True)
def test_what_another_project_still_has_remains(
    project: Project, reader: User, redis: Redis, tmp_path: Path
) -> None:
    other = Project.objects.create(slug="other", name="Other", created_by=reader)
    Membership.objects.create(project=other, user=reader, role=Membership.Role.OWNER)
    path = paper(tmp_path / "a.pdf")
    version, twin = used(project, reader, path), used(other, reader, path)
    remove(version.document)
    follow_documents(project)
    follow_in_index(project.pk)
    assert search(WORD, scope=project_scope(other)).evidence
    assert search(WORD, scope=project_scope(project)).evidence == ()
    assert file_path(twin.sha256).is_file()
    place = place_citation(Citation.objects.get(source__version=twin), reader)
    assert place.status not in ("removed", "failed")


def rows_with(text: str) -> set[str]:
    """The models of which a row holds `text` in any column."""
    return {
        model._meta.label
        for model in apps.get_models()
        if _has_row_with(model._meta.db_table, text)
    }


def _has_row_with(table: str, text: str) -> bool:
    with connection.cursor() as cursor:
        name = connection.ops.quote_name(table)
        cursor.execute(
            f"SELECT EXISTS (SELECT FROM {name} AS one WHERE one::text ILIKE %s)",
            [f"%{text}%"],
        )
        return bool(cursor.fetchone()[0])


def files_with(*texts: str) -> list[Path]:
    """Files, of those that Lito keeps, that have one of `texts` in their path or in their bytes."""
    return [
        path
        for path in _files()
        if any(text in str(path) or text.encode() in path.read_bytes() for text in texts)
    ]


def _files() -> Iterator[Path]:
    folders = django_settings.LITO_FILES, django_settings.LITO_CACHE, django_settings.LITO_INDEXES
    for folder in folders:
        yield from (path for path in Path(folder).rglob("*") if path.is_file())


def redis_with(redis: Redis, *texts: str) -> list[bytes]:
    return [
        key
        for key in redis.scan_iter()
        if any(text.encode() in key + (redis.dump(key) or b"") for text in texts)
    ]
