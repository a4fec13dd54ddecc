"""What the layout process can do with a page. Runs in that child only: the layout model is here."""

import json
from collections.abc import Callable
from typing import Any

import pymupdf.layout
import pymupdf4llm  # type: ignore[import-untyped]

from documents.isolated.pdf_drawings import drawn_rules
from documents.isolated.pdf_operations import open_document

Answer = tuple[dict[str, Any], bytes]

_pymupdf4llm: Any = pymupdf4llm  # it carries no usable types
_pymupdf_layout: Any = pymupdf.layout
_pymupdf_layout.activate()


def layout_tables(path: str, number: int) -> Answer:
    """The tables of page `number` as the model sees them, and the lines that are drawn there.

    Each of `tables` has its `box` and the edges of its columns and rows, `xs` and `ys`, all in
    points of the displayed page. The model's own text is left behind.
    """
    document = open_document(path)
    seen = json.loads(_pymupdf4llm.to_json(document, pages=[number - 1], use_ocr=False))
    found = [box["table"] for page in seen["pages"] for box in page["boxes"] if box["table"]]
    rules = drawn_rules(document[number - 1])
    values = {
        "tables": [
            {
                "box": list(table["bbox"]),
                "xs": _edges(table["cells"], 0),
                "ys": _edges(table["cells"], 1),
            }
            for table in found
        ],
        "level": [[rule.at, rule.start, rule.end] for rule in rules.level],
        "upright": [[rule.at, rule.start, rule.end] for rule in rules.upright],
    }
    return values, b""


def _edges(cells: list[list[list[float] | None]], axis: int) -> list[float]:
    """Where columns (axis 0) or rows (axis 1) begin, and where the last one ends."""
    boxes = [cell for row in cells for cell in row if cell]
    edges = sorted({round(box[side], 1) for box in boxes for side in (axis, axis + 2)})
    return [edge for place, edge in enumerate(edges) if not place or edge - edges[place - 1] > 1]


OPERATIONS: dict[str, Callable[..., Answer]] = {"layout_tables": layout_tables}
