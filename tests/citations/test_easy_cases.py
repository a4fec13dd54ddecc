# mypy: disable-error-code="no-untyped-call"
"""The cases that highlighters are known to fail, each on a real PDF read by the real parser."""

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pymupdf
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from citations.locating import locate_quote
from citations.searchable_page import SearchablePage
from documents.parsing import parse_pages

if TYPE_CHECKING:
    from documents.models import Version
    from projects.models import Project, User

PDFS = Path(__file__).resolve().parents[1] / "pdfs"


def read(path: Path) -> list[SearchablePage]:
    return [SearchablePage.of(page) for page in parse_pages(path)]


def page_of(
    document: pymupdf.Document, html: str, *, box: tuple[int, ...] = (60, 60, 540, 700)
) -> None:
    document.new_page().insert_htmlbox(box, html)


@pytest.fixture
def document(tmp_path: Path) -> Iterator[tuple[pymupdf.Document, Path]]:
    with pymupdf.open() as opened:
        yield opened, tmp_path / "made.pdf"


def test_easy_1_ligatures_are_found_by_plain_letters(
    document: tuple[pymupdf.Document, Path],
) -> None:
    made, path = document
    page_of(made, "<p>A scienti\ufb01c re\ufb02ection on the matter.</p>")
    made.save(path)
    pages = read(path)
    located = locate_quote("scientific reflection", pages, page=1)
    assert located.status == "matched"
    ((x0, _, x1, _),) = located.places[0].regions[0].rects
    whole = locate_quote("A scientific reflection on the matter", pages, page=1)
    ((w0, _, w1, _),) = whole.places[0].regions[0].rects
    assert w0 < x0 < x1 < w1


def test_easy_2_line_end_hyphens_have_both_readings(
    document: tuple[pymupdf.Document, Path],
) -> None:
    made, path = document
    page_of(made, "<p>the dynamic com-<br>piled code was well-<br>known to all</p>")
    made.save(path)
    pages = read(path)
    for quote in ("dynamic compiled code", "was well-known to all", "compiled", "well-known"):
        located = locate_quote(quote, pages, page=1)
        assert located.status == "matched", quote
        assert len(located.places[0].regions[0].rects) == 2, quote


def test_easy_3_a_quote_across_two_columns_is_not_found(
    document: tuple[pymupdf.Document, Path],
) -> None:
    made, path = document
    page = made.new_page()
    left = "Column one tells of rain and of the wind that came with it over many long days. " * 6
    right = "Second column speaks about trade and prices which rose in each of the years. " * 6
    page.insert_htmlbox((60, 60, 280, 700), f"<p>{left}</p>")
    page.insert_htmlbox((320, 60, 540, 700), f"<p>{right}</p>")
    made.save(path)
    pages = read(path)
    text = pages[0].detail.text
    assert text.index("Second column") > text.rindex("rain")
    first_left = next(line for line in text.splitlines() if line.startswith("Column one"))
    first_right = next(line for line in text.splitlines() if line.startswith("Second column"))
    assert locate_quote(f"{first_left} {first_right}", pages, page=1).status == "not_found"


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("cropped", [False, True])
def test_easy_4_turned_and_cropped_pages_are_drawn_right_or_not_at_all(
    document: tuple[pymupdf.Document, Path], rotation: int, cropped: bool
) -> None:
    made, path = document
    page = made.new_page()
    page.insert_text((100, 200), "Reputation raises prices")
    page.insert_text((100, 300), "Another line of the page")
    if cropped:
        page.set_cropbox(pymupdf.Rect(40, 80, 500, 600))
    page.set_rotation(rotation)
    made.save(path)
    located = locate_quote("Reputation raises prices", read(path), page=1)
    if located.status == "unsupported_rotation":
        assert not located.places
        return
    assert located.status == "matched"
    (rect,) = located.places[0].regions[0].rects
    with pymupdf.open(path) as opened:
        shown = opened[0]
        (hit,) = shown.search_for("Reputation raises prices")
        seen = hit * shown.rotation_matrix
        seen.normalize()
        width, height = shown.rect.width, shown.rect.height
    drawn = pymupdf.Rect(rect[0] * width, rect[1] * height, rect[2] * width, rect[3] * height)
    assert (drawn & seen).get_area() > 0.85 * min(drawn.get_area(), seen.get_area())


