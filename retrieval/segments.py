"""What a keyword index is made of: immutable segments of postings over one growing vocabulary.

A segment holds whole documents. Removing a document only marks it dead and takes its terms out of
the vocabulary's counts, for which each document keeps the list of its terms.
"""

import hashlib
import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

IndexedChunk = tuple[int, Sequence[str]]
"""A chunk's id and its keyword tokens."""
IndexedDocument = tuple[int, Sequence[IndexedChunk]]

Ints = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings of some documents. A row is a chunk's position in the segment.

    `rows[starts[i]:starts[i + 1]]` are the rows that hold `terms[i]`, ascending, and `counts` says
    how often. Document `d` owns the rows `first_row[d]:first_row[d + 1]`, and of its terms
    `own_terms[own_starts[d]:own_starts[d + 1]]` each stands in `own_counts` of its chunks.
    """

    terms: Ints
    starts: Ints
    rows: Ints
    counts: Ints
    chunks: Ints
    lengths: Ints
    documents: Ints
    first_row: Ints
    own_terms: Ints
    own_starts: Ints
    own_counts: Ints
    dead: frozenset[int] = field(default=frozenset())
    """Ids of removed documents."""

    def live_documents(self) -> NDArray[np.bool_]:
        return ~np.isin(self.documents, list(self.dead))

    def live_rows(self) -> NDArray[np.bool_]:
        return np.repeat(self.live_documents(), np.diff(self.first_row))

    def postings(self, term: int) -> tuple[Ints, Ints]:
        """Rows that hold `term`, and how often."""
        at = int(np.searchsorted(self.terms, term))
        if at == len(self.terms) or self.terms[at] != term:
            return self.rows[:0], self.counts[:0]
        run = slice(int(self.starts[at]), int(self.starts[at + 1]))
        return self.rows[run], self.counts[run]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Every term ever met: numbered by first appearance, found by a 64-bit hash of its text.

    `holders[number]` counts the live chunks that hold the term. Two of a million terms share a hash
    with a probability of 3e-8; they would be one term.
    """

    hashes: NDArray[np.uint64]
    numbers: NDArray[np.int32]
    holders: NDArray[np.int32]

    @classmethod
    def empty(cls) -> "Vocabulary":
        return cls(np.zeros(0, np.uint64), np.zeros(0, np.int32), np.zeros(0, np.int32))

    def find(self, terms: Sequence[str]) -> Ints:
        """Numbers of `terms`, -1 where a term is unknown."""
        return self._find(_hashes(terms))

    def _find(self, hashes: NDArray[np.uint64]) -> Ints:
        if not len(self.hashes):
            return np.full(len(hashes), -1, np.int32)
        at = np.searchsorted(self.hashes, hashes)
        at[at == len(self.hashes)] = 0
        return np.where(self.hashes[at] == hashes, self.numbers[at], -1)

    def with_terms(self, terms: Sequence[str]) -> tuple["Vocabulary", Ints]:
        """A vocabulary that knows distinct `terms` as well, and their numbers."""
        hashes = _hashes(terms)
        found = self._find(hashes)
        new = np.flatnonzero(found < 0)
        if not len(new):
            return self, found
        found[new] = np.arange(len(self.numbers), len(self.numbers) + len(new))
        order = new[np.argsort(hashes[new])]
        places = np.searchsorted(self.hashes, hashes[order])
        grown = Vocabulary(
            np.insert(self.hashes, places, hashes[order]),
            np.insert(self.numbers, places, found[order]),
            np.concatenate([self.holders, np.zeros(len(new), np.int32)]),
        )
        return grown, found

    def counted(self, segment: Segment, sign: int, documents: Iterable[int]) -> "Vocabulary":
        """Count the terms of some documents of `segment`, by their places, in or out."""
        holders = np.array(self.holders)
        for place in documents:
            run = slice(int(segment.own_starts[place]), int(segment.own_starts[place + 1]))
            holders[segment.own_terms[run]] += sign * segment.own_counts[run].astype(np.int32)
        return Vocabulary(self.hashes, self.numbers, holders)


