"""How a keyword index changes: papers added, removed, and segments kept few, each step bounded."""

import operator
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from retrieval.bm25 import Index
from retrieval.segments import IndexedDocument, Segment, built_segment, merged_segment

SEGMENTS_PER_TIER = 8
LARGEST_DEAD_SHARE = 0.3
MOST_CHUNKS = 50_000
"""Of one segment, up to a document: what a merge takes in time and memory has a bound."""

FEW_TERMS = 10_000


def with_added(index: Index, documents: Iterable[IndexedDocument]) -> Index:
    """The index with `documents`, none of which is in it yet, as segments of their own."""
    source = iter(documents)
    for first in source:
        segment, vocabulary = built_segment(_batch(first, source), index.vocabulary)
        index = Index((*index.segments, segment), vocabulary)
    return index


def _batch(first: IndexedDocument, source: Iterator[IndexedDocument]) -> Iterator[IndexedDocument]:
    """`first` and of the rest what one segment takes, never more in memory than one document."""
    yield first
    size = len(first.chunks)
    while size < MOST_CHUNKS and (document := next(source, None)):
        yield document
        size += len(document.chunks)


def with_removed(index: Index, documents: Collection[int]) -> Index:
    """The index without `documents`; ids that it does not hold are ignored."""
    gone = index.documents & frozenset(documents)
    if not gone:
        return index
    segments = [_without(segment, gone) for segment in index.segments]
    left = (segment for segment in segments if len(segment.dead) < len(segment.documents))
    return replace(index, segments=tuple(left))


def _without(segment: Segment, gone: frozenset[int]) -> Segment:
    here = set(segment.documents[np.isin(segment.documents, list(gone))].tolist())
    return replace(segment, dead=segment.dead | here) if here - segment.dead else segment


def tidied(index: Index) -> Index:
    """The index with many small segments made one, and dead documents dropped where many.

    Order of documents and all scores stay the same. Costs time by what is rewritten only.
    """
    segments = [
        merged_segment([segment]) if _mostly_dead(segment) else segment
        for segment in index.segments
    ]
    while len(last := _small_at_the_end(segments)) >= SEGMENTS_PER_TIER:
        segments[-len(last) :] = [merged_segment(last)]
    same = all(map(operator.is_, segments, index.segments))
    return index if same else replace(index, segments=tuple(segments))


def wastes_terms(index: Index) -> bool:
    """Whether most terms that the vocabulary knows stand in no chunk any more."""
    known = len(index.vocabulary)
    return known > FEW_TERMS and 2 * int(np.count_nonzero(index.holders)) < known


def _small_at_the_end(segments: Sequence[Segment]) -> list[Segment]:
    """The longest run of last segments of which none is much larger than the rest of them.

    So each chunk is rewritten about as often as the logarithm of the index grows, and a large
    segment stays while papers come one by one.
    """
    sizes = [len(segment.chunks) for segment in segments]
    for first in range(len(segments)):
        whole = sum(sizes[first:])
        if whole <= MOST_CHUNKS and max(sizes[first:]) * 2 <= whole:
            return list(segments[first:])
    return []


def _mostly_dead(segment: Segment) -> bool:
    return len(segment.dead) > LARGEST_DEAD_SHARE * len(segment.documents)
