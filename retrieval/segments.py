"""What a keyword index is made of: immutable segments of postings.

A segment holds whole documents. Removing a document only marks it dead; each document keeps the
list of its terms, so that the counts of the whole index can leave it out.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from retrieval.vocabulary import Ints, Vocabulary

IndexedChunk = tuple[int, Sequence[str]]
"""A chunk's id and its keyword tokens."""


class IndexedDocument(NamedTuple):
    """A document's id, its chunks in order, and which edition of its tokens they hold."""

    id: int
    chunks: Sequence[IndexedChunk]
    edition: int = 0


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings of some documents. A row is a chunk's position in the segment.

    `rows[starts[i]:starts[i + 1]]` are the rows that hold `terms[i]`, ascending. A shape is how
    often a term stands in a chunk together with the chunk's length, all that a score depends on;
    `shapes` gives that of each posting as a place in `shape_counts` and `shape_lengths`. Document
    `d` owns the rows `first_row[d]:first_row[d + 1]`, and of its terms
    `own_terms[own_starts[d]:own_starts[d + 1]]` each stands in `own_counts` of its chunks.
    """

    terms: Ints
    starts: Ints
    rows: Ints
    shapes: Ints
    shape_counts: Ints
    shape_lengths: Ints
    chunks: Ints
    lengths: Ints
    documents: Ints
    editions: Ints
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

    def runs(self, terms: NDArray[np.int32]) -> list[tuple[int, int]]:
        """For each of `terms` where its postings begin and end; equal where it has none."""
        if not len(self.terms):
            return [(0, 0)] * len(terms)
        at = self.terms.searchsorted(terms)
        at[at == len(self.terms)] = 0
        starts = self.starts[at]
        ends = np.where(self.terms[at] == terms, self.starts[at + 1], starts)
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def count_holders(self, holders: NDArray[np.int32]) -> None:
        """Add to `holders`, by term number, the live chunks here that hold each term."""
        holders[self.terms] += np.diff(self.starts).astype(np.int32)
        if self.dead:
            for place in np.flatnonzero(~self.live_documents()):
                run = slice(int(self.own_starts[place]), int(self.own_starts[place + 1]))
                holders[self.own_terms[run]] -= self.own_counts[run].astype(np.int32)


def built_segment(
    documents: Iterable[IndexedDocument], vocabulary: Vocabulary
) -> tuple[Segment, Vocabulary]:
    """A segment of `documents`, and the vocabulary with their terms."""
    local: dict[str, int] = {}
    flat, lengths, chunks = array("i"), array("i"), array("q")
    ids, editions, first_row = array("q"), array("q"), array("q", [0])
    for document in documents:
        for chunk, terms in document.chunks:
            flat.extend([local.setdefault(term, len(local)) for term in terms])
            lengths.append(len(terms))
            chunks.append(chunk)
        ids.append(document.id)
        editions.append(document.edition)
        first_row.append(len(chunks))
    vocabulary, numbers = vocabulary.with_terms(list(local))
    sizes = np.asarray(lengths)
    width = max(1, len(sizes))
    row_of_token = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
    order = np.argsort(numbers)
    place = np.empty(len(local), np.int64)
    place[order] = np.arange(len(local))
    pairs, counts = np.unique(place[np.asarray(flat)] * width + row_of_token, return_counts=True)
    places, rows = np.divmod(pairs, width)
    segment = _assembled(
        terms=numbers[order][places],
        rows=rows,
        counts=counts,
        chunks=np.asarray(chunks),
        lengths=sizes,
        ids=np.asarray(ids),
        editions=np.asarray(editions),
        first_row=np.asarray(first_row),
    )
    return segment, vocabulary


def merged_segment(segments: Sequence[Segment]) -> Segment:
    """One segment of the live documents of several, in order."""
    columns = zip(*_live_parts(segments), strict=True)
    terms, rows, counts, chunks, lengths, ids, editions, rows_per = map(np.concatenate, columns)
    order = np.argsort(terms, kind="stable")  # the rows of a term are ascending already
    return _assembled(
        terms=terms[order],
        rows=rows[order],
        counts=counts[order],
        chunks=chunks,
        lengths=lengths,
        ids=ids,
        editions=editions,
        first_row=np.concatenate([[0], np.cumsum(rows_per)]),
    )


def _live_parts(segments: Sequence[Segment]) -> Iterator[tuple[Ints, ...]]:
    offset = 0
    for segment in segments:
        alive, documents = segment.live_rows(), segment.live_documents()
        new_row = np.cumsum(alive) - 1 + offset
        offset += int(alive.sum())
        kept = alive[segment.rows]
        yield (
            np.repeat(segment.terms, np.diff(segment.starts))[kept],
            new_row[segment.rows[kept]],
            segment.shape_counts[segment.shapes[kept]],
            segment.chunks[alive],
            segment.lengths[alive],
            segment.documents[documents],
            segment.editions[documents],
            np.diff(segment.first_row)[documents],
        )


def _assembled(
    *,
    terms: Ints,
    rows: Ints,
    counts: Ints,
    chunks: Ints,
    lengths: Ints,
    ids: Ints,
    editions: Ints,
    first_row: Ints,
) -> Segment:
    """A segment of the postings `(terms[i], rows[i], counts[i])`, by term and then by row."""
    begins = np.flatnonzero(np.diff(terms, prepend=-1))
    most = int(lengths.max(initial=0)) + 1
    pairs, shapes = np.unique(counts * np.int64(most) + lengths[rows], return_inverse=True)
    shape_counts, shape_lengths = np.divmod(pairs, most)
    document = np.searchsorted(first_row, rows, side="right") - 1
    width = int(terms.max(initial=0)) + 1
    owned, own_counts = np.unique(document * np.int64(width) + terms, return_counts=True)
    own_document, own_terms = np.divmod(owned, width)
    return Segment(
        terms=terms[begins].astype(np.int32),
        starts=np.append(begins, len(terms)).astype(np.int64),
        rows=rows.astype(np.int32),
        shapes=_narrowed(shapes),
        shape_counts=shape_counts.astype(np.int32),
        shape_lengths=shape_lengths.astype(np.int32),
        chunks=chunks.astype(np.int64),
        lengths=lengths.astype(np.int32),
        documents=ids.astype(np.int64),
        editions=editions.astype(np.int64),
        first_row=first_row.astype(np.int64),
        own_terms=own_terms.astype(np.int32),
        own_starts=np.searchsorted(own_document, np.arange(len(ids) + 1)).astype(np.int64),
        own_counts=_narrowed(own_counts),
    )


def _narrowed(values: Ints) -> Ints:
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))
