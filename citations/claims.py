"""What each citation of an answer stands for: the claim before it and the quote beside it. Pure."""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from citations.segments import CiteSegment, Segment
from documents.sentences import split_sentences

LONGEST_CLAIM = 1200
LEAST_WORDS = 3
LEAST_QUOTE_WORDS = 4
LEAST_QUOTE_IDEOGRAPHS = 8
BESIDE = 3
"""A quote may be any length if no more than so many signs stand between it and its marker."""

BLOCK_BREAK = re.compile(
    r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t])|\n(?=[ \t]*(?:#|\||>))"
    r"|(?<=[^|\n])\|(?=[^|])"
)
LINE_MARKUP = re.compile(
    r"^[ \t]*(?:>[ \t]?)*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?:#{1,6}[ \t]+)?\|?", re.MULTILINE
)
EMPHASIS = re.compile(
    r"(\*{1,3}|~~|`+|(?<![^\W_])_{1,3})(?=\S)(.+?)(?<=\S)\1(?!(?<=_)[^\W_])", re.DOTALL
)
LOOSE_START = " ,;:.，；、：。)）]】"
LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*\)")
QUOTES = (
    re.compile(r"“([^”]{1,2000})”"),
    re.compile(r"„([^“”]{1,2000})[“”]"),
    re.compile(r"「([^」]{1,2000})」"),
    re.compile(r"『([^』]{1,2000})』"),
    re.compile(r"«\s*([^»]{1,2000}?)\s*»"),
    re.compile(r'(?<![^\W_])["＂](?!\s)([^"＂]{1,2000}?)(?<!\s)["＂]'),
)
IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]")
TEX = {
    "times": "×", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠",
    "approx": "≈", "lt": "<", "gt": ">", "circ": "°", "cdot": "·", "sim": "~", "to": "→", "mu": "μ",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η",
    "theta": "θ", "kappa": "κ", "lambda": "λ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ",
    "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Delta": "Δ", "Sigma": "Σ", "Omega": "Ω",
}  # fmt: skip
TEX_COMMAND = re.compile(r"\\([A-Za-z]+)")
MATH = re.compile(r"\$\$?([^$\n]{1,300})\$\$?|\\\((.{1,300}?)\\\)|\\\[(.{1,300}?)\\\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Claimed:
    """What one cite segment stands for. `quote` is empty if no direct quote stands beside it."""

    claim: str
    quote: str


@dataclass(slots=True)
class _Block:
    """A paragraph, list item or table cell: its text, and where in it which citations stand."""

    text: str = ""
    verbatim: list[tuple[int, int]] = field(default_factory=list)
    cites: list[int] = field(default_factory=list)

    @property
    def is_block_quote(self) -> bool:
        return self.text.lstrip().startswith(">")


def claims_of(segments: Sequence[Segment]) -> list[Claimed]:
    """The claim and quote of every cite segment, in order."""
    return [claimed for block in _blocks(segments) for claimed in _claims_of_block(block)]


def _blocks(segments: Sequence[Segment]) -> Iterator[_Block]:
    block = _Block()
    for segment in segments:
        if isinstance(segment, CiteSegment):
            block.cites.append(len(block.text))
        elif segment.verbatim:
            start = len(block.text)
            block.text += segment.text
            block.verbatim.append((start, len(block.text)))
        else:
            first, *rest = _split_blocks(segment.text)
            block.text += first
            for part in rest:
                yield block
                block = _Block(part)
    yield block


def _split_blocks(text: str) -> list[str]:
    """Cut at paragraph ends, list items, headings and cells; lines of a quote stay together."""
    parts = [""]
    at = 0
    for found in BLOCK_BREAK.finditer(text):
        parts[-1] += text[at : found.start()]
        at = found.end()
        in_quote = parts[-1].rpartition("\n")[2].lstrip().startswith(">")
        if in_quote and text[at:].lstrip(" \t").startswith(">"):
            parts[-1] += "\n"
        else:
            parts.append("")
    parts[-1] += text[at:]
    return parts


def _claims_of_block(block: _Block) -> Iterator[Claimed]:
    """Neighbouring markers share what stands before them."""
    previous_end = 0
    shared: Claimed | None = None
    for at in block.cites:
        between = block.text[previous_end:at]
        if shared is None or between.strip():
            shared = _claimed(block, previous_end, at)
        previous_end = at
        yield shared


def _claimed(block: _Block, previous: int, at: int) -> Claimed:
    ending = [
        span for span in block.verbatim if span[1] <= at and not block.text[span[1] : at].strip()
    ]
    if ending:
        text = block.text[ending[-1][0] : ending[-1][1]].strip()
        return Claimed(text[:LONGEST_CLAIM], text)
    sentence_start = _sentence_start(block.text, at)
    start = max(previous, sentence_start)
    claim = plain_text(block.text[start:at]).lstrip(LOOSE_START)
    if previous > sentence_start and _word_count(claim) < LEAST_WORDS:
        claim = plain_text(block.text[sentence_start:at])
    return Claimed(claim[-LONGEST_CLAIM:], _quote(block, max(previous, sentence_start), at))


def _sentence_start(text: str, at: int) -> int:
    """Where the statement begins that ends at `at`; one that ended just before it counts."""
    before = text[:at]
    starts = [start for start, _ in split_sentences(before)]
    return starts[-1] if starts else 0


def _word_count(text: str) -> int:
    return len(IDEOGRAPH.findall(text)) // 2 + len(re.findall(r"[^\W_]+", IDEOGRAPH.sub(" ", text)))


def _quote(block: _Block, start: int, at: int) -> str:
    """The direct quote that ends beside the marker, else a long one inside the claim."""
    text = block.text[:at]
    found: list[tuple[int, int, str]] = []
    for pattern in QUOTES:
        found += [(m.end(), m.start(), m[1]) for m in pattern.finditer(text) if m.end() > start]
    outer = [
        (end, begin, inside)
        for end, begin, inside in found
        if not any(b < begin and end < e for e, b, _ in found)
    ]
    if not outer:
        return plain_quote(text[start:at]) if block.is_block_quote else ""
    end, _, inside = max(outer)
    between = re.sub(r"[\s*_~]", "", text[end:at])
    is_long = (
        len(IDEOGRAPH.findall(inside)) >= LEAST_QUOTE_IDEOGRAPHS
        or len(inside.split()) >= LEAST_QUOTE_WORDS
    )
    return plain_quote(inside) if len(between) <= BESIDE or is_long else ""


def plain_quote(markdown: str) -> str:
    """A quoted text without the markup that a model put into it: emphasis, TeX, entities."""
    return plain_text(html.unescape(MATH.sub(_plain_math, markdown)))


def _plain_math(found: re.Match[str]) -> str:
    inside = next(group for group in found.groups() if group is not None)
    if found[0].startswith("$") and not re.search(r"[\\^_{}=<>]|^[A-Za-z]$", inside):
        return found[0]
    inside = TEX_COMMAND.sub(lambda m: TEX.get(m[1], ""), inside)
    return re.sub(r"[{}]|\\(?=\W)", "", inside).replace("^°", "°")


def plain_text(markdown: str) -> str:
    """Markdown as one line of plain text, good enough to compare and to show."""
    text = LINE_MARKUP.sub("", markdown)
    text = LINK.sub(r"\1", text)
    for _ in range(2):
        text = EMPHASIS.sub(r"\2", text)
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)
    return " ".join(text.split())
