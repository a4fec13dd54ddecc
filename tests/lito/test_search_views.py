"""The search page and the reader at a found passage, as the server sends them."""

import html
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.test import Client

from documents.chunks.tokens import keyword_tokens
from documents.models import Change, Chunk, Document, Page, Version
from documents.pages.page_text import PageState
from lito.library_query import LONGEST, LibraryQuery
from projects.models import Project
from tests.documents.pdf_making import make_pdf
from tests.projects.library_rows import TEXT, Rows, new_rows

MARK = re.compile(r"<mark>([^<]*)</mark>")
PASSAGE = re.compile(r'class="hit" href="([^"]+)"')


@pytest.fixture
def rows(db: None, tmp_path: Path, redis: object) -> Rows:
    """The paper of `new_rows`, which can be found: one chunk with both of its lines."""
    rows = new_rows(make_pdf(tmp_path / "lemons.pdf", 1))
    add_chunk(rows.version, TEXT)
    Document.objects.filter(pk=rows.document.pk).update(year=1970, language="en")
    return rows


def add_chunk(version: Version, text: str, *, kind: str = "text") -> None:
    assert version.parsed is not None
    Chunk.objects.create(
        parsed=version.parsed,
        ordinal=0,
        spans=[[1, 0, len(text)]],
        section=["Results"],
        kind=kind,
        tokens=9,
        terms=keyword_tokens(text),
    )
    Change.objects.create(
        project=version.project,
        kind="added",
        file_id=version.public_id,
        parsed_id=version.parsed_id,
    )


def page_of(client: Client, rows: Rows, **query: object) -> str:
    """The search page as a viewer sees it."""
    client.force_login(rows.people["viewer"])
    response = client.get(f"/p/{rows.project.slug}/search/?{urlencode(query)}")
    assert response.status_code == 200
    return response.content.decode()


def passage_url(client: Client, rows: Rows, words: str = "lemons") -> str:
    found = PASSAGE.search(page_of(client, rows, q=words))
    assert found is not None
    return html.unescape(found[1])


def test_found_words_are_marked_and_lead_to_their_place(client: Client, rows: Rows) -> None:
    page = page_of(client, rows, q="lemon buyers")
    assert MARK.findall(page) == ["lemons", "Buyers"]
    assert "A market for lemons" in page
    assert "1 passage found" in page

    reader = client.get(passage_url(client, rows)).content.decode()
    assert 'data-place="confirmed"' in reader
    around = re.search(r'<svg class="mark-pen around"[^>]*>(.*?)</svg>', reader)
    words = re.search(r'<svg class="mark-pen"[^>]*>(.*?)</svg>', reader)
    assert around is not None
    assert words is not None
    assert around[1].count("<rect") == 2, "one bar for each line of the passage"
    assert words[1].count("<rect") == 1, "one bar for the one word"


def test_nothing_is_drawn_where_other_text_stands_now(client: Client, rows: Rows) -> None:
    url = passage_url(client, rows)
    changed = TEXT.replace("fail", "fall")
    Page.objects.filter(parsed=rows.version.parsed).update(text=changed)
    reader = client.get(url).content.decode()
    assert 'data-place="moved"' in reader
    assert "mark-pen" not in reader


def test_a_page_that_can_not_be_marked_says_so(client: Client, rows: Rows) -> None:
    url = passage_url(client, rows)
    Page.objects.filter(parsed=rows.version.parsed).update(state=PageState.UNSUPPORTED_ROTATION)
    reader = client.get(url).content.decode()
    assert 'data-place="no_highlight"' in reader
    assert "mark-pen" not in reader


@pytest.mark.parametrize(
    "at",
    ["", "1", "1.0.5.9", "0.0.5", "1.5.5", "1.9.5", "x.y.z", "1.0.5_", "_".join(["1.0.5"] * 13)],
)
def test_an_address_without_a_place_opens_the_paper_and_draws_nothing(
    client: Client, rows: Rows, at: str
) -> None:
    client.force_login(rows.people["viewer"])
    url = f"/p/{rows.project.slug}/files/{rows.version.public_id}/passage/"
    response = client.get(url, {"at": at, "of": "0" * 16, "q": "lemons"})
    assert response.status_code == 200
    assert 'data-place="unreadable"' in response.content.decode()
    assert b"mark-pen" not in response.content


@pytest.mark.parametrize("at", ["2.0.5", "1.0.999", "1.0.5", "999999999.0.5"])
def test_an_address_made_up_by_somebody_draws_nothing(client: Client, rows: Rows, at: str) -> None:
    client.force_login(rows.people["viewer"])
    url = f"/p/{rows.project.slug}/files/{rows.version.public_id}/passage/"
    response = client.get(url, {"at": at, "of": "0" * 16, "q": "lemons"})
    assert 'data-place="moved"' in response.content.decode()
    assert b"mark-pen" not in response.content


def test_a_paper_of_another_project_is_not_opened(client: Client, rows: Rows) -> None:
    other = Project.objects.create(slug="other", name="Other", created_by=rows.people["stranger"])
    other.memberships.create(user=rows.people["viewer"], role="viewer")
    url = passage_url(client, rows)
    assert client.get(url.replace("/p/lemons/", "/p/other/")).status_code == 404


