"""What leaves Lito: answers in Word and Markdown with references that lead somewhere."""

import io
import re
import zipfile
from typing import Any

import docx
import pytest
from django.test import Client
from django.urls import reverse
from markdown_it import MarkdownIt

from chat.export_docx import docx_of
from chat.export_markdown import disarmed, escaped, markdown_of
from chat.exporting import Export, ExportedCitation, ExportedSource, ExportedTurn
from chat.models import Run
from citations.segments import CiteSegment, Segment, TextSegment
from documents.catalogue.references import Person, Reference
from documents.models import Document
from documents.removing import remove
from llm.scripted import Says
from tests.chat.libraries import Library, Scripted
from tests.chat.test_answering import QUESTION, search

ANSWER = (
    "Buyers paid **8.1 %** more [1].\n\n- for new sellers too [1]\n\n"
    "| what | who |\n|---|---|\n| premium [1] | buyers |\n\n"
    "See [here](http://evil.example) ![x](http://evil.example/x.png) <b>bold</b> `a<b`."
)
HOSTILE = [
    "[here](http://evil.example)",
    "![p](http://evil.example/p.png)",
    "<javascript:alert(1)>",
    "<b onclick=x>bold</b>",
    "a [b][c]\n\n[c]: http://evil.example",
    "\\`[x](http://evil.example)\\`",
    "`` a ` [x](http://evil.example) ``",
    "```\n[x](http://evil.example)",
    "    \n[x\n](http://evil.example)",
    "[x]\\\n(http://evil.example)",
    "http://evil.example and www.evil.example and a@evil.example",
    "&#91;x&#93;&#40;http://evil.example&#41;",
    "`a` <b>`c`</b>",
    "<http://evil.example>",
]


def address_of(run: Run, name: str, ending: str) -> str:
    if name == "export_answer":
        return reverse(name, args=("library", run.public_id, ending))
    return reverse(name, args=("library", run.turn.conversation.public_id, ending))


def an_export(*segments: Segment, excerpt: str = "Buyers paid more.", title: str = "A") -> Export:
    cites = sum(isinstance(segment, CiteSegment) for segment in segments)
    place = ExportedCitation(1, 4, "iv", "https://lito.example/c/1", excerpt)
    reference = Reference(
        title="Notes", people=(Person("Lovelace", "Ada"),), year=1843, doi="10.1/x", key="l"
    )
    return Export(
        title,
        "https://lito.example/c",
        [ExportedTurn("Why?", segments, [place] * cites)],
        [ExportedSource(1, "Notes", reference, is_removed=False)],
    )


def links_in(markdown: str) -> set[str]:
    parser = MarkdownIt("gfm-like", {"linkify": False})
    tokens = [each for token in parser.parse(markdown) for each in (token, *(token.children or ()))]
    assert not [token for token in tokens if token.type.startswith("html")]
    found = {str(token.attrs.get("href", "")) for token in tokens if token.type == "link_open"}
    return found | {str(token.attrs["src"]) for token in tokens if token.type == "image"}


@pytest.fixture
def run(library: Library, scripted: Scripted) -> Run:
    with scripted([search(), Says(ANSWER)]):
        return library.ask(QUESTION)


@pytest.fixture
def reader(library: Library) -> Client:
    client = Client()
    client.force_login(library.reader)
    return client


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["export_answer", "export_conversation"])
def test_markdown_cites_with_links_to_lito_alone(name: str, run: Run, reader: Client) -> None:
    response = reader.get(address_of(run, name, "md"))
    text = response.content.decode()
    assert response.status_code == 200
    assert "attachment" in response["Content-Disposition"]
    assert text.count("[\\[1, p\\. 1\\]](http://testserver/p/library/") >= 4
    assert all(link.startswith("http://testserver/p/library/") for link in links_in(text))
    assert QUESTION.rstrip("?") in text.replace("\\", "")
    assert "“" in text
    assert "Reputation in online markets" in text


