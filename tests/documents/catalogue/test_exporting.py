"""Libraries as BibTeX, RIS and CSL-JSON: what goes out comes back the same."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.catalogue.bibliography import IMPORT, say
from documents.catalogue.bibtex import read_bibtex, write_bibtex
from documents.catalogue.describing import edit
from documents.catalogue.exporting import FORMATS, export_document, export_project
from documents.catalogue.references import Person, Reference
from documents.catalogue.ris import read_ris, write_ris
from documents.models import Document
from projects.models import Project
from tests.documents.pdf_making import make_pdf
from tests.projects.library_rows import new_version

ZOTERO = r"""
@string{nc = "Nature Communications"}
@article{burger2022,
  title = {Compound {{Marine}} heatwaves \& ocean {DNA}, $\alpha$ and 5\% of {\"o} a\_b},
  author = {Burger, Friedrich A. and Jens van der Berg and {WHO Group} and Fr{\"o}licher, Thomas
            and 张, 三 and King, Jr., Martin Luther},
  year = 2022, journal = nc, doi = {10.1038/s41467_022-32120-7}, pages = {1--10},
}
@misc{broken, title = {no end
@article{burger2022, title = "Hello {W}orld", date = {2019-05-01}, eprint = {2301.01234v2},
  eprinttype = {arxiv}, langid = {ngerman}}
"""


def test_latex_becomes_text_and_names_keep_their_parts() -> None:
    first, second = read_bibtex(ZOTERO)[0]
    assert first.title == "Compound Marine heatwaves & ocean DNA, $\\alpha$ and 5% of ö a_b"
    assert [person.shown for person in first.people] == [
        "Friedrich A. Burger",
        "Jens van der Berg",
        "WHO Group",
        "Thomas Frölicher",
        "张三",
        "Martin Luther King Jr.",
    ]
    assert (first.venue, first.year, first.pages) == ("Nature Communications", 2022, "1–10")
    assert first.doi == "10.1038/s41467_022-32120-7"
    assert (second.title, second.year, second.language) == ("Hello World", 2019, "de")
    assert second.arxiv_id == "2301.01234v2"


def test_an_entry_that_is_broken_is_named_by_its_line_and_the_others_are_read() -> None:
    entries, broken = read_bibtex(ZOTERO)
    assert len(entries) == 2
    assert broken == ["9"]


_text = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z")) | st.just(" "), max_size=40
).map(lambda text: " ".join(text.split()))


@pytest.mark.parametrize(
    "title",
    [
        "50% of a_b & c#d {x} ~ ^ $5",
        "\\backslash and \\command{y}",
        "Ünïcode – “quoted” mRNA and DNA",
        "数字化能否助力脱碳？",
        "a--b and a---b",
        "Ends with a backslash \\",
        "E = mc² {",
    ],
)
def test_signs_that_mean_something_to_latex_come_back_as_they_were(title: str) -> None:
    reference = Reference(title, (Person("Müller", "Ö."),), 2020, key="k", kind="article-journal")
    (again,), broken = read_bibtex(write_bibtex([reference]))
    assert not broken
    assert again.title == title.replace("---", "—").replace("--", "–")
    assert again.people == reference.people


@given(title=_text, family=_text, given_name=_text)
def test_whatever_a_title_holds_the_file_stays_one_entry(
    title: str, family: str, given_name: str
) -> None:
    people = (Person(family, given_name),) if family else ()
    reference = Reference(title or "x", people, 2020, key="k")
    entries, broken = read_bibtex(write_bibtex([reference]))
    assert (len(entries), broken) == (1, [])
    assert len(read_ris(write_ris([reference]))[0]) == 1


def test_ris_comes_back_the_same() -> None:
    first, second = read_bibtex(ZOTERO)[0]
    for reference in (first, second):
        (again,), broken = read_ris(write_ris([reference]))
        assert not broken
        assert again.fields() == reference.fields()


@pytest.mark.django_db
def test_a_project_is_exported_with_keys_that_stay(project: Project, tmp_path: Path) -> None:
    first = _paper(project, tmp_path, "a", title="The growth of dikes", year=2001)
    second = _paper(project, tmp_path, "b", title="Growth of dams", year=2001)
    before = [entry.key for entry in read_bibtex(export_project(project, FORMATS["bib"]))[0]]
    assert before == ["berg2001growth", "berg2001growth-2"]
    edit(first, {"title": "Another title", "year": 1990})
    first.delete()
    after = [entry.key for entry in read_bibtex(export_project(project, FORMATS["bib"]))[0]]
    assert after == ["berg2001growth-2"]
    assert "berg2001growth-2" in export_document(second, FORMATS["ris"])


@pytest.mark.django_db
def test_what_was_imported_is_given_back(project: Project, tmp_path: Path) -> None:
    paper = _paper(project, tmp_path, "a", title="x", year=2001)
    entry = read_bibtex(ZOTERO)[0][0]
    edit(paper, {"title": entry.title})
    say(paper, IMPORT, entry.fields() | {"details": entry.details()})
    paper.refresh_from_db()
    (item,) = json.loads(export_document(paper, FORMATS["json"]))
    assert (item["id"], item["type"], item["page"]) == ("burger2022", "article-journal", "1–10")


@pytest.mark.django_db
def test_a_chinese_paper_gets_a_key_that_latex_takes(project: Project, tmp_path: Path) -> None:
    paper = _paper(project, tmp_path, "a", title="城市扩张", year=2001, authors=["张三"])
    (entry,) = read_bibtex(export_document(paper, FORMATS["bib"]))[0]
    assert entry.key.isascii()
    assert entry.fields()["authors"] == ["张三"]


def _paper(
    project: Project,
    folder: Path,
    name: str,
    *,
    title: str,
    year: int,
    authors: list[str] | None = None,
) -> Document:
    path = make_pdf(folder / f"{name}.pdf", mark=name)
    version = new_version(project, path, title=title, text=title)
    document = version.document
    edit(document, {"title": title, "year": year, "authors": authors or ["Ada Berg"]})
    return document
