"""BM25 with exactly the scores of rank-bm25's `BM25Okapi`, over an inverted index.

The formula (Trotman, Puurula and Burgess 2014, the ATIRE variant) and its floor for terms that
stand in more than half of the chunks are those of the package, in the same order of operations.
Scores depend on the number of chunks, their mean length and each term's holders, all of which move
with every paper, so postings keep counts and scores are worked out for each query.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import starmap
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from retrieval.segments import Segment
from retrieval.vocabulary import Ints, Vocabulary

K1 = 1.5
B = 0.75
EPSILON = 0.25

Scores = NDArray[np.float64]
Run = tuple[int, int]


class Hit(NamedTuple):
    """A chunk that holds at least one term of the query.

    `share` is how much of the query's idf its terms make up, 0 to 1; a term that no chunk holds
    counts in the whole.
    """

    chunk: int
    score: float
    share: float


class DamagedIndexError(Exception):
    """The arrays of the index contradict each other: their files are not what was written."""


@dataclass(frozen=True)
class Index:
    """An immutable snapshot: updates give a new one. Chunks are ordered as they were added."""

    segments: tuple[Segment, ...] = ()
    vocabulary: Vocabulary = field(default_factory=Vocabulary)

    @cached_property
    def editions(self) -> dict[int, int]:
        """The live documents by id, and of each the edition of its tokens."""
        return {
            document: edition
            for segment in self.segments
            for document, edition in zip(
                segment.documents.tolist(), segment.editions.tolist(), strict=True
            )
            if document not in segment.dead
        }

    @cached_property
    def documents(self) -> frozenset[int]:
        """Ids of the live documents."""
        return frozenset(self.editions)

    @cached_property
    def holders(self) -> NDArray[np.int32]:
        """By term number, how many live chunks hold the term."""
        holders = np.zeros(len(self.vocabulary), np.int32)
        for segment in self.segments:
            segment.count_holders(holders)
        return holders

    @cached_property
    def chunks(self) -> int:
        """Number of live chunks."""
        return sum(
            len(segment.chunks) if live is None else int(live.sum())
            for segment, live in zip(self.segments, self._live, strict=True)
        )

    @cached_property
    def length(self) -> int:
        """Tokens of all live chunks together."""
        return sum(
            int(segment.lengths.sum() if live is None else segment.lengths[live].sum())
            for segment, live in zip(self.segments, self._live, strict=True)
        )

    @cached_property
    def average_idf(self) -> float:
        """Mean idf over the terms in use, summed in order of first appearance as rank-bm25 does."""
        holders = self.holders[self.holders > 0]
        if not len(holders):
            return 0.0
        table = np.zeros(int(holders.max()) + 1)
        for value in np.flatnonzero(np.bincount(holders)).tolist():
            table[value] = _idf(self.chunks, value)
        return float(np.cumsum(table[holders])[-1]) / len(holders)

    @cached_property
    def _live(self) -> list[NDArray[np.bool_] | None]:
        return [segment.live_rows() if segment.dead else None for segment in self.segments]

    @cached_property
    def _impacts(self) -> list[Scores]:
        """What a posting of each shape adds to a score, before its term's idf."""
        mean = self.length / self.chunks
        impacts = []
        for segment in self.segments:
            often = segment.shape_counts.astype(np.float64)
            norm = K1 * (1 - B + B * segment.shape_lengths.astype(np.float64) / mean)
            impacts.append(often * (K1 + 1) / (often + norm))
        return impacts

    def idf(self, term: int) -> float:
        """Idf of a term number with the floor; of -1, a term that no chunk holds, without one."""
        value = _idf(self.chunks, int(self.holders[term]) if term >= 0 else 0)
        return EPSILON * self.average_idf if value < 0 else value

    def scores(self, query: Sequence[str]) -> Scores:
        """The score of every live chunk, in order."""
        if not self.length:
            return np.zeros(self.chunks)
        terms = _Terms.of(query, self)
        found = [self._scored(place, terms)[0] for place in range(len(self.segments))]
        kept = [
            scores if live is None else scores[live]
            for scores, live in zip(found, self._live, strict=True)
        ]
        return np.concatenate(kept)

    def search(
        self, query: Sequence[str], *, limit: int, documents: Collection[int] | None = None
    ) -> list[Hit]:
        """The best chunks that hold a term of `query`, best first, ties in order of the index.

        `documents` limits which chunks are scored; statistics stay those of the whole index.
        Raises DamagedIndexError.
        """
        try:
            return self._searched(query, limit, documents)
        except (IndexError, ValueError) as error:
            raise DamagedIndexError(str(error)) from error

    def _searched(
        self, query: Sequence[str], limit: int, documents: Collection[int] | None
    ) -> list[Hit]:
        if not query or not self.length or limit < 1:
            return []
        terms = _Terms.of(query, self)
        everything = documents is None or self.documents.issubset(documents)
        scope = None if everything else np.fromiter(documents or (), np.int64)
        best = [self._best(place, terms, limit, scope) for place in range(len(self.segments))]
        chunks, scores, shares = map(np.concatenate, zip(*best, strict=True))
        order = np.argsort(-scores, kind="stable")[:limit]
        columns = (chunks[order].tolist(), scores[order].tolist(), shares[order].tolist())
        return list(starmap(Hit, zip(*columns, strict=True)))

    def _best(
        self, place: int, terms: "_Terms", limit: int, scope: Ints | None
    ) -> tuple[Ints, Scores, Scores]:
        """Chunks, scores and shares of the best hits of one segment, best first."""
        segment = self.segments[place]
        scores, runs = self._scored(place, terms)
        held = [segment.rows[first:end] for first, end in runs]
        rows = _best_rows(scores, held, limit, self._allowed(place, scope))
        return segment.chunks[rows], scores[rows], _shares(rows, held, terms)

    def _scored(self, place: int, terms: "_Terms") -> tuple[Scores, list[Run]]:
        """The score of every row of a segment, and the run of each distinct term."""
        segment, impacts = self.segments[place], self._impacts[place]
        scores = np.zeros(len(segment.chunks))
        runs = segment.runs(terms.distinct)
        for at in terms.order:
            first, end = runs[at]
            if first < end:
                added = impacts.take(segment.shapes[first:end])
                added *= terms.idf[at]
                np.add.at(scores, segment.rows[first:end], added)
        return scores, runs

    def _allowed(self, place: int, scope: Ints | None) -> NDArray[np.bool_] | None:
        live = self._live[place]
        if scope is None:
            return live
        segment = self.segments[place]
        inside = np.repeat(np.isin(segment.documents, scope), np.diff(segment.first_row))
        return inside if live is None else inside & live