@pytest.mark.django_db
def test_word_has_the_answer_and_links_that_lead_to_their_places(run: Run, reader: Client) -> None:
    body = reader.get(address_of(run, "export_conversation", "docx")).content
    document = docx.Document(io.BytesIO(body))
    words = "\n".join(paragraph.text for paragraph in document.paragraphs)
    assert "Buyers paid 8.1 % more" in words
    assert "See here x <b>bold</b>" in words
    assert document.tables[0].rows[1].cells[0].text.startswith("premium")
    with zipfile.ZipFile(io.BytesIO(body)) as parts:
        xml = parts.read("word/document.xml").decode()
        relations = parts.read("word/_rels/document.xml.rels").decode()
    anchors = set(re.findall(r'w:hyperlink w:anchor="(\w+)"', xml))
    assert anchors
    assert anchors == set(re.findall(r'w:bookmarkStart[^>]*w:name="(\w+)"', xml))
    outside = re.findall(r'Target="(http[^"]+)"', relations)
    assert outside
    assert all(one.startswith("http://testserver/p/library/") for one in outside)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("ending", "mark"), [("bib", "title = "), ("ris", "TI  - "), ("json", '"title"')]
)
def test_cited_papers_come_as_references(ending: str, mark: str, run: Run, reader: Client) -> None:
    text = reader.get(address_of(run, "export_answer", ending)).content.decode()
    assert mark in text
    assert "Reputation in online markets" in text
    assert "蓝莓" not in text


@pytest.mark.django_db
def test_a_removed_paper_is_said_to_be_gone_and_keeps_its_title(run: Run, reader: Client) -> None:
    remove(Document.objects.get(title="Reputation in online markets"))
    text = reader.get(address_of(run, "export_answer", "md")).content.decode()
    assert "Reputation in online markets" in text
    assert "no longer in the project" in text
    assert "Reputation" in reader.get(address_of(run, "export_answer", "bib")).content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("ending", ["exe", "html", "DOCX"])
def test_an_unknown_format_is_not_found(ending: str, run: Run, reader: Client) -> None:
    assert reader.get(address_of(run, "export_answer", ending)).status_code == 404


@pytest.mark.parametrize("text", HOSTILE)
def test_no_link_of_a_model_comes_through(text: str) -> None:
    assert links_in(disarmed(text)) == set()
    assert links_in(disarmed(f"Before {text} after\n\n{text}")) == set()
    assert links_in(escaped(text)) == set()


@pytest.mark.parametrize(
    "text",
    [
        "**bold** and *this*",
        "| a | b |\n|---|---|\n| c | d |",
        "- one\n- two",
        "`a<b` and `x[y](z)`",
    ],
)
def test_honest_markdown_stays_as_it_is(text: str) -> None:
    assert disarmed(text) == text


@pytest.mark.parametrize("text", [*HOSTILE, "# no heading", "1. no list", "- no", "a | b\n--|--"])
def test_text_of_a_document_is_words_in_both_formats(text: str) -> None:
    export = an_export(TextSegment(text, verbatim=True), CiteSegment(7), excerpt=text, title=text)
    markdown = markdown_of(export)
    assert links_in(markdown) == {
        "https://lito.example/c", "https://lito.example/c/1", "https://doi.org/10.1/x"
    }  # fmt: skip
    kinds = [token.type for token in MarkdownIt("gfm-like", {"linkify": False}).parse(markdown)]
    assert kinds.count("heading_open") == 3
    assert "table_open" not in kinds
    document = docx.Document(io.BytesIO(docx_of(export)))
    shown = [paragraph.text for paragraph in document.paragraphs]
    assert any(text in words for words in shown)


@pytest.mark.parametrize("text", ["a\x00b\x0c", "\ud800x", "￿", "𝒙 蓝莓", "⸨\ue0000\ue002⸩"])
def test_what_xml_cannot_hold_is_left_out(text: str) -> None:
    export: Any = an_export(TextSegment(text), TextSegment(text, verbatim=True), CiteSegment(7))
    assert docx.Document(io.BytesIO(docx_of(export))).paragraphs


def test_a_citation_that_markdown_drops_is_still_there() -> None:
    export = an_export(TextSegment("| a |\n|---|\n| b | c "), CiteSegment(7), TextSegment(" |\n"))
    document = docx.Document(io.BytesIO(docx_of(export)))
    with_links = [each for each in document.paragraphs if "[1, p. 4 (iv)]" in each.text]
    assert len(with_links) == 2


def test_an_answer_is_copied_with_places_and_references_alone(run: Run, reader: Client) -> None:
    copied = reader.get(reverse("copy_answer", args=("library", run.public_id))).json()
    assert QUESTION not in copied["text"]
    assert "Buyers paid **8.1 %** more" in copied["text"]
    assert "1. Reputation in online markets" in copied["text"]
    links = links_in(copied["text"])
    assert links
    assert all("/citations/" in link for link in links)
    assert set(re.findall(r'href="([^"]*)"', copied["html"])) == links
    assert "<table>" in copied["html"]
    assert "<img" not in copied["html"]
    assert "<b>" not in copied["html"]
