"""Quotes with what is true of them: the data of `manage.py evaluate locate`."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from documents.pages.page_text import Rect


@dataclass(frozen=True, slots=True)
class Case:
    """A quote with what is true of it: `expect`, the page and a box per letter (page fractions)."""

    file: str
    quote: str
    page_given: int | None
    kind: str = ""
    expect: str = "matched"
    page: int | None = None
    boxes: tuple[Rect, ...] = ()


def read_cases(path: Path) -> Iterator[Case]:
    """The cases of a JSON-lines file; keys beyond those of `Case` are ignored."""
    with path.open(encoding="utf-8") as lines:
        for line in filter(str.strip, lines):
            value = json.loads(line)
            boxes = tuple((b[0], b[1], b[2], b[3]) for b in value.get("boxes") or ())
            yield Case(
                value["file"],
                value["quote"],
                value.get("page_given"),
                value.get("kind", ""),
                value.get("expect", "matched"),
                value.get("page"),
                boxes,
            )
