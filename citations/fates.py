"""What a rewrite did to the citations of an answer. Pure."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from citations.wordings import alike, relation

Place = tuple[Any, ...]
"""The true place of a citation: file, page source, parser and spans of its anchor."""


@dataclass(frozen=True, slots=True)
class Cited:
    """One citation: its place, the identity of its source, the claim before it."""

    place: Place
    identity: str
    claim: str


@dataclass(frozen=True, slots=True)
class Fate:
    """`now` is the index of the citation that stands for it now, None if it was dropped."""

    fate: Literal["kept", "merged", "moved", "dropped"]
    now: int | None


def fates_of(before: Sequence[Cited], after: Sequence[Cited]) -> list[Fate]:
    """One fate for each citation of `before`.

    Kept: the same place is cited for the same statement, or in the same order for one that can't be
    compared, as after a translation. Moved: the same place is cited for another statement. Merged:
    another citation of the same source now stands for it as well. Dropped: nothing does.
    """
    paired = _pairs(before, after)
    in_order = _longest_rising([paired[index] for index in sorted(paired)])
    fates: list[Fate] = []
    for index, cited in enumerate(before):
        if index in paired:
            now = paired[index]
            found = relation(cited.claim, after[now].claim)
            is_kept = found == "same" or (found == "unknown" and now in in_order)
            fates.append(Fate("kept" if is_kept else "moved", now))
        else:
            fates.append(_merged_or_dropped(cited, after))
    return fates


def _pairs(before: Sequence[Cited], after: Sequence[Cited]) -> dict[int, int]:
    """Citations of one place paired one to one, the most similar claims first."""
    candidates = sorted(
        (
            (-alike(old.claim, new.claim), old_index, new_index)
            for old_index, old in enumerate(before)
            for new_index, new in enumerate(after)
            if old.place == new.place
        )
    )
    paired: dict[int, int] = {}
    taken: set[int] = set()
    for _, old_index, new_index in candidates:
        if old_index not in paired and new_index not in taken:
            paired[old_index] = new_index
            taken.add(new_index)
    return paired


def _merged_or_dropped(cited: Cited, after: Sequence[Cited]) -> Fate:
    """Merged if a citation of its place, or of its source, now stands beside its statement.

    A statement that was left out took its citation along, whatever else still cites the place.
    """
    candidates = [index for index, new in enumerate(after) if _stands_for(new, cited)]
    if not candidates:
        return Fate("dropped", None)
    return Fate("merged", max(candidates, key=lambda i: (alike(cited.claim, after[i].claim), -i)))


def _stands_for(new: Cited, cited: Cited) -> bool:
    found = relation(cited.claim, new.claim)
    same_source, same_place = new.identity == cited.identity, new.place == cited.place
    return (found == "same" and same_source) or (found == "unknown" and same_place)


def _longest_rising(numbers: Sequence[int]) -> set[int]:
    """The members of one longest increasing subsequence of distinct numbers."""
    tails: list[int] = []
    before: dict[int, int | None] = {}
    for number in numbers:
        at = bisect_left(tails, number)
        before[number] = tails[at - 1] if at else None
        tails[at : at + 1] = [number]
    found: set[int] = set()
    at_number: int | None = tails[-1] if tails else None
    while at_number is not None:
        found.add(at_number)
        at_number = before[at_number]
    return found
