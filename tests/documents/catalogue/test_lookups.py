"""DOIs looked up over real HTTP: what is taken, what is not, and how failures stay quiet."""

import gzip
import tracemalloc
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from documents.catalogue import lookups
from documents.catalogue.bibliography import describe_document
from documents.catalogue.describing import edit
from documents.catalogue.doi_services import ServiceAwayError, only_to
from documents.catalogue.lookup_turns import take_turn
from documents.catalogue.notices import notices_of, other_work
from documents.models import Document, ParsedFile, Version
from documents.record_models import DoiRecord, LookupPause
from projects.models import Project, User
from tests.documents.catalogue.doi_server import Script, doi_server
from tests.projects.library_rows import new_version

DOI = "10.1000/di(k)es;2"
TITLE = "The growth of dikes in winter"
CROSSREF = {
    "message": {
        "DOI": DOI,
        "type": "journal-article",
        "title": ["The growth of <i>dikes</i> in winter &amp; spring"],
        "author": [
            {"given": "Ada", "family": "Berg"},
            {"given": "Carl", "family": "Moss", "suffix": "Jr."},
            {"name": "The Dike Group"},
        ],
        "issued": {"date-parts": [[2020, 5]]},
        "container-title": ["Journal of Dikes"],
        "volume": "4",
        "page": "1-10",
        "language": "en",
    }
}
OPENALEX = {
    "title": "The growth of dikes in winter and spring",
    "publication_year": 2020,
    "authorships": [{"author": {"display_name": "Ada Berg"}}],
    "primary_location": {"source": {"display_name": "Journal of Dikes"}},
    "is_retracted": False,
}
pytestmark = pytest.mark.django_db


@pytest.fixture
def server(settings: Settings) -> Iterator[Script]:
    with doi_server() as script:
        settings.LITO_LOOKUP = True
        settings.LITO_LOOKUP_MAILTO = "library@lito.example"
        settings.LITO_LOOKUP_TIMEOUT = 2
        settings.LITO_CROSSREF_URL = f"{script.url}/crossref"
        settings.LITO_OPENALEX_URL = f"{script.url}/openalex"
        yield script


@pytest.fixture
def document(server: Script, project: Project, pdf: Path) -> Document:
    return _paper(project, pdf, title=TITLE)


def _paper(project: Project, pdf: Path, *, title: str, source: str = "first_page") -> Document:
    version = new_version(project, pdf, title="growth", text=title)
    metadata = {
        "title": {"value": title, "from": source},
        "doi": {"value": DOI, "from": "first_page"},
    }
    ParsedFile.objects.filter(versions=version).update(metadata=metadata)
    version.refresh_from_db()
    assert version.parsed is not None
    with transaction.atomic():
        describe_document(version, version.parsed)
    return Document.objects.get(pk=version.document_id)


def _crossref(script: Script, answer: Any) -> None:
    script.answers[f"/crossref/works/{DOI}"] = answer


def _openalex(script: Script, answer: Any) -> None:
    script.answers[f"/openalex/works/doi:{DOI}"] = answer


def test_the_record_of_a_doi_fills_and_corrects_the_fields(
    server: Script, document: Document
) -> None:
    _crossref(server, CROSSREF)
    assert lookups.run() is False
    document.refresh_from_db()
    assert document.title == "The growth of dikes in winter & spring"
    assert document.authors == ["Ada Berg", "Carl Moss Jr.", "The Dike Group"]
    assert (document.year, document.venue) == (2020, "Journal of Dikes")
    assert document.provenance["venue"] == "doi_record"
    assert document.provenance["doi"] == "first_page"


def test_services_are_asked_politely_and_once(server: Script, document: Document) -> None:
    _crossref(server, CROSSREF)
    lookups.run()
    lookups.run()
    assert len(server.requests) == 2  # one for each service
    path, headers = server.requests[0]
    assert "mailto=library%40lito.example" in path
    assert "mailto:library@lito.example" in headers["User-Agent"]


def test_what_a_person_entered_stays(server: Script, document: Document) -> None:
    edit(document, {"venue": "My own journal"})
    _crossref(server, CROSSREF)
    lookups.run()
    document.refresh_from_db()
    assert (document.venue, document.year) == ("My own journal", 2020)


