"""The type size of most of a document's text, by which headings and notes are told. Pure."""

from collections.abc import Iterable

import numpy as np

from documents.pages.raw_text import SPACE, RawText

STEP = 0.5
"""Points within which sizes count as one."""
MOST_OF_A_PAGE = 4000
"""Letters of one page that count: a page of small print must not speak for the others."""
SMALLEST = 0.5


def usual_size(pages: Iterable[RawText]) -> float:
    """The most frequent size in points over all letters; 0 where there are none."""
    weights: dict[float, float] = {}
    for page in pages:
        sizes = np.rint(page.size[page.codes != SPACE] / STEP) * STEP
        found, counts = np.unique(sizes, return_counts=True)
        share = min(1.0, MOST_OF_A_PAGE / max(len(sizes), 1))
        for size, count in zip(found.tolist(), counts.tolist(), strict=True):
            weights[size] = weights.get(size, 0.0) + count * share
    if not weights:
        return 0.0
    return max(SMALLEST, max(sorted(weights), key=lambda size: weights[size]))
