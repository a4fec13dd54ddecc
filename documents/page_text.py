"""The values that reading a page yields. Pure data: no Django, no PDF library.

Offsets everywhere are code points into `ParsedPage.text`, the canonical text of the page in reading
order. Boxes and rectangles are fractions of the *displayed* page (CropBox and /Rotate applied),
origin at the top left, as `(x0, y0, x1, y1)`.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rect = tuple[float, float, float, float]
Boxes = NDArray[np.float32]
"""Shape (characters, 4). A character without ink (line end, added space) has zero width."""


class PageState(StrEnum):
    PENDING = "pending"
    OK = "ok"
    NO_TEXT = "no_text"
    OCR = "ocr"
    UNSUPPORTED_ROTATION = "unsupported_rotation"
    GARBLED = "garbled"
    FAILED = "failed"


class BlockKind(StrEnum):
    """What a block of page text is. In JSON the key is `class`."""

    TITLE = "title"
    AUTHORS = "authors"
    ABSTRACT = "abstract"
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    CAPTION = "caption"
    TABLE = "table"
    FORMULA = "formula"
    FOOTNOTE = "footnote"
    MARGIN = "header_footer"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Block:
    """A run of page text `[start, end)` with one role. Headings have levels from 1, all else 0."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """One physical page. `width` and `height` are points of the displayed page."""

    number: int
    label: str
    state: PageState
    text: str
    boxes: Boxes
    width: float
    height: float
    rotation: int = 0
    reason: str = ""
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """A run of one page's text: physical page number from 1, code points `[start, end)`."""

    page: int
    start: int
    end: int

    def as_json(self) -> list[int]:
        return [self.page, self.start, self.end]


@dataclass(frozen=True, slots=True)
class ChunkSpans:
    """A retrieval unit: ordered spans, the headings above it, its kind and its size in tokens."""

    spans: tuple[Span, ...]
    section: tuple[str, ...]
    kind: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Field:
    """A metadata value and where it came from (`first_page`, `pdf_info`, `file_name`, `user`)."""

    value: Any
    source: str


@dataclass(frozen=True, slots=True)
class ParsedFileText:
    """All that one parser version read out of one file."""

    sha256: str
    parser: str
    pages: tuple[ParsedPage, ...]
    metadata: dict[str, Field] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
