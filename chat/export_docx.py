"""An exported conversation as a Word document.

Each citation is a live reference: it leads to its entry in the list of references, and each place
of an entry leads to the highlighted page in Lito. A model's Markdown becomes paragraphs, lists and
tables; its links and pictures are words.
"""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import docx
from django.utils.translation import gettext as _
from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import RGBColor
from docx.table import _Cell
from docx.text.paragraph import Paragraph
from docx.text.run import Run
from markdown_it.tree import SyntaxTreeNode

from chat.export_references import place_words, reference_address, reference_words
from chat.exporting import Export, ExportedCitation, ExportedTurn
from citations.rendering import answer_markdown
from citations.segments import CiteSegment

ACCENT = RGBColor(0x0F, 0x5E, 0x63)
DEEPEST_LIST = 3
_CITE, _DATA, _END = "\ue000", "\ue001", "\ue002"
_PLACEHOLDER = re.compile("⸨(\ue000|\ue001)([0-9]+)\ue002⸩")
_RESERVED = str.maketrans("", "", _CITE + _DATA + _END)
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Place = Document | _Cell


@dataclass(frozen=True, slots=True)
class _Style:
    bold: bool = False
    italic: bool = False
    struck: bool = False
    code: bool = False


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the placeholders of one answer's Markdown stand for."""

    citations: Sequence[ExportedCitation]
    verbatim: Sequence[str]


def docx_of(export: Export) -> bytes:
    """The bytes of the file."""
    document = docx.Document()
    document.core_properties.title = _written(export.title)[:255]
    document.core_properties.author = ""
    document.add_heading(_written(export.title), 0)
    for turn in export.turns:
        document.add_heading(_written(turn.question), 1)
        _add_answer(document, turn)
    if export.sources:
        document.add_heading(_("References"), 1)
        _add_references(document, export)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _add_answer(document: Document, turn: ExportedTurn) -> None:
    parts: list[str] = []
    verbatim: list[str] = []
    cites = 0
    for segment in turn.segments:
        if isinstance(segment, CiteSegment):
            parts.append(f"⸨{_CITE}{cites}{_END}⸩")
            cites += 1
        elif segment.verbatim:
            parts.append(f"⸨{_DATA}{len(verbatim)}{_END}⸩")
            verbatim.append(segment.text.translate(_RESERVED))
        else:
            parts.append(segment.text.translate(_RESERVED))
    text = "".join(parts)
    tree = SyntaxTreeNode(answer_markdown().parse(text))
    answer = _Answer(turn.citations, verbatim)
    for node in tree.children:
        _add_block(document, node, answer)
    _add_swallowed(document, tree, answer, cites)


def _add_swallowed(document: Document, tree: SyntaxTreeNode, answer: _Answer, cites: int) -> None:
    """A paragraph for what Markdown dropped, as it drops cells beyond a table's width."""
    shown = set(_PLACEHOLDER.findall(" ".join(node.content for node in tree.walk() if _leaf(node))))
    wanted = [(_CITE, str(at)) for at in range(cites)]
    wanted += [(_DATA, str(at)) for at in range(len(answer.verbatim))]
    if lost := [f"⸨{kind}{at}{_END}⸩" for kind, at in wanted if (kind, at) not in shown]:
        _add_words(document.add_paragraph(), " ".join(lost), answer, _Style())


def _leaf(node: SyntaxTreeNode) -> bool:
    return node.token is not None and bool(node.content)


def _add_block(place: Place, node: SyntaxTreeNode, answer: _Answer, *, deep: int = 0) -> None:
    if node.type == "heading":
        level = min(int(node.tag[1]) + 1, 6)
        _add_inline(place.add_paragraph(style=f"Heading {level}"), node, answer)
    elif node.type in {"bullet_list", "ordered_list"}:
        _add_list(place, node, answer, deep)
    elif node.type == "table":
        _add_table(place, node, answer)
    elif node.type == "blockquote":
        for child in node.children:
            _add_paragraph(place, child, answer, style="Intense Quote")
    elif node.type in {"fence", "code_block", "math_block"}:
        style = _Style(code=True)
        _add_words(place.add_paragraph(), node.content.rstrip("\n"), answer, style)
    elif node.type == "paragraph":
        _add_inline(place.add_paragraph(), node, answer)


def _add_paragraph(place: Place, node: SyntaxTreeNode, answer: _Answer, *, style: str) -> None:
    if node.type == "paragraph":
        _add_inline(place.add_paragraph(style=style), node, answer)
    else:
        _add_block(place, node, answer)


