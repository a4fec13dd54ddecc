"""What a file is called, who wrote it and when: each field with its source."""

import pytest

from documents.catalogue.metadata import language_of, read_metadata
from documents.pages.page_text import Field
from documents.parsing import parse_file
from tests.documents.files import PDFS


def test_title_and_authors_come_from_the_first_page() -> None:
    metadata = parse_file(PDFS / "article.pdf").metadata
    assert metadata["title"] == Field("On the growth of small plants", "first_page")
    assert metadata["authors"] == Field(["Ada Lovelace", "Carl Linnaeus"], "first_page")
    assert metadata["language"].value == "en"


def test_without_pages_the_file_name_speaks() -> None:
    metadata = read_metadata((), info={}, file_name="Smith - 2019 - Deep learning for cats.pdf")
    assert metadata == {
        "title": Field("Deep learning for cats", "file_name"),
        "authors": Field(["Smith"], "file_name"),
        "year": Field(2019, "file_name"),
    }


def test_junk_in_the_pdf_info_is_not_taken_for_a_title() -> None:
    for junk in ("untitled", "Microsoft Word - main.doc", "paper.dvi"):
        assert "title" not in read_metadata((), info={"title": junk}, file_name="")
    kept = read_metadata((), info={"title": "On the origin of species"}, file_name="")
    assert kept["title"] == Field("On the origin of species", "pdf_info")


def test_ligatures_and_control_characters_are_spelt_out_in_every_field() -> None:
    info = {"title": "A uni\ufb01ed toolkit\x0c for re\ufb02ection", "author": "Gr\ufb03th, A. B."}
    found = read_metadata((), info=info, file_name="")
    assert found["title"].value == "A unified toolkit for reflection"
    assert "\ufb03" not in "".join(found["authors"].value if "authors" in found else [])


def test_the_day_a_pdf_was_made_is_no_year_of_publication() -> None:
    info = {"title": "On the origin of species", "creationDate": "D:20190304101112Z"}
    assert "year" not in read_metadata((), info=info, file_name="")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The growth of the plants was measured in the spring of that year for two weeks.", "en"),
        (
            "Die Pflanzen wachsen im Frühling und nicht im Winter, das ist mit der Zeit bekannt.",
            "de",
        ),
        (
            "数字化能否助力脱碳？来自因果森林分析的证据表明，数字化转型对气候影响很大。这是一个问题。",
            "zh",
        ),
        (
            "코로나 관련 보험약관상 재해보험금 지급문제 및 개선과제에 관한 연구 보고서",
            "ko",
        ),
        ("x = 1", ""),
    ],
)
def test_languages_are_told_by_script_and_small_words(text: str, code: str) -> None:
    assert language_of(text) == code