def test_openalex_helps_where_crossref_knows_nothing(server: Script, document: Document) -> None:
    _openalex(server, OPENALEX)
    lookups.run()
    document.refresh_from_db()
    assert (document.authors, document.venue) == (["Ada Berg"], "Journal of Dikes")


def test_a_record_of_another_work_is_not_taken_and_said(
    server: Script, document: Document, client: Client, user: User
) -> None:
    other = CROSSREF["message"] | {"title": ["Proteins of the deep sea vent worm"]}
    _crossref(server, {"message": other})
    lookups.run()
    document.refresh_from_db()
    assert (document.title, document.venue) == (TITLE, "")
    assert other_work(document) == "Proteins of the deep sea vent worm"
    client.force_login(user)
    page = client.get(reverse("paper", args=(document.project.slug, document.public_id)))
    assert "belongs to another work" in page.content.decode()
    edit(document, {"title": "Proteins of the deep-sea vent worm"})
    lookups.apply(DoiRecord.objects.get(doi=DOI))
    document.refresh_from_db()
    assert document.venue == "Journal of Dikes"
    assert other_work(document) == ""


def test_a_paper_keeps_its_chinese_title_where_the_record_is_in_english(
    server: Script, project: Project, pdf: Path
) -> None:
    document = _paper(project, pdf, title="冬季堤坝的增长")
    _crossref(server, CROSSREF)
    lookups.run()
    document.refresh_from_db()
    assert (document.title, document.venue) == ("冬季堤坝的增长", "Journal of Dikes")


@pytest.mark.parametrize(
    ("extra", "alex", "words", "grave"),
    [
        (
            {"updated-by": [{"DOI": "10.1000/r", "type": "retraction",
                             "updated": {"date-time": "2022-03-01T00:00:00Z"}}]},
            None, "This paper was retracted.", True,
        ),
        ({}, OPENALEX | {"is_retracted": True}, "This paper was retracted.", True),
        (
            {"updated-by": [{"DOI": "10.1000/c", "type": "Corrigendum"}]},
            None, "A correction of this paper was published.", False,
        ),
        (
            {"updated-by": [{"DOI": "10.1000/e", "type": "expression_of_concern"}]},
            None, "An expression of concern was published on this paper.", True,
        ),
        (
            {"update-to": [{"DOI": "10.1000/x", "type": "retraction"}]},
            None, "This is a notice about another paper.", False,
        ),
    ],
)  # fmt: skip
def test_retractions_and_corrections_are_told(
    server: Script, document: Document, client: Client, user: User,
    extra: dict[str, Any], alex: Any, words: str, grave: bool,
) -> None:  # fmt: skip
    _crossref(server, {"message": CROSSREF["message"] | extra})
    if alex:
        _openalex(server, alex)
    lookups.run()
    document.refresh_from_db()
    (notice,) = notices_of([document])[document.pk]
    assert (notice.words, notice.is_grave) == (words, grave)
    client.force_login(user)
    page = client.get(reverse("paper", args=(document.project.slug, document.public_id)))
    assert words in page.content.decode()


def test_a_retraction_named_by_both_services_is_told_once(
    server: Script, document: Document
) -> None:
    retracted = {"updated-by": [{"DOI": "10.1000/r", "type": "retraction"}]}
    _crossref(server, {"message": CROSSREF["message"] | retracted})
    _openalex(server, OPENALEX | {"is_retracted": True})
    lookups.run()
    document.refresh_from_db()
    assert len(notices_of([document])[document.pk]) == 1


def test_a_busy_service_is_left_alone_for_as_long_as_it_says(
    server: Script, document: Document
) -> None:
    _crossref(server, (429, {"Retry-After": "600"}))
    _openalex(server, (503, {"Retry-After": "600"}))
    lookups.run()
    lookups.run()
    assert len(server.requests) == 2
    pause = LookupPause.objects.get(service="crossref")
    assert timedelta(minutes=9) < pause.until - timezone.now() <= timedelta(minutes=10)
    assert not lookups.is_anything_due()
    _crossref(server, CROSSREF)
    LookupPause.objects.update(until=timezone.now())
    DoiRecord.objects.update(next_at=timezone.now())
    lookups.run()
    document.refresh_from_db()
    assert document.venue == "Journal of Dikes"


