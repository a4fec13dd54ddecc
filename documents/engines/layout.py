"""Tables that the text tier was not sure of, looked at once more by a layout model.

The model lives in a child process of its own. It runs in the background or at somebody's command,
at most once for each page, and never changes the text of a page.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings

from documents.engines.layout_tables import SeenTable, wants_layout, with_layout
from documents.isolated.isolation import ReadingError, Skill, borrowed_reader
from documents.pages.page_text import ParsedPage
from documents.tables.drawn_rules import Rule, Rules


def pages_with_layout(path: Path | str, pages: Iterable[ParsedPage]) -> Iterator[ParsedPage]:
    """The pages in order, with surer tables where the model helps. Without it they stay as they
    are: too slow, too greedy or broken, the page has its text all the same.
    """
    path = Path(path).resolve()
    memory = settings.LITO_PARSE_MEMORY_MB
    with borrowed_reader(memory_mb=memory, skill=Skill.LAYOUT) as reader:
        for page in pages:
            if not wants_layout(page):
                yield page
                continue
            try:
                values = reader.ask(
                    "layout_tables",
                    seconds=settings.LITO_PAGE_SECONDS,
                    path=str(path),
                    number=page.number,
                ).values
            except ReadingError:
                yield page
            else:
                yield with_layout(page, _seen(values), _rules(values))


def _seen(values: dict[str, Any]) -> list[SeenTable]:
    return [
        SeenTable((box[0], box[1], box[2], box[3]), tuple(table["xs"]), tuple(table["ys"]))
        for table in values["tables"]
        for box in [table["box"]]
    ]


def _rules(values: dict[str, Any]) -> Rules:
    level, upright = (
        tuple(Rule(at, start, end) for at, start, end in values[name])
        for name in ("level", "upright")
    )
    return Rules(level, upright)