@pytest.mark.parametrize(
    ("query", "finds"),
    [
        ({"since": 1970, "until": 1970}, True),
        ({"since": 1971}, False),
        ({"until": 1969}, False),
        ({"language": "en"}, True),
        ({"language": "zh"}, False),
        ({"title": "MARKET akerlof"}, True),
        ({"title": "berries"}, False),
        ({"part": "text"}, True),
        ({"part": "table"}, False),
        ({"part": "nonsense", "since": "x", "page": "99"}, True),
        ({"paper": "nobody"}, False),
    ],
)
def test_filters_let_through_what_fits(
    client: Client, rows: Rows, query: dict[str, object], finds: bool
) -> None:
    page = page_of(client, rows, q="lemons", **query)
    assert bool(PASSAGE.search(page)) is finds
    if not finds:
        assert "without filters" in page


def test_only_one_paper_is_searched_where_its_name_is_given(client: Client, rows: Rows) -> None:
    page = page_of(client, rows, q="lemons", paper=rows.document.public_id)
    assert PASSAGE.search(page)
    assert "Search all papers instead" in page


@pytest.mark.parametrize("words", ["the of and", "?!", "。", "    ", "的"])
def test_words_that_say_nothing_are_not_searched(client: Client, rows: Rows, words: str) -> None:
    page = page_of(client, rows, q=words)
    assert PASSAGE.search(page) is None


def test_a_long_query_is_cut_and_says_so(client: Client, rows: Rows) -> None:
    page = page_of(client, rows, q="lemons " * 200)
    assert f"Only the first {LONGEST} characters" in page
    assert PASSAGE.search(page)


def test_a_query_is_shown_as_text(client: Client, rows: Rows) -> None:
    page = page_of(client, rows, q='"><script>alert(1)</script> lemons')
    assert "<script>alert" not in page


def test_text_of_a_paper_is_shown_as_text(client: Client, rows: Rows) -> None:
    hostile = '<img src=x onerror="alert(1)"> lemons'
    Page.objects.filter(parsed=rows.version.parsed).update(text=hostile)
    Chunk.objects.filter(parsed=rows.version.parsed).update(
        spans=[[1, 0, len(hostile)]], terms=keyword_tokens(hostile)
    )
    assert "<img src=x" not in page_of(client, rows, q="lemons")


def test_papers_that_can_not_be_found_yet_are_named(client: Client, rows: Rows) -> None:
    Version.objects.filter(pk=rows.version.pk).update(state="parsing")
    page = page_of(client, rows, q="lemons")
    assert "1 paper is still being read" in page
    assert PASSAGE.search(page) is None
    Version.objects.filter(pk=rows.version.pk).update(state="indexing")
    page = page_of(client, rows, q="lemons")
    assert "1 paper is still being indexed" in page
    assert PASSAGE.search(page)


def test_the_script_gets_the_results_alone_but_a_restored_page_whole(
    client: Client, rows: Rows
) -> None:
    client.force_login(rows.people["viewer"])
    url = f"/p/{rows.project.slug}/search/?q=lemons"
    part = client.get(url, headers={"HX-Request": "true"})
    assert part.content.decode().strip().startswith('<section class="results"')
    assert "HX-Request" in part["Vary"]
    restored = client.get(url, headers={"HX-Request": "true", "HX-History-Restore-Request": "true"})
    assert "<!doctype html>" in restored.content.decode()


def test_an_address_says_only_what_was_asked() -> None:
    query = LibraryQuery.from_address({"q": " a\x00 b\n", "since": "1990", "page": "3"})
    assert query.address() == "?q=a+b&since=1990&page=3"
    assert query.address(page=1) == "?q=a+b&since=1990"
    assert LibraryQuery().address() == "?"
    assert not LibraryQuery(q="a", page=2).is_filtered


def missing_of(client: Client, rows: Rows, **query: object) -> str:
    client.force_login(rows.people["viewer"])
    url = f"/p/{rows.project.slug}/search/missing/?{urlencode(query)}"
    response = client.get(url, headers={"HX-Request": "true"})
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize(
    ("query", "state", "why"),
    [
        ({"q": "lemons"}, "ready", "Every paper has a passage"),
        ({"q": "lemons", "part": "table"}, "ready", "in other parts of it"),
        ({"q": "lemons", "since": 1990}, "ready", "The filters leave it out."),
        ({"q": "lemons"}, "parsing", "It is still being read."),
        ({"q": "lemons"}, "failed", "could not be read"),
        ({"q": "unicorns"}, "ready", "No passage of it came up"),
        ({"q": "the of"}, "ready", "Every paper has a passage"),
    ],
)
def test_a_missing_paper_is_told_why(
    client: Client, rows: Rows, query: dict[str, object], state: str, why: str
) -> None:
    Version.objects.filter(pk=rows.version.pk).update(state=state)
    assert why in missing_of(client, rows, **query)