def test_easy_5_a_sentence_over_a_page_break_is_marked_on_both_pages(
    document: tuple[pymupdf.Document, Path],
) -> None:
    made, path = document
    first = made.new_page()
    first.insert_text((72, 740), "The treated group was seen to")
    second = made.new_page()
    second.insert_text((72, 90), "improve within a week. Then more.")
    made.save(path)
    pages = read(path)
    for page in (None, 1, 2):
        located = locate_quote("treated group was seen to improve within a week", pages, page=page)
        assert located.status == "matched"
        assert [region.page for region in located.places[0].regions] == [1, 2]


def test_easy_6_twins_are_all_listed_and_none_is_chosen(
    document: tuple[pymupdf.Document, Path],
) -> None:
    made, path = document
    for team in ("Alpha", "Beta"):
        page_of(made, f"<p>Team {team} reported that sales had doubled in spring.</p>")
    made.save(path)
    pages = read(path)
    located = locate_quote("reported that sales had doubled", pages)
    assert located.status == "ambiguous"
    assert [place.regions[0].page for place in located.places] == [1, 2]
    assert locate_quote("reported that sales had doubled", pages[1:]).status == "matched"


def test_easy_7_radicals_are_found_by_ordinary_characters() -> None:
    pages = read(PDFS / "radicals.pdf")
    assert "\u2f42" in pages[0].detail.text
    located = locate_quote("语文学习方向很重要，青年增长", pages, page=1)
    assert located.status == "matched"
    assert located.places[0].text == pages[0].detail.text.strip().rstrip("。")


def test_easy_8_numbers_and_signs_are_never_confused(
    document: tuple[pymupdf.Document, Path],
) -> None:
    made, path = document
    page_of(
        made,
        "<p>It rose by 1.5 % at p &lt; 0.05 with a slope of -0.3 and 10<sup>5</sup> cells.</p>",
    )
    made.save(path)
    pages = read(path)
    for quote in ("15 %", "p > 0.05", "0.3", "105", "and 105 cells"):
        assert locate_quote(quote, pages, page=1).status == "not_found", quote
    for quote in ("1.5 %", "p < 0.05", "-0.3", "10⁵ cells"):
        assert locate_quote(quote, pages, page=1).status == "matched", quote


def ingested(project: "Project", path: Path) -> "Version":
    """The file as an upload and the workers leave it."""
    from documents import ingestion
    from documents.uploads import add_file

    version = add_file(project, path_or_upload=path, file_name=path.name, user=None).version
    assert ingestion.parse_version(version.pk) is ingestion.Outcome.DONE
    assert ingestion.index_version(version.pk) is ingestion.Outcome.DONE
    version.refresh_from_db()
    return version


@pytest.mark.usefixtures("redis")
def test_easy_9_a_page_that_is_a_picture_keeps_its_number_and_is_named(project: "Project") -> None:
    from citations.placing import locate_on_pages
    from documents.progress import warnings_of

    version = ingested(project, PDFS / "scan_between.pdf")
    assert version.parsed is not None
    states = dict(version.parsed.pages.values_list("number", "state"))
    assert states == {1: "ok", 2: "no_text", 3: "ok"}
    (warning,) = warnings_of(version)
    assert "2" in str(warning)
    for pages in ([3], []):
        located = locate_on_pages("And on the third page", version, pages)
        assert located.status == "matched"
        assert [region.page for region in located.places[0].regions] == [3]
    assert locate_on_pages("And on the third page", version, [2]).status == "no_text"


