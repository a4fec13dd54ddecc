"""From ranked chunks to passages for reading. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from documents.pages.page_text import Span
from retrieval.tracing import Cut, Cuts

CANDIDATES_PER_PASSAGE = 2
"""Ranked chunks that are looked at for each passage wanted; the rest is cut and traced. With more,
weak neighbours would swell every passage of a small library.
"""
LONGEST_PASSAGE = 800
"""Tokens."""
MOST_EVIDENCE_TOKENS = 10_000
"""Of one search's evidence together."""

TABLE_KINDS = frozenset({"table", "caption"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ranked chunk: where it stands, and its fused score."""

    chunk: int
    reading: int
    ordinal: int
    spans: tuple[Span, ...]
    section: tuple[str, ...]
    kind: str
    tokens: int
    score: float


@dataclass(frozen=True, slots=True)
class Passage:
    """Neighbouring chunks of one section, in reading order. `best` ranked highest of them.

    `added` are spans beside the chunks: a table's notes, the sentence that calls a footnote.
    """

    best: Candidate
    members: tuple[Candidate, ...]
    added: tuple[Span, ...] = ()

    @property
    def pages(self) -> set[int]:
        own = {span.page for member in self.members for span in member.spans}
        return own | {span.page for span in self.added}

    @property
    def tokens(self) -> int:
        return sum(member.tokens for member in self.members)


def bounded(candidates: Sequence[Candidate], most: int, cuts: Cuts) -> list[Candidate]:
    """The first `most` candidates that may be evidence: no reference list, none twice."""
    kept: list[Candidate] = []
    seen: set[tuple[int, int]] = set()
    for candidate in candidates:
        place = (candidate.reading, candidate.ordinal)
        if candidate.kind == "reference":
            cuts.cut(candidate.reading, Cut.REFERENCE_LIST)
        elif place in seen:
            cuts.cut(candidate.reading, Cut.DUPLICATE)
        elif len(kept) == most:
            cuts.cut(candidate.reading, Cut.CANDIDATES)
        else:
            seen.add(place)
            kept.append(candidate)
    return kept


def merged(candidates: Sequence[Candidate]) -> list[Passage]:
    """Passages of neighbouring candidates, in the order of their best members."""
    rank = {candidate.chunk: at for at, candidate in enumerate(candidates)}
    runs: list[list[Candidate]] = []
    for candidate in sorted(candidates, key=lambda each: (each.reading, each.ordinal)):
        if runs and _continues(runs[-1], candidate):
            runs[-1].append(candidate)
        else:
            runs.append([candidate])
    passages = [Passage(min(run, key=lambda each: rank[each.chunk]), tuple(run)) for run in runs]
    return sorted(passages, key=lambda each: rank[each.best.chunk])


def _continues(run: Sequence[Candidate], candidate: Candidate) -> bool:
    last = run[-1]
    kinds = {last.kind, candidate.kind}
    return (
        (last.reading, last.ordinal + 1) == (candidate.reading, candidate.ordinal)
        and last.section == candidate.section
        and (len(kinds) == 1 or kinds == TABLE_KINDS)
        and sum(member.tokens for member in run) + candidate.tokens <= LONGEST_PASSAGE
    )


def within_tokens(
    passages: Sequence[Passage], cuts: Cuts, most: int = MOST_EVIDENCE_TOKENS
) -> list[Passage]:
    """The first passages, as many as a reader of limited memory can take; one at least."""
    kept: list[Passage] = []
    left = most
    for passage in passages:
        left -= passage.tokens
        if kept and left < 0:
            cuts.cut(passage.best.reading, Cut.TOKENS)
        else:
            kept.append(passage)
    return kept


def bodies_first(passages: Sequence[Passage]) -> list[Passage]:
    """Front matter goes behind, if its paper has a passage of its body too."""
    with_body = {each.best.reading for each in passages if each.best.kind != "front_matter"}
    return sorted(
        passages,
        key=lambda each: each.best.kind == "front_matter" and each.best.reading in with_body,
    )


def joined_spans(spans: Iterable[Span], texts: Mapping[int, str]) -> tuple[Span, ...]:
    """`spans` in reading order without overlaps; those that only white space parts become one."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda each: (each.page, each.start, each.end)):
        last = joined[-1] if joined else None
        if last and last.page == span.page and not texts[span.page][last.end : span.start].strip():
            joined[-1] = replace(last, end=max(last.end, span.end))
        else:
            joined.append(span)
    return tuple(joined)


def is_heading(passage: Passage, text: str) -> bool:
    """Whether the passage is nothing but a heading or two."""
    words = " ".join(text.split())
    return bool(passage.best.section) and words in {
        passage.best.section[-1],
        " ".join(passage.best.section),
    }
