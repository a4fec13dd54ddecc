"""The outline of a file: its headings, as they were read, with their pages."""

from collections.abc import Iterator
from dataclasses import dataclass

from documents.models import Page, Version
from documents.pages.page_text import BlockKind

LONGEST = 160
MOST_ENTRIES = 500
DEEPEST = 4


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A heading; `level` counts from 1, `page` is physical, `label` is printed on it."""

    text: str
    level: int
    page: int
    label: str


def outline(version: Version) -> list[OutlineEntry]:
    """The headings of a version in order; none of a file that has not been read."""
    if version.parsed_id is None:
        return []
    rows = Page.objects.filter(parsed_id=version.parsed_id).order_by("number")
    entries: list[OutlineEntry] = []
    for number, label, text, blocks in rows.values_list("number", "label", "text", "blocks"):
        for heading, level in _headings(text, blocks):
            entries.append(OutlineEntry(heading, level, number, label))
            if len(entries) == MOST_ENTRIES:
                return entries
    return entries


def _headings(text: str, blocks: list[tuple[str, int, int, int]]) -> Iterator[tuple[str, int]]:
    for kind, start, end, level in blocks:
        words = " ".join(text[start:end].split())
        if kind == BlockKind.HEADING and words:
            cut = words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"
            yield cut, min(max(level, 1), DEEPEST)
