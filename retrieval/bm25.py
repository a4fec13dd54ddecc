"""BM25 with exactly the scores of rank-bm25's `BM25Okapi`, over an inverted index.

The formula (Trotman, Puurula and Burgess 2014, the ATIRE variant) and its floor for terms that
stand in more than half of the chunks are those of the package, in the same order of operations.
Scores depend on the number of chunks, their mean length and each term's holders, all of which move
with every paper, so postings keep counts and scores are worked out for each query.
"""

import operator
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from retrieval.segments import (
    IndexedDocument,
    Ints,
    Segment,
    Vocabulary,
    average_idf,
    built_segment,
    idf,
    merged_segment,
)

K1 = 1.5
B = 0.75
EPSILON = 0.25
SEGMENTS_PER_TIER = 8
LARGEST_DEAD_SHARE = 0.3

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that holds at least one term of the query.

    `share` is how much of the query's idf its terms make up, 0 to 1; a term that no chunk holds
    counts in the whole.
    """

    chunk: int
    score: float
    share: float


@dataclass(frozen=True)
class Index:
    """An immutable snapshot: updates give a new one. Chunks are ordered as they were added."""

    segments: tuple[Segment, ...] = ()
    vocabulary: Vocabulary = field(default_factory=Vocabulary.empty)
    chunks: int = 0
    length: int = 0
    """Tokens of all live chunks together."""
    average_idf: float = 0.0

    @cached_property
    def documents(self) -> frozenset[int]:
        """Ids of the live documents."""
        return frozenset(
            int(document)
            for segment in self.segments
            for document in segment.documents[segment.live_documents()]
        )

    @cached_property
    def _live(self) -> list[NDArray[np.bool_] | None]:
        return [segment.live_rows() if segment.dead else None for segment in self.segments]

    @cached_property
    def _norms(self) -> list[Scores]:
        mean = self.length / self.chunks
        return [
            K1 * (1 - B + B * segment.lengths.astype(np.float64) / mean)
            for segment in self.segments
        ]

    def idf(self, term: int) -> float:
        """Idf of a term number with the floor; of -1, a term that no chunk holds, without one."""
        value = idf(self.chunks, int(self.vocabulary.holders[term]) if term >= 0 else 0)
        return EPSILON * self.average_idf if value < 0 else value

    def scores(self, query: Sequence[str]) -> Scores:
        """The score of every live chunk, in order."""
        if not self.length:
            return np.zeros(self.chunks)
        terms = self._known(query)
        found = [self._scored(place, terms) for place in range(len(self.segments))]
        kept = [
            scores if live is None else scores[live]
            for scores, live in zip(found, self._live, strict=True)
        ]
        return np.concatenate(kept) if kept else np.zeros(0)

    def search(
        self, query: Sequence[str], *, limit: int, documents: Collection[int] | None = None
    ) -> list[Hit]:
        """The best chunks that hold a term of `query`, best first, ties in order of the index.

        `documents` limits which chunks are scored; statistics stay those of the whole index.
        """
        terms = self._known(query)
        if not terms or not self.length or limit < 1:
            return []
        best: list[tuple[float, int, int, float]] = []
        for place, segment in enumerate(self.segments):
            scores = self._scored(place, terms)
            rows = self._best_rows(place, scores, terms, limit, documents)
            shares = self._shares(place, rows, query)
            chunks = segment.chunks[rows]
            best += [
                (-float(score), place, int(chunk), float(share))
                for score, chunk, share in zip(scores[rows], chunks, shares, strict=True)
            ]
        best.sort(key=lambda hit: hit[:2])  # stable: rows of a segment are in order already
        return [Hit(chunk, -score, share) for score, _, chunk, share in best[:limit]]

    def _known(self, query: Sequence[str]) -> list[int]:
        return [int(term) for term in self.vocabulary.find(query) if term >= 0]

    def _scored(self, place: int, terms: Sequence[int]) -> Scores:
        segment, norm = self.segments[place], self._norms[place]
        scores = np.zeros(len(segment.chunks))
        for term in terms:
            rows, counts = segment.postings(term)
            if len(rows):
                often = counts.astype(np.float64)
                scores[rows] += self.idf(term) * (often * (K1 + 1) / (often + norm[rows]))
        return scores

    def _best_rows(
        self,
        place: int,
        scores: Scores,
        terms: Iterable[int],
        limit: int,
        documents: Collection[int] | None,
    ) -> Ints:
        allowed = self._allowed(place, documents)
        positive = scores > 0
        rows = np.flatnonzero(positive if allowed is None else positive & allowed)
        if len(rows) < limit:
            # A term in half of the chunks scores 0, and in a tiny index even less: still a hit.
            held = [self.segments[place].postings(term)[0] for term in set(terms)]
            rows = np.unique(np.concatenate(held))
            rows = rows if allowed is None else rows[allowed[rows]]
        if len(rows) > limit:
            least = np.partition(scores[rows], len(rows) - limit)[len(rows) - limit]
            rows = rows[scores[rows] >= least]
        return rows[np.argsort(-scores[rows], kind="stable")][:limit]

    def _allowed(self, place: int, documents: Collection[int] | None) -> NDArray[np.bool_] | None:
        live = self._live[place]
        if documents is None or self.documents <= frozenset(documents):
            return live
        segment = self.segments[place]
        chosen = np.isin(segment.documents, np.fromiter(documents, np.int64, len(documents)))
        inside = np.repeat(chosen, np.diff(segment.first_row))
        return inside if live is None else inside & live

    def _shares(self, place: int, hits: Ints, query: Sequence[str]) -> Scores:
        """The share of the query's idf that each of the rows `hits` holds."""
        terms = [int(term) for term in self.vocabulary.find(list(dict.fromkeys(query)))]
        weights = [abs(self.idf(term)) for term in terms]
        held = np.zeros(len(hits))
        for term, weight in zip(terms, weights, strict=True):
            rows = self.segments[place].postings(term)[0]
            if len(rows):
                at = np.minimum(np.searchsorted(rows, hits), len(rows) - 1)
                held[rows[at] == hits] += weight
        return held / (sum(weights) or 1.0)

    def with_added(self, documents: Iterable[IndexedDocument]) -> "Index":
        """The index with `documents`, none of which is in it yet, as a segment of their own."""
        segment, vocabulary = built_segment(documents, self.vocabulary)
        if not len(segment.documents):
            return self
        return self._counted((*self.segments, segment), vocabulary)

    def with_removed(self, documents: Collection[int]) -> "Index":
        """The index without `documents`; ids that it does not hold are ignored."""
        gone, segments, vocabulary = self.documents & frozenset(documents), [], self.vocabulary
        if not gone:
            return self
        for held in self.segments:
            segment = held
            here = [
                int(place)
                for place in np.flatnonzero(np.isin(segment.documents, list(gone)))
                if int(segment.documents[place]) not in segment.dead
            ]
            if here:
                vocabulary = vocabulary.counted(segment, -1, here)
                dead = segment.dead | {int(segment.documents[place]) for place in here}
                segment = replace(segment, dead=dead)
            if len(segment.dead) < len(segment.documents):
                segments.append(segment)
        return self._counted(tuple(segments), vocabulary)

    def tidied(self) -> "Index":
        """The index with many small segments made one, and dead documents dropped where many.

        Order of documents and all scores stay the same. Costs time by what is rewritten only.
        """
        segments = [
            merged_segment([segment]) if _mostly_dead(segment) else segment
            for segment in self.segments
        ]
        while len(last := _small_at_the_end(segments)) >= SEGMENTS_PER_TIER:
            segments[-len(last) :] = [merged_segment(last)]
        same = all(map(operator.is_, segments, self.segments))
        return self if same else replace(self, segments=tuple(segments))

    def _counted(self, segments: tuple[Segment, ...], vocabulary: Vocabulary) -> "Index":
        chunks = length = 0
        for segment in segments:
            if segment.dead:
                live = segment.live_rows()
                chunks += int(live.sum())
                length += int(segment.lengths[live].sum())
            else:
                chunks += len(segment.chunks)
                length += int(segment.lengths.sum())
        return Index(segments, vocabulary, chunks, length, average_idf(vocabulary, chunks))


def _small_at_the_end(segments: Sequence[Segment]) -> list[Segment]:
    """The longest run of last segments of which none is much larger than the rest of them.

    So each chunk is rewritten about as often as the logarithm of the index grows, and a large
    segment stays while papers come one by one.
    """
    sizes = [len(segment.chunks) for segment in segments]
    for first in range(len(segments)):
        if max(sizes[first:]) * 2 <= sum(sizes[first:]) or len(segments) - first == 1:
            return list(segments[first:])
    return []


def _mostly_dead(segment: Segment) -> bool:
    return len(segment.dead) > LARGEST_DEAD_SHARE * len(segment.documents)