@pytest.mark.parametrize(
    "answer",
    [
        500,
        b"<html>not JSON</html>",
        b"[1, 2]",
        b"[" * 200_000,
        {"message": "gone"},
        {"message": {"title": [7], "author": ["x", {"given": 1}], "issued": {"date-parts": [[]]}}},
        {"message": {"title": "", "updated-by": "soon"}},
        b'{"message": {"issued": {"date-parts": [[Infinity]]}}}',
        b'{"message": {"issued": {"date-parts": [[1e999]]}, "volume": NaN}}',
        b'{"message": {"publisher": "\\ud800\\u0000", "DOI": "\\udfff"}}',
        (302, {"Location": "/crossref/elsewhere"}),
    ],
)
def test_nonsense_changes_nothing_and_raises_nothing(
    server: Script, document: Document, answer: Any
) -> None:
    _crossref(server, answer)
    lookups.run()
    document.refresh_from_db()
    assert (document.title, document.authors, document.year) == (TITLE, [], None)


def test_an_answer_without_end_is_cut_off(
    server: Script, document: Document, client: Client, user: User
) -> None:
    _crossref(server, b'{"message": "' + b"x" * 5_000_000 + b'"}')
    lookups.run()
    assert DoiRecord.objects.get(doi=DOI).attempts == 1
    assert not LookupPause.objects.filter(service="crossref").exists(), "other DOIs wait for it"


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_doi_that_a_service_does_not_take_stops_no_other(
    server: Script, document: Document, status: int
) -> None:
    _crossref(server, status)
    _openalex(server, OPENALEX)
    lookups.run()
    assert DoiRecord.objects.get(doi=DOI).service == "openalex"
    assert not LookupPause.objects.filter(service="crossref").exists()


def test_a_redirect_within_a_service_is_followed(server: Script, document: Document) -> None:
    _crossref(server, (301, {"Location": "/crossref/works/elsewhere"}))
    server.answers["/crossref/works/elsewhere"] = CROSSREF
    lookups.run()
    assert DoiRecord.objects.get(doi=DOI).service == "crossref"


@pytest.mark.parametrize(
    "to", ["{inside}/secret", "https://localhost:9/", "http://[::1]/", "ftp:x"]
)
def test_a_redirect_to_another_machine_is_not_followed(
    server: Script, document: Document, to: str
) -> None:
    with doi_server() as inside:
        inside.answers["/secret"] = CROSSREF
        _crossref(server, (302, {"Location": to.format(inside=inside.url)}))
        _openalex(server, OPENALEX)
        lookups.run()
        assert inside.requests == []
    assert DoiRecord.objects.get(doi=DOI).service == "openalex"
    assert LookupPause.objects.filter(service="crossref").exists()


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("https://api.crossref.org/works/10.1/x", True),
        ("https://api.openalex.org/works/doi:10.1/x", True),
        ("http://127.0.0.1:8123/works", True),
        ("http://127.0.0.1:8124/works", False),
        ("https://127.0.0.1/works", True),
        ("http://api.crossref.org/works/10.1/x", False),
        ("https://api.crossref.org:8443/works", False),
        ("https://api.crossref.org@169.254.169.254/", False),
        ("https://api.crossref.org.example/", False),
        ("http://169.254.169.254/latest/meta-data/", False),
    ],
)
def test_only_the_services_are_asked(address: str, allowed: bool) -> None:
    bases = ("https://api.crossref.org", "https://api.openalex.org", "http://127.0.0.1:8123")
    check = only_to(*bases)
    request = httpx2.Request("GET", address)
    if allowed:
        check(request)
        return
    with pytest.raises(ServiceAwayError):
        check(request)


def test_a_compressed_answer_is_not_unpacked(server: Script, document: Document) -> None:
    bomb = gzip.compress(gzip.compress(b'{"message": {"title": "' + b"x" * 50_000_000))
    _crossref(server, ({"Content-Encoding": "gzip, gzip"}, bomb))
    tracemalloc.start()
    try:
        lookups.run()
        _now, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert LookupPause.objects.filter(service="crossref").exists()
    assert most < 20_000_000


