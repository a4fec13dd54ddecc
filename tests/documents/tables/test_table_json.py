"""Tables survive the way into the database and back."""

import json

import pytest

from documents.pages.page_text import Cell, Table
from documents.tables.table_json import tables_as_json, tables_from_json
from documents.tables.table_text import joined_text

TEXT = "Table 1 Yields\nYear Yield\n1999 0.5\nNote: dry."


def cell(word: str, rect: tuple[float, float, float, float], **more: object) -> Cell:
    start = TEXT.index(word)
    return Cell(word, ((start, start + len(word)),), rect, **more)  # type: ignore[arg-type]


def test_a_table_comes_back_as_it_was_stored() -> None:
    table = Table(
        start=15,
        end=34,
        rect=(0.1, 0.2, 0.5, 0.6),
        rows=(
            (
                cell("Year", (0.1, 0.2, 0.2, 0.3), is_header=True),
                cell("Yield", (0.2, 0.2, 0.3, 0.3), column=1, columns=2, is_header=True),
            ),
            (
                cell("1999", (0.1, 0.3, 0.2, 0.4), header_path=("Year",), rows=2),
                cell("0.5", (0.2, 0.3, 0.3, 0.4), header_path=("Yield",), row_path=("1999",)),
            ),
        ),
        reliable=True,
        caption=(0, 14),
        notes=((35, 45),),
        method="lines",
        continues=True,
    )
    stored = json.loads(json.dumps(tables_as_json((table,))))
    assert tables_from_json(TEXT, stored) == (table,)


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("wrapped\ncell", "wrapped cell"),
        ("frag-\nmented", "fragmented"),
        ("COVID-\n19", "COVID- 19"),
        ("soft\u00ad\nware", "software"),
        ("中国\n人口", "中国人口"),
        ("a  b", "a b"),
        ("-0.3", "-0.3"),
        ("", ""),
    ],
)
def test_wrapped_lines_of_a_cell_are_joined_as_one_reads_them(text: str, joined: str) -> None:
    assert joined_text(text, [(0, len(text))]) == joined
