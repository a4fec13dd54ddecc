"""An exported conversation as Markdown, whose only links are Lito's own and those of identifiers.

A model's text is Markdown as it stands; what would make a link, a picture or HTML of it is escaped,
since a reader of Markdown would follow what Lito shows as mere words. Text of documents is escaped
wholly. What comes out is read once more by a Markdown parser: if anything but our own links is in
it, the text goes in as plain words.
"""

import re
from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.token import Token

from chat.export_references import place_words, reference_address, reference_words
from chat.exporting import Export, ExportedCitation, ExportedTurn
from citations.segments import CiteSegment

LONGEST_TITLE = 200
_CODE = re.compile(r"(^```.*?^```[^\S\n]*$|(?<![`\\])`[^`\n]+`(?!`))", re.DOTALL | re.MULTILINE)
_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$&:=^@])")
_LINKS = re.compile(r"!\[|\]\(|\]\[|\]:|<|://|\bwww\.|&(?=#?\w+;)|@")


def markdown_of(export: Export) -> str:
    """The whole file. Headings are the questions; references and cited passages come last."""
    parts = [f"# {escaped(export.title)}", f"<{export.url}>"]
    for turn in export.turns:
        parts += [f"## {escaped(turn.question)}", _answer(turn)]
    if export.sources:
        parts += [f"## {_('References')}", "\n".join(_references(export))]
    return "\n\n".join(parts) + "\n"


def markdown_of_answers(export: Export) -> str:
    """To paste somewhere: what the answers say, with their references, without the questions."""
    parts = [_answer(turn) for turn in export.turns]
    if export.sources:
        parts += [f"**{_('References')}**", "\n".join(_references(export, passages=False))]
    return "\n\n".join(parts) + "\n"


def html_of(markdown: str) -> str:
    """The same for a text editor that takes HTML. `markdown` has no links but our own."""
    return str(MarkdownIt("gfm-like", {"linkify": False, "html": False}).render(markdown))


def escaped(text: str) -> str:
    """Words that no reader of Markdown takes for anything else, on one line."""
    return escaped_lines(" ".join(text.split()))


def disarmed(text: str) -> str:
    """Markdown that keeps its shape but holds no link, picture or HTML."""
    pieces = _CODE.split(text)
    kept = "".join(
        piece if at % 2 else _LINKS.sub(_disarm, piece) for at, piece in enumerate(pieces)
    )
    return kept if not _foreign(kept) else _LINKS.sub(_disarm, text)


def _disarm(found: re.Match[str]) -> str:
    """The same characters, each mark of punctuation behind a backslash."""
    return re.sub(r"([^\w\s])", r"\\\1", found[0])


def _foreign(text: str) -> bool:
    return any(
        token.type in {"link_open", "image", "html_inline", "html_block"}
        for token in _flat(MarkdownIt("gfm-like", {"linkify": False}).parse(text))
    )


def _flat(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from token.children or ()


def _answer(turn: ExportedTurn) -> str:
    citations = iter(turn.citations)
    parts = []
    for segment in turn.segments:
        if isinstance(segment, CiteSegment):
            parts.append(_cite(next(citations)))
        elif segment.verbatim:
            parts.append(escaped_lines(segment.text))
        else:
            parts.append(disarmed(segment.text))
    return "".join(parts).strip()


def escaped_lines(text: str) -> str:
    """Text of a document, its line ends kept."""
    return _SPECIAL.sub(r"\\\1", text)


def _cite(citation: ExportedCitation) -> str:
    return f"[\\[{escaped(place_words(citation))}\\]]({citation.url})"


def _references(export: Export, *, passages: bool = True) -> Iterator[str]:
    for source in export.sources:
        address = reference_address(source.reference)
        words = escaped(reference_words(source))
        yield f"{source.number}. {words}" + (f" <{address}>" if _is_plain(address) else "")
        for place in export.cited(source.number):
            if passages and place.excerpt:
                yield f"    - {_cite(place)} {escaped('“' + place.excerpt + '”')}"


def _is_plain(address: str) -> bool:
    """Whether an address may stand between angle brackets."""
    return bool(re.fullmatch(r"https://[^\s<>\"]+", address))