@dataclass(frozen=True, slots=True)
class _Terms:
    """The terms of a query that some chunk held: numbers, idf, and `order`, places with repeats.

    `weight` is the idf of all its terms together, those that no chunk held included.
    """

    distinct: NDArray[np.int32]
    idf: list[float]
    order: list[int]
    weight: float

    @classmethod
    def of(cls, query: Sequence[str], index: Index) -> "_Terms":
        numbers = index.vocabulary.find(query).tolist()
        places: dict[int, int] = {}
        order = [places.setdefault(term, len(places)) for term in numbers if term >= 0]
        idf = [index.idf(term) for term in places]
        unknown = len({text for text, term in zip(query, numbers, strict=True) if term < 0})
        weight = sum(map(abs, idf)) + unknown * abs(index.idf(-1))
        return cls(np.fromiter(places, np.int32, len(places)), idf, order, weight)


def _best_rows(
    scores: Scores, held: Sequence[Ints], limit: int, allowed: NDArray[np.bool_] | None
) -> Ints:
    """Rows of the `limit` best scores among those that hold a term, best first."""
    if allowed is not None:
        held = [rows[allowed[rows]] for rows in held]
    # The limit-th best of any part is no better than that of the whole.
    enough = min((rows for rows in held if len(rows) >= limit), key=len, default=None)
    least = 0.0 if enough is None else _nth_best(scores[enough], limit)
    if least > 0:
        rows = np.flatnonzero(scores >= least)
        rows = rows if allowed is None else rows[allowed[rows]]
    else:
        # A term in half of the chunks scores 0, and in a tiny index even less: still a hit.
        rows = np.unique(np.concatenate(held)) if held else np.zeros(0, np.int32)
    if len(rows) > limit:
        rows = rows[scores[rows] >= _nth_best(scores[rows], limit)]
    return rows[np.argsort(-scores[rows], kind="stable")][:limit].astype(np.int32)


def _nth_best(scores: Scores, nth: int) -> float:
    place = len(scores) - nth
    return float(np.partition(scores, place)[place])


def _shares(hits: Ints, held: Sequence[Ints], terms: _Terms) -> Scores:
    """The share of the query's idf that each of the rows `hits` holds."""
    weights = np.zeros(len(hits))
    for rows, idf in zip(held, terms.idf, strict=True):
        if len(rows):
            at = np.minimum(rows.searchsorted(hits), len(rows) - 1)
            weights[rows[at] == hits] += abs(idf)
    return weights / (terms.weight or 1.0)


def _idf(chunks: int, holders: int) -> float:
    """Robertson's idf as in rank-bm25, before its floor; `holders` of `chunks` hold the term."""
    return math.log(chunks - holders + 0.5) - math.log(holders + 0.5)
