"""What became of each paper that a run might have used: the record behind “Why not this paper?”.

A search says of every paper in its scope what became of it. A run searches several times, and most
papers of a library come up in none of these searches. So of those only their keys are kept, as
ranges; of the others the best that happened to them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from typing import Any

from documents.models import Version
from retrieval.evidence import Scope
from retrieval.tracing import Cut, Fate, PaperTrace, is_nearer

Ranges = list[list[int]]
"""First and last key of each run of keys."""


class PaperFate(StrEnum):
    """From the best to the worst."""

    CITED = "cited"
    GIVEN = "given"
    """Given to the model, but not cited."""
    NOT_SELECTED = "not_selected"
    CUT = "cut"
    NOT_RECALLED = "not_recalled"
    UNSEARCHED = "unsearched"
    """No search looked through it: each was bound to other papers, as to those in one language."""


_OF_A_SEARCH = {
    Fate.GIVEN: PaperFate.GIVEN,
    Fate.NOT_SELECTED: PaperFate.NOT_SELECTED,
    Fate.CUT: PaperFate.CUT,
}


@dataclass
class PaperRecord:
    """Kept while a run goes on. `scope` has the key of each version by its file id."""

    scope: Mapping[str, int] = field(default_factory=dict)
    _found: dict[str, tuple[PaperFate, Cut | None]] = field(default_factory=dict)
    _searched: set[str] = field(default_factory=set)

    def see(self, papers: Iterable[PaperTrace]) -> None:
        """Take note of a search."""
        for paper in papers:
            self._searched.add(paper.file_id)
            fate = _OF_A_SEARCH.get(paper.status)
            if fate and _is_better((fate, paper.by), self._found.get(paper.file_id)):
                self._found[paper.file_id] = (fate, paper.by)

    def as_json(self, *, given: Collection[str], cited: Collection[str]) -> dict[str, Any]:
        """`given` and `cited` are file ids. Of papers that no search found, only keys."""
        found: dict[str, str] = {}
        for file_id, (fate, by) in list(self._found.items()):  # it may grow meanwhile
            found[file_id] = f"{fate}:{by}" if by else str(fate)
        found |= dict.fromkeys(given, str(PaperFate.GIVEN))
        found |= dict.fromkeys(cited, str(PaperFate.CITED))
        searched = self._searched.copy()
        unsearched = [key for file_id, key in self.scope.items() if file_id not in searched]
        return {
            "scope": ranges_of(self.scope.values()),
            "unsearched": ranges_of(unsearched),
            "found": found,
        }


@dataclass(frozen=True, slots=True)
class KeptFates:
    """What a run's trace says of its papers, read back."""

    scope: frozenset[int]
    unsearched: frozenset[int]
    found: Mapping[str, tuple[PaperFate, str]]
    """Fate and what cut it, by file id."""

    @classmethod
    def from_trace(cls, trace: Mapping[str, Any]) -> "KeptFates | None":
        """None for a run that was made before fates were kept."""
        kept = trace.get("papers")
        if not kept:
            return None
        found = {}
        for file_id, fate in kept.get("found", {}).items():
            code, _, by = fate.partition(":")
            found[file_id] = (PaperFate(code), by)
        scope, unsearched = (keys_of(kept.get(name, ())) for name in ("scope", "unsearched"))
        return cls(scope, unsearched, found)

    def fate(self, key: int, file_id: str) -> tuple[PaperFate, str]:
        if file_id in self.found:
            return self.found[file_id]
        is_unsearched = key in self.unsearched
        return (PaperFate.UNSEARCHED if is_unsearched else PaperFate.NOT_RECALLED), ""


def version_keys(scope: Scope) -> dict[str, int]:
    """The keys of the versions in scope, by file id."""
    file_ids = [version.file_id for version in scope.versions]
    return dict(
        Version.objects.filter(public_id__in=file_ids).values_list("public_id", "pk").order_by()
    )


def ranges_of(keys: Iterable[int]) -> Ranges:
    """Keys as ranges, which are few, since papers that come together have neighbouring keys.

    >>> ranges_of([3, 1, 2, 9])
    [[1, 3], [9, 9]]
    """
    ranges: Ranges = []
    for key in sorted(keys):
        if ranges and key == ranges[-1][1] + 1:
            ranges[-1][1] = key
        else:
            ranges.append([key, key])
    return ranges


def keys_of(ranges: Iterable[Sequence[int]]) -> frozenset[int]:
    """
    >>> sorted(keys_of([[1, 3], [9, 9]]))
    [1, 2, 3, 9]
    """
    return frozenset(chain.from_iterable(range(first, last + 1) for first, last in ranges))


def _is_better(
    new: tuple[PaperFate, Cut | None], kept: tuple[PaperFate, Cut | None] | None
) -> bool:
    if kept is None:
        return True
    order = list(PaperFate)
    if new[0] != kept[0]:
        return order.index(new[0]) < order.index(kept[0])
    return bool(new[1] and kept[1] and is_nearer(new[1], kept[1]))