def _add_list(place: Place, node: SyntaxTreeNode, answer: _Answer, deep: int) -> None:
    level = f" {deep + 1}" if deep else ""
    style = f"List {'Bullet' if node.type == 'bullet_list' else 'Number'}{level}"
    for entry in node.children:
        for at, child in enumerate(entry.children):
            if child.type == "paragraph":
                shown = style if at == 0 else f"List Continue{level}"
                _add_inline(place.add_paragraph(style=shown), child, answer)
            else:
                _add_block(place, child, answer, deep=min(deep + 1, DEEPEST_LIST - 1))


def _add_table(place: Place, node: SyntaxTreeNode, answer: _Answer) -> None:
    rows = [row for part in node.children for row in part.children]
    columns = max(len(row.children) for row in rows)
    table = place.add_table(len(rows), columns)
    if isinstance(place, Document):
        table.style = place.styles["Table Grid"]
    for cells, row in zip(table.rows, rows, strict=True):
        for cell, node_cell in zip(cells.cells, row.children, strict=False):
            paragraph = cell.paragraphs[0]
            style = _Style(bold=node_cell.type == "th")
            _add_inline(paragraph, node_cell, answer, style)


def _add_inline(
    paragraph: Paragraph, node: SyntaxTreeNode, answer: _Answer, style: _Style | None = None
) -> None:
    for child in node.children:
        _add_spans(paragraph, child, answer, style or _Style())


def _add_spans(paragraph: Paragraph, node: SyntaxTreeNode, answer: _Answer, style: _Style) -> None:
    if node.type in {"strong", "em", "s"}:
        named = {"strong": "bold", "em": "italic", "s": "struck"}[node.type]
        style = replace(style, **{named: True})
    if node.type in {"softbreak", "hardbreak"}:
        _add_words(paragraph, " " if node.type == "softbreak" else "\n", answer, style)
    elif node.type in {"code_inline", "math_inline", "math_inline_double"}:
        _add_words(paragraph, node.content, answer, replace(style, code=True))
    elif node.type in {"text", "image"}:
        _add_words(paragraph, node.content, answer, style)
    else:
        for child in node.children:
            _add_spans(paragraph, child, answer, style)


def _add_words(paragraph: Paragraph, text: str, answer: _Answer, style: _Style) -> None:
    """Text with its placeholders filled: document text as it is, citations as links."""
    at = 0
    for found in _PLACEHOLDER.finditer(text):
        _add_run(paragraph, text[at : found.start()], style)
        if found[1] == _DATA:
            _add_run(paragraph, answer.verbatim[int(found[2])], style)
        else:
            citation = answer.citations[int(found[2])]
            _add_link(paragraph, f"[{place_words(citation)}]", anchor=_bookmark(citation.number))
        at = found.end()
    _add_run(paragraph, text[at:], style)


def _add_run(paragraph: Paragraph, text: str, style: _Style) -> None:
    if not text:
        return
    run = paragraph.add_run(_written(text))
    run.bold = style.bold or None
    run.italic = style.italic or None
    run.font.strike = style.struck or None
    if style.code:
        run.font.name = "Courier New"


def _add_references(document: Document, export: Export) -> None:
    for source in export.sources:
        paragraph = document.add_paragraph()
        _begin_bookmark(paragraph, source.number)
        add = partial(_add_run, paragraph, style=_Style())
        add(f"[{source.number}] {reference_words(source)}")
        if address := reference_address(source.reference):
            add(" ")
            _add_link(paragraph, address, address=address)
        for place in export.cited(source.number):
            if place.excerpt:
                passage = document.add_paragraph(style="List Bullet")
                _add_link(passage, f"[{place_words(place)}]", address=place.url)
                _add_run(passage, f" “{place.excerpt}”", _Style())


def _bookmark(number: int) -> str:
    return f"source_{number}"


def _begin_bookmark(paragraph: Paragraph, number: int) -> None:
    """A place to which citations lead, at the beginning of the paragraph."""
    for tag in ("w:bookmarkStart", "w:bookmarkEnd"):
        mark = OxmlElement(tag)
        mark.set(qn("w:id"), str(number))
        if tag == "w:bookmarkStart":
            mark.set(qn("w:name"), _bookmark(number))
        paragraph._p.append(mark)  # noqa: SLF001  (the library has no bookmarks of its own)


def _add_link(paragraph: Paragraph, text: str, *, address: str = "", anchor: str = "") -> None:
    """Words that lead to `address`, or to the bookmark `anchor` of this document."""
    link = OxmlElement("w:hyperlink")
    if address:
        part = paragraph.part
        link.set(qn("r:id"), part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
    else:
        link.set(qn("w:anchor"), anchor)
    element = OxmlElement("w:r")
    link.append(element)
    run = Run(element, paragraph)
    run.text = _written(text)
    run.font.color.rgb = ACCENT
    paragraph._p.append(link)  # noqa: SLF001  (the library has no hyperlinks of its own)


def _written(text: str) -> str:
    """Text without the characters that XML can't hold."""
    return _UNWRITABLE.sub("", text)
