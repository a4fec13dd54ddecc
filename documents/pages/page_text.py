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


class Reason(StrEnum):
    """Why a page is in its state, where the state alone does not say it.

    A `failed` page has a failure of `documents.isolated.isolation` as its reason. A page that OCR
    was tried on in vain keeps its state, and its reason begins with `ocr_`.
    """

    BLANK = "blank"
    """`no_text`: there is nothing on the page."""
    PICTURE = "picture"
    """`no_text`: a scan, a picture or a drawing."""
    ANGLE = "angle"
    """`unsupported_rotation`: the lines run neither level nor upright."""
    NOTHING_FOUND = "ocr_nothing_found"
    """OCR saw no text."""


IN_VAIN = "ocr_"
"""So begin the reasons of pages on which OCR was tried in vain."""


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
class Cell:
    """One cell of a table: its `text` with wrapped lines joined, and where that stands.

    `spans` are ranges of page text in the order of reading. `column` is its first grid column,
    from 0; it covers `columns` of them and `rows` rows. `header_path` are the column headers above
    it, outermost first; `row_path` the panel, the rows that it is indented under, the row itself.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    rect: Rect
    header_path: tuple[str, ...] = ()
    row_path: tuple[str, ...] = ()
    column: int = 0
    columns: int = 1
    rows: int = 1
    is_header: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table on one page. `[start, end)` is the page text from its first to its last cell.

    Every row lists the cells that begin in it; what stands empty has no cell. Only where `reliable`
    may anybody rely on rows and columns: else the region of the page is shown instead. `caption`
    and `notes` are ranges of page text. `method` names the way in which it was read.
    """

    start: int
    end: int
    rect: Rect
    rows: tuple[tuple[Cell, ...], ...]
    reliable: bool
    caption: tuple[int, int] | None = None
    notes: tuple[tuple[int, int], ...] = ()
    method: str = ""
    continues: bool = False
    """It goes on with the last table of the page before, whose headers are then its own."""


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
    tables: tuple[Table, ...] = ()


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