@pytest.mark.usefixtures("redis")
def test_easy_10_a_locked_file_is_refused_by_name_and_stores_nothing(
    project: "Project", capsys: pytest.CaptureFixture[str]
) -> None:
    from documents.inspecting import RefusedFileError
    from documents.models import Chunk, Page, Version
    from documents.uploads import add_file

    path = PDFS / "locked.pdf"
    with pytest.raises(RefusedFileError) as refused:
        add_file(project, path_or_upload=path, file_name=path.name, user=None)
    assert refused.value.code == "locked"
    assert not Version.objects.exists()
    assert not Page.objects.exists()
    assert not Chunk.objects.exists()
    with pytest.raises(SystemExit) as ended:
        call_command("locate", str(path), "--quote", "Nobody reads this", "--json")
    assert ended.value.code == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "locked"


@pytest.mark.usefixtures("redis")
def test_easy_11_a_query_of_two_characters_finds_its_chinese_line_first(
    project: "Project", tmp_path: Path
) -> None:
    from retrieval.library_search import search_library
    from retrieval.scope import project_scope

    for line in ("低温储藏保持品质。", "数字经济降低排放。", "信誉提高价格。", "蓝莓含有花青素。"):
        with pymupdf.open() as made:
            page_of(made, f"<p>{line}</p>")
            made.save(tmp_path / f"{line[:2]}.pdf")
        ingested(project, tmp_path / f"{line[:2]}.pdf")
    found = search_library("花青", project_scope(project))
    first = found.papers[0]
    assert first.version.title == "蓝莓"
    assert first.passages[0].score > 0


HOSTILE = "<img src=x onerror=alert(1)> <script>alert(2)</script> [a](javascript:alert(3))"


class Live(HTMLParser):
    """What a browser would run or fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        scripts = [name for name in values if name.startswith("on")]
        addresses = [values.get(name, "") for name in ("href", "src", "action", "xlink:href")]
        if scripts or any(each == "x" or "javascript:" in each for each in addresses):
            self.found.append(f"{tag} {attrs}")
        if tag == "script" and "src" not in values and values.get("type") != "application/json":
            self.found.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.usefixtures("redis")
def test_easy_12_markup_in_a_paper_is_shown_as_text_everywhere(
    project: "Project", reader: "User", document: tuple[pymupdf.Document, Path]
) -> None:
    from citations.anchoring import Anchor
    from citations.citing import CitedEvidence, save_answer
    from citations.markers import read_markers
    from documents.models import Document
    from documents.pages.page_text import Span

    made, path = document
    page = made.new_page()
    page.insert_text((40, 90), HOSTILE, fontsize=9)
    page.insert_text((40, 140), "The rate rose in every year that was seen.")
    page.insert_link(
        {
            "kind": pymupdf.LINK_URI,
            "from": pymupdf.Rect(40, 80, 300, 100),
            "uri": "javascript:alert(4)",
        }
    )
    made.set_metadata({"title": HOSTILE})
    made.save(path)
    version = ingested(project, path)
    Document.objects.update(title=HOSTILE)
    assert version.parsed is not None
    text = version.parsed.pages.get().text
    spans = (Span(1, 0, len(text)),)
    anchor = Anchor(version.document.public_id, version.sha256, version.parsed.parser, spans, text)
    evidence = {1: CitedEvidence(version.public_id, HOSTILE, anchor, None)}
    answer = save_answer(
        project=project,
        segments=read_markers(f"They say “{HOSTILE[:28]}” [1].", evidence),
        evidence=evidence,
    )
    citation = answer.citations.get()
    client = Client()
    client.force_login(reader)
    for name, values in (
        ("citation_card", (citation.public_id,)),
        ("open_citation", (citation.public_id,)),
        ("read", (version.public_id,)),
        ("page_layer", (version.public_id, 1)),
        ("page_read", (version.public_id, 1)),
        ("paper", (version.document.public_id,)),
        ("library", ()),
    ):
        response = client.get(reverse(name, args=[project.slug, *values]), follow=True)
        assert response.status_code == 200, name
        live = Live()
        live.feed(response.content.decode())
        assert live.found == [], name
        assert "onerror" in live.text, name
        policy = response.headers["Content-Security-Policy"]
        assert "script-src 'self'" in policy
        assert "img-src 'self'" in policy