@pytest.mark.parametrize("trouble", ["nobody listens", "too slow"])
def test_without_a_network_pages_say_nothing_and_it_is_tried_again(
    server: Script, document: Document, client: Client, user: User, settings: Settings, trouble: str
) -> None:
    settings.LITO_LOOKUP_TIMEOUT = 0.3
    if trouble == "too slow":
        server.delay = 1
    else:
        settings.LITO_CROSSREF_URL = settings.LITO_OPENALEX_URL = "http://127.0.0.1:9"
    lookups.run()
    record = DoiRecord.objects.get(doi=DOI)
    assert (record.state, record.attempts) == ("waiting", 1)
    assert record.next_at > timezone.now()
    client.force_login(user)
    page = client.get(reverse("paper", args=(document.project.slug, document.public_id)))
    assert page.status_code == 200
    assert 'class="note' not in page.content.decode()


def test_one_runner_asks_at_a_time(server: Script, document: Document) -> None:
    LookupPause.objects.create(service="runner", until=timezone.now() + timedelta(seconds=60))
    lookups.run()
    assert server.requests == []
    LookupPause.objects.update(until=timezone.now())  # its worker died
    lookups.run()
    assert len(server.requests) == 2


def test_a_runner_that_was_taken_for_dead_takes_no_turn_away(db: None) -> None:
    first = take_turn()
    assert first is not None
    assert first.keep()
    assert take_turn() is None
    LookupPause.objects.update(until=timezone.now())
    second = take_turn()
    assert second is not None
    assert not first.keep()
    first.leave()
    assert take_turn() is None
    assert second.keep()
    second.leave()
    assert take_turn() is not None


def test_switched_off_nothing_is_asked(
    server: Script, settings: Settings, project: Project, pdf: Path
) -> None:
    settings.LITO_LOOKUP = False
    _paper(project, pdf, title=TITLE)
    lookups.take_up_unasked()
    assert lookups.run() is False
    assert server.requests == []
    assert not DoiRecord.objects.exists()
    settings.LITO_LOOKUP = True
    lookups.take_up_unasked()
    assert lookups.is_anything_due()


def test_another_doi_brings_another_record(server: Script, document: Document) -> None:
    _crossref(server, CROSSREF)
    lookups.run()
    document.refresh_from_db()
    edit(document, {"doi": "10.1000/new"})
    assert (document.venue, document.title) == ("", TITLE)
    lookups.run()
    assert any("10.1000%2Fnew" in path for path, _ in server.requests)


def test_the_same_doi_in_another_project_is_not_asked_for_again(
    server: Script, document: Document, other_project: Project, tmp_path: Path
) -> None:
    from tests.documents.pdf_making import make_pdf

    _crossref(server, CROSSREF)
    lookups.run()
    other = _paper(other_project, make_pdf(tmp_path / "b.pdf", mark="b"), title=TITLE)
    lookups.apply(DoiRecord.objects.get(doi=DOI))
    lookups.run()
    other.refresh_from_db()
    assert other.venue == "Journal of Dikes"
    assert len(server.requests) == 2


def test_reading_anew_keeps_the_record(server: Script, document: Document) -> None:
    _crossref(server, CROSSREF)
    lookups.run()
    version = Version.objects.get(document=document)
    assert version.parsed is not None
    describe_document(version, version.parsed)
    document.refresh_from_db()
    assert document.venue == "Journal of Dikes"


def test_the_task_is_known_to_the_workers_and_waits_in_a_queue_of_threads(
    server: Script, document: Document
) -> None:
    from lito.celery import app

    app.loader.import_default_modules()
    task = app.tasks["documents.tasks.look_up"]
    assert app.amqp.router.route({}, task.name)["queue"].name == "locate"
    _crossref(server, CROSSREF)
    task.apply(args=(DOI,), throw=True)
    document.refresh_from_db()
    assert document.venue == "Journal of Dikes"


@pytest.mark.django_db(transaction=True)
def test_a_paper_with_a_doi_sends_the_question_once_it_is_stored(
    redis: Any, server: Script, project: Project, pdf: Path
) -> None:
    _paper(project, pdf, title=TITLE)
    assert redis.llen("locate") == 1
    assert DoiRecord.objects.get().state == "waiting"


def test_records_that_no_paper_has_go_however_many_they_are(server: Script) -> None:
    DoiRecord.objects.bulk_create(DoiRecord(doi=f"10.1000/{number}") for number in range(1100))
    assert not lookups.run()
    assert not DoiRecord.objects.exists()
    assert server.requests == []