def _hashes(terms: Sequence[str]) -> NDArray[np.uint64]:
    digests = (hashlib.blake2b(term.encode(), digest_size=8).digest() for term in terms)
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def built_segment(
    documents: Iterable[IndexedDocument], vocabulary: Vocabulary
) -> tuple[Segment, Vocabulary]:
    """A segment of `documents`, and the vocabulary with their terms counted in."""
    local: dict[str, int] = {}
    flat, lengths, chunks = array("i"), array("i"), array("q")
    ids, first_row = array("q"), array("q", [0])
    for document, its_chunks in documents:
        for chunk, terms in its_chunks:
            flat.extend([local.setdefault(term, len(local)) for term in terms])
            lengths.append(len(terms))
            chunks.append(chunk)
        ids.append(document)
        first_row.append(len(chunks))
    vocabulary, numbers = vocabulary.with_terms(list(local))
    sizes = np.asarray(lengths)
    row_of_token = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
    pairs, counts = np.unique(row_of_token * len(local) + np.asarray(flat), return_counts=True)
    rows, terms_of_pairs = np.divmod(pairs, max(1, len(local)))
    segment = _assembled(
        terms=numbers[terms_of_pairs],
        rows=rows,
        counts=counts,
        chunks=np.asarray(chunks),
        lengths=sizes,
        ids=np.asarray(ids),
        first_row=np.asarray(first_row),
    )
    return segment, vocabulary.counted(segment, 1, range(len(ids)))


def merged_segment(segments: Sequence[Segment]) -> Segment:
    """One segment of the live documents of several, in order."""
    parts, offset = [], 0
    for segment in segments:
        alive = segment.live_rows()
        new_row = np.cumsum(alive) - 1 + offset
        offset += int(alive.sum())
        kept = alive[segment.rows]
        terms = np.repeat(segment.terms, np.diff(segment.starts))
        documents = segment.live_documents()
        parts.append(
            (
                terms[kept], new_row[segment.rows[kept]], segment.counts[kept],
                segment.chunks[alive], segment.lengths[alive],
                segment.documents[documents], np.diff(segment.first_row)[documents],
            )
        )  # fmt: skip
    terms, rows, counts, chunks, lengths, ids, rows_per = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    first_row = np.concatenate([[0], np.cumsum(rows_per)])
    return _assembled(
        terms=terms,
        rows=rows,
        counts=counts,
        chunks=chunks,
        lengths=lengths,
        ids=ids,
        first_row=first_row,
    )


def _assembled(
    *,
    terms: Ints,
    rows: Ints,
    counts: Ints,
    chunks: Ints,
    lengths: Ints,
    ids: Ints,
    first_row: Ints,
) -> Segment:
    """A segment of the postings `(terms[i], rows[i], counts[i])`, given in any order."""
    order = np.lexsort((rows, terms))
    terms, rows, counts = terms[order], rows[order], counts[order]
    distinct, starts = np.unique(terms, return_index=True)
    document = np.searchsorted(first_row, rows, side="right") - 1
    width = int(terms.max(initial=0)) + 1
    owned, own_counts = np.unique(document * np.int64(width) + terms, return_counts=True)
    own_document, own_terms = np.divmod(owned, width)
    return Segment(
        terms=distinct.astype(np.int32),
        starts=np.append(starts, len(terms)).astype(np.int64),
        rows=rows.astype(np.int32),
        counts=_narrowed(counts),
        chunks=chunks.astype(np.int64),
        lengths=lengths.astype(np.int32),
        documents=ids.astype(np.int64),
        first_row=first_row.astype(np.int64),
        own_terms=own_terms.astype(np.int32),
        own_starts=np.searchsorted(own_document, np.arange(len(ids) + 1)).astype(np.int64),
        own_counts=_narrowed(own_counts),
    )


def _narrowed(counts: Ints) -> Ints:
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))))


def average_idf(vocabulary: Vocabulary, chunks: int) -> float:
    """Mean idf over the terms in use, summed in order of first appearance as rank-bm25 does."""
    holders = vocabulary.holders[vocabulary.holders > 0]
    if not len(holders):
        return 0.0
    table = np.zeros(int(holders.max()) + 1)
    for value in np.flatnonzero(np.bincount(holders)):
        table[value] = idf(chunks, int(value))
    return float(np.cumsum(table[holders])[-1]) / len(holders)


def idf(chunks: int, holders: int) -> float:
    """Robertson's idf as in rank-bm25, before its floor; `holders` of `chunks` hold the term."""
    return math.log(chunks - holders + 0.5) - math.log(holders + 0.5)
