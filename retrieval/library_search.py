"""The library search: passages that bear on some words, grouped by paper. No model is asked.

Recall and fusion are those of every search. What follows differs: a person skims many short
passages instead of reading a few long ones, so chunks are neither merged nor judged.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from documents.pages.page_text import Span
from retrieval.candidates import ranked, readings_of
from retrieval.evidence import Scope, ScopedVersion
from retrieval.passages import Candidate
from retrieval.planning import Plan, languages_of, plan_by_rules
from retrieval.recall import DEPTH, Recalled

FILTERED_DEPTH = 1000
"""Chunks that each leg recalls where only some kinds are wanted, since most are then dropped."""
NEVER_SHOWN = frozenset({"reference"})
NEAREST = 24
"""Chunks that a query's vector alone may bring in. There is always a nearest one, however far: the
whole of a small library would follow behind what was looked for.
"""


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A chunk of one paper: where it stands, and its fused score."""

    spans: tuple[Span, ...]
    section: tuple[str, ...]
    kind: str
    score: float


@dataclass(frozen=True, slots=True)
class PaperPassages:
    """What was found in one paper, best first."""

    version: ScopedVersion
    passages: tuple[FoundPassage, ...]


@dataclass(frozen=True, slots=True)
class LibraryFound:
    """Papers in the order of their best passages. `searched` counts those that were looked through.

    `keywords_only` says in a sentence why meaning was not asked, else it is empty.
    """

    papers: tuple[PaperPassages, ...] = ()
    searched: int = 0
    keywords_only: str = ""


class SearchFate(StrEnum):
    """Why a paper is among what was found or not, from the nearest to the farthest."""

    FOUND = "found"
    OTHER_PART = "other_part"
    """Only in kinds of text that were not wanted."""
    REFERENCE_LIST = "reference_list"
    CHANCE = "chance"
    """It has a small share of the words only."""
    FAR = "far"
    """Near in meaning, but many passages of others are nearer."""
    NOT_FOUND = "not_found"


def search_library(words: str, scope: Scope, *, kinds: Collection[str] = ()) -> LibraryFound:
    """Passages of `scope` for `words`; of the chunk kinds `kinds` alone, if any are given."""
    if not scope.versions:
        return LibraryFound()
    depth = FILTERED_DEPTH if kinds else DEPTH
    found = ranked(_plan(words, scope), scope, depth=depth)
    near = _near(found.recalled)
    shown = [
        each for each in found.candidates if each.chunk in near and _is_wanted(each.kind, kinds)
    ]
    return LibraryFound(
        _by_paper(shown, found.scope), len(found.scope.versions), found.recalled.vectors_note
    )


def _plan(words: str, scope: Scope) -> Plan:
    """The words, also carried over to the scripts of these papers."""
    return plan_by_rules(words, languages_of([version.language for version in scope.versions]))


def fates_in_search(
    words: str, scope: Scope, *, kinds: Collection[str] = ()
) -> Mapping[str, SearchFate]:
    """What became of each paper in such a search, by the public id of its document."""
    if not scope.versions:
        return {}
    depth = FILTERED_DEPTH if kinds else DEPTH
    found = ranked(_plan(words, scope), scope, depth=depth)
    near = _near(found.recalled)
    best: dict[int, SearchFate] = dict.fromkeys(
        readings_of(found.recalled.strays()), SearchFate.CHANCE
    )
    for each in found.candidates:
        fate = _fate(each, is_near=each.chunk in near, kinds=kinds)
        before = best.get(each.reading, SearchFate.NOT_FOUND)
        best[each.reading] = min(fate, before, key=list(SearchFate).index)
    return {
        version.document_id: best.get(version.parsed_id, SearchFate.NOT_FOUND)
        for version in found.scope.versions
    }


def _fate(candidate: Candidate, *, is_near: bool, kinds: Collection[str]) -> SearchFate:
    if candidate.kind in NEVER_SHOWN:
        return SearchFate.REFERENCE_LIST
    if not is_near:
        return SearchFate.FAR
    return SearchFate.FOUND if _is_wanted(candidate.kind, kinds) else SearchFate.OTHER_PART


def _near(recalled: Recalled) -> set[int]:
    """Chunks that have a fair share of the words, and the nearest in meaning."""
    near = {hit.chunk for each in recalled.queries for hit in each.vectors[:NEAREST]}
    for each in recalled.queries:
        strays = {hit.chunk for hit in each.strays}
        near |= {hit.chunk for hit in each.keywords if hit.chunk not in strays}
    return near


def _is_wanted(kind: str, kinds: Collection[str]) -> bool:
    return kind not in NEVER_SHOWN and (not kinds or kind in kinds)


def _by_paper(candidates: Iterable[Candidate], scope: Scope) -> tuple[PaperPassages, ...]:
    versions = {version.parsed_id: version for version in scope.versions}
    grouped: dict[int, list[FoundPassage]] = {}
    for each in candidates:
        passage = FoundPassage(each.spans, each.section, each.kind, each.score)
        grouped.setdefault(each.reading, []).append(passage)
    return tuple(
        PaperPassages(versions[reading], tuple(passages)) for reading, passages in grouped.items()
    )
