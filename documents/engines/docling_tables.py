"""Docling as another engine for tables: optional, in a child process of its own, never online.

Needs the extra `docling` and a folder with its models (`docling-tools models download -o FOLDER`).
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from documents.isolated.isolation import Failure, Reader, ReadingError, Skill, borrowed_reader
from documents.pages.page_text import BlockKind, PageState, ParsedPage, Rect, Table
from documents.tables.drawn_tables import DrawnCell, DrawnTable, table_over

METHOD = "docling"
LOADING_SECONDS = 300.0
SIZE_TOLERANCE = 0.01
"""How far Docling's page size may be from ours, as a share of ours, for its boxes to be right."""

log = logging.getLogger(__name__)


class TableEngineUnavailableError(ReadingError):
    """The chosen table engine can't run here. The message says what to do."""

    def __init__(self, sentence: str) -> None:
        super().__init__(Failure.REFUSED, sentence)

    def __str__(self) -> str:
        return self.detail


def with_table_engine(path: Path | str, pages: Iterable[ParsedPage]) -> Iterable[ParsedPage]:
    """The pages in order, with what the engine of `LITO_TABLE_ENGINE` adds to our own tables."""
    if settings.LITO_TABLE_ENGINE == "docling":
        return with_docling_tables(path, pages, artifacts=settings.LITO_DOCLING_PATH)
    return pages


def with_docling_tables(
    path: Path | str, pages: Iterable[ParsedPage], *, artifacts: Path | str
) -> Iterator[ParsedPage]:
    """The pages in order, those with tables also as Docling sees them.

    What we read ourselves and rely on stays; a table of Docling's takes the place of what we do not
    rely on. A page on which Docling fails stays as it was. Raises `TableEngineUnavailableError`
    before the first page if Docling or its models are missing.
    """
    artifacts = Path(artifacts)
    check_installed(artifacts)
    with borrowed_reader(memory_mb=settings.LITO_DOCLING_MEMORY_MB, skill=Skill.DOCLING) as reader:
        _load(reader, artifacts)
        for page in pages:
            yield _read(reader, Path(path).resolve(), page, artifacts) if _may_gain(page) else page


def check_installed(artifacts: Path) -> None:
    """Raise `TableEngineUnavailableError` if the package or the folder of models is not there."""
    if find_spec("docling") is None:
        raise TableEngineUnavailableError(
            _("Docling is not installed. In Lito's folder: .venv/bin/pip install '.[docling]'")
        )
    if not artifacts.is_dir() or not any(artifacts.iterdir()):
        raise TableEngineUnavailableError(_without_models(artifacts))


def _without_models(artifacts: Path) -> str:
    return _(
        "Docling's models are not in {folder}. Fill it with: docling-tools models download -o"
        " {folder}, and name it in LITO_DOCLING_PATH."
    ).format(folder=artifacts)


def _load(reader: Reader, artifacts: Path) -> None:
    try:
        reader.ask("load_docling", seconds=LOADING_SECONDS, artifacts=str(artifacts))
    except ReadingError as error:
        if error.failure is Failure.REFUSED:
            raise TableEngineUnavailableError(_without_models(artifacts)) from error
        raise TableEngineUnavailableError(
            _("Docling could not be started ({reason}).").format(reason=error.failure)
        ) from error


def _may_gain(page: ParsedPage) -> bool:
    """Whether the page has something like a table that we do not rely on ourselves."""
    if page.state is not PageState.OK or page.rotation:
        return False
    if page.tables:
        return not all(table.reliable for table in page.tables)
    return any(block.kind is BlockKind.TABLE for block in page.blocks)


def _read(reader: Reader, path: Path, page: ParsedPage, artifacts: Path) -> ParsedPage:
    try:
        reply = reader.ask(
            "docling_tables",
            seconds=settings.LITO_DOCLING_PAGE_SECONDS,
            path=str(path),
            number=page.number,
            artifacts=str(artifacts),
        )
    except ReadingError as error:
        log.warning("Docling failed on page %d: %s", page.number, error.failure)
        return page
    drawn = drawn_tables(reply.values, page)
    read = [table for one in drawn if (table := table_over(page, one, method=METHOD))]
    return replace(page, tables=merged(page.tables, read))


def drawn_tables(document: dict[str, Any], page: ParsedPage) -> list[DrawnTable]:
    """The tables of a DoclingDocument (as JSON values) that stand on this page.

    None if Docling takes the page for another size than it is: then no box can be trusted.
    """
    described = document["pages"].get(str(page.number))
    if described is None or not _is_size_of(described["size"], page):
        return []
    height = float(described["size"]["height"])
    found = []
    for table in document["tables"]:
        places = [place for place in table["prov"] if place["page_no"] == page.number]
        if len(places) == 1 == len(table["prov"]):
            cells = tuple(_drawn_cell(cell, height) for cell in table["data"]["table_cells"])
            found.append(DrawnTable(_box(places[0]["bbox"], height), cells))
    return found


def _is_size_of(size: dict[str, float], page: ParsedPage) -> bool:
    return all(
        abs(size[name] - side) <= SIZE_TOLERANCE * side
        for name, side in (("width", page.width), ("height", page.height))
    )


def _drawn_cell(cell: dict[str, Any], height: float) -> DrawnCell:
    return DrawnCell(
        row=cell["start_row_offset_idx"],
        column=cell["start_col_offset_idx"],
        rows=cell["end_row_offset_idx"] - cell["start_row_offset_idx"],
        columns=cell["end_col_offset_idx"] - cell["start_col_offset_idx"],
        words=cell["text"],
        box=_box(cell["bbox"], height) if cell["bbox"] else None,
        is_column_header=cell["column_header"],
        is_row_header=cell["row_header"],
        is_section=cell["row_section"],
    )


def _box(box: dict[str, Any], height: float) -> Rect:
    """A box in points from the top left. Docling also counts from the bottom left."""
    left, top, right, bottom = box["l"], box["t"], box["r"], box["b"]
    if box["coord_origin"] == "BOTTOMLEFT":
        top, bottom = height - top, height - bottom
    return left, min(top, bottom), right, max(top, bottom)


def merged(ours: Sequence[Table], theirs: Iterable[Table]) -> tuple[Table, ...]:
    """Our tables and the other engine's, none over another, in the order of their text.

    Ours stay where they are reliable; theirs replace ours where theirs alone are; an unreliable one
    of theirs only fills an empty place.
    """
    kept = list(ours)
    for table in theirs:
        rivals = [one for one in kept if _touch(one.rect, table.rect)]
        if not rivals or (table.reliable and not any(one.reliable for one in rivals)):
            kept = [one for one in kept if one not in rivals] + [table]
    return tuple(sorted(kept, key=lambda one: (one.start, one.end)))


def _touch(one: Rect, other: Rect) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
