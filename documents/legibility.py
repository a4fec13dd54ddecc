"""Is what a page says its text also what a person sees on it? Judged page by page. Pure."""

import numpy as np

from documents.letters import SPACE, UNKNOWN, quarter_turns
from documents.page_text import PageState
from documents.raw_text import RawText

MOST_UNKNOWN = 0.25
"""Share of letters without a meaning from which on a page counts as garbled."""

_CJK_RANGES = (
    (0x2E80, 0x9FFF),
    (0xAC00, 0xD7AF),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE4F),
    (0xFF00, 0xFFEF),
    (0x20000, 0x3FFFF),
)


def is_cjk(code: int) -> bool:
    """Chinese, Japanese or Korean, their punctuation included: written without word gaps."""
    return any(low <= code <= high for low, high in _CJK_RANGES)


def page_state(text: str, raw: RawText) -> PageState:
    """`ok`, `no_text`, `garbled` or `unsupported_rotation`."""
    codes = raw.codes[raw.codes != SPACE]
    if not len(codes) or not text.strip():
        return PageState.NO_TEXT
    odd = quarter_turns(raw)[raw.line[raw.codes != SPACE]] < 0
    if odd.mean() > 0.5:
        return PageState.UNSUPPORTED_ROTATION
    if _share_without_meaning(codes) > MOST_UNKNOWN or looks_like_mojibake(text):
        return PageState.GARBLED
    return PageState.OK


def _share_without_meaning(codes: np.ndarray) -> float:  # type: ignore[type-arg]
    private = ((codes >= 0xE000) & (codes < 0xF900)) | (codes >= 0xF0000)
    return float(((codes == UNKNOWN) | private).mean())


def looks_like_mojibake(text: str) -> bool:
    return False
