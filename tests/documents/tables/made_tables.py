"""Random tables as papers print them, with what each of their cells truly is; from a seed."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pymupdf

from tests.documents.tables.made_table_words import CHINESE_WORDS, NAMES, WORDS, runs_of

WIDTH, HEIGHT = 595, 842
Path = tuple[str, ...]


@dataclass(frozen=True)
class Truth:
    """What one cell says and stands under. `kind`: header, label, value, group or outside."""

    kind: str
    text: str
    column: int = 0
    headers: Path = ()
    row: int = -1
    groups: Path = ()
    label: str = ""


@dataclass(frozen=True)
class Piece:
    """A line of a cell as drawn: its box in points."""

    cell: Truth
    box: tuple[float, float, float, float]


@dataclass
class MadeTable:
    """A page with one table: what was drawn where, and what each row says by its number."""

    pdf: bytes = b""
    pieces: list[Piece] = field(default_factory=list)
    row_texts: dict[int, set[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Row:
    label: str
    values: tuple[str, ...]
    groups: Path = ()
    indent: float = 0.0
    is_group: bool = False
    is_wide: bool = False


@dataclass(frozen=True)
class _Texts:
    """What is printed: rows, spanning headers, the header of the labels and those of the values."""

    rows: list[_Row]
    spans: list[tuple[int, int, str]]
    stub: str
    names: list[str]

    def path(self, column: int) -> Path:
        over = (name for first, last, name in self.spans if first <= column <= last)
        return (*over, self.names[column])


@dataclass(frozen=True)
class _Lines:
    """The same, each text cut into lines."""

    labels: list[list[str]]
    values: list[list[list[str]]]
    heads: list[list[str]]
    stub: list[str]


def made_table(seed: int) -> MadeTable:
    """The table of a seed: the same seed, the same page."""
    return _Maker(random.Random(seed)).made()


class _Maker:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.size = rng.choice((7.0, 8.0, 8.5, 9.0, 10.0))
        self.lead = self.size * rng.uniform(1.12, 1.35)
        self.row_gap = rng.choice((0.0, 0.0, 0.0, rng.uniform(0.5, 6.0)))
        self.is_chinese = rng.random() < 0.25
        self.font = rng.choice(("helv", "tiro"))
        self.align = rng.choice(("left", "right", "centre", "right", "centre"))
        self.header_align = rng.choice((self.align, self.align, "centre"))
        self.style = rng.choice(("three-line", "three-line", "three-line", "grid", "open", "lines"))
        self.count = rng.randint(1, 7)
        self.gaps = self._gaps()
        self.wraps_headers = rng.random() < 0.4
        self.label_width = rng.choice((400.0, rng.uniform(45, 120)))
        self.value_at = rng.choice(("top", "top", "middle", "bottom"))
        self.header_at = rng.choice(("bottom", "bottom", "top", "middle"))
        self.kinds = [rng.choice(_KINDS) for _ in range(self.count)]
        self.document: Any = pymupdf.open()  # type: ignore[no-untyped-call]
        self.page: Any = self.document.new_page(width=WIDTH, height=HEIGHT)
        self.table = MadeTable()

    def _gaps(self) -> list[float]:
        kind = self.rng.choice(("narrow", "narrow", "medium", "wide", "mixed"))
        ranges = {"narrow": (2, 4), "medium": (4, 9), "wide": (9, 30), "mixed": (2, 20)}
        return [self.rng.uniform(*ranges[kind]) for _ in range(self.count)]

    # What the table says.

    def _words(self, least: int, most: int) -> str:
        count = self.rng.randint(least, most)
        if self.is_chinese:
            return "".join(self.rng.choice(CHINESE_WORDS) for _ in range(count))
        words = [self.rng.choice(WORDS) for _ in range(count)]
        return " ".join(
            [words[0].capitalize() if self.rng.random() < 0.8 else words[0], *words[1:]]
        )

    def _header(self) -> str:
        rng = self.rng
        if self.is_chinese:
            return self._words(1, 3)
        form = rng.random()
        if form < 0.15:
            return f"({rng.randint(1, 9)})"
        if form < 0.25:
            return str(rng.randint(1980, 2024))
        if form < 0.6:
            return rng.choice(NAMES)
        return self._words(1, 3)

    def _value(self, kind: str) -> str:
        rng = self.rng
        number = f"{rng.uniform(-2, 2):.{rng.choice((2, 3))}f}"
        if rng.random() < 0.04:
            return rng.choice(("-", "n.s.", "NA"))
        if kind == "stars":
            return number + rng.choice(("", "*", "**", "***"))
        if kind == "counts":
            return rng.choice(
                (f"{rng.randint(1, 999)}", f"{rng.randint(1, 99)},{rng.randint(100, 999)}")
            )
        if kind == "shares":
            return f"{rng.randint(1, 500)} ({rng.uniform(0, 100):.1f}%)"
        if kind == "spread":
            return f"{rng.uniform(0, 90):.1f} / {rng.uniform(0, 9):.1f}"
        if kind == "interval":
            return f"{number} [{rng.uniform(-2, 0):.2f}, {rng.uniform(0, 2):.2f}]"
        if kind == "words":
            return self._words(1, 2)
        return number

    def _rows(self) -> list[_Row]:
        rng = self.rng
        rows: list[_Row] = []
        grouping = rng.choice(("none", "none", "none", "flat", "indented", "panels", "some"))
        centred = grouping == "panels" and rng.random() < 0.6
        groups = rng.randint(2, 3) if grouping != "none" else 1
        errors = rng.random() < 0.2 and grouping != "some"
        for number in range(groups):
            inside: Path = ()
            if grouping != "none" and not (grouping == "some" and number == 0):
                name = self._words(1, 2)
                if grouping == "panels":
                    name = f"Panel {'ABC'[number]}: {name}" if not self.is_chinese else name
                inside = (name,)
                rows.append(_Row(name, (), is_group=True, is_wide=centred))
            indent = self.size * rng.uniform(0.6, 1.5) if grouping == "indented" else 0.0
            for _ in range(rng.randint(2, 5)):
                label = self._words(1, rng.choice((2, 3, 6)))
                values = tuple(self._value(kind) for kind in self.kinds)
                if rng.random() < 0.1 and self.count > 1:
                    values = (*values[:-1], "")
                rows.append(_Row(label, values, inside, indent))
                if errors:
                    brackets = tuple(f"({rng.uniform(0, 2):.3f})" for _ in self.kinds)
                    rows.append(_Row("", brackets, (*inside, label), indent))
            if grouping == "some" and number and rng.random() < 0.5:
                values = tuple(self._value(kind) for kind in self.kinds)
                rows.append(_Row(self._words(1, 2), values))
        return rows

    def _spans(self) -> list[tuple[int, int, str]]:
        """Spanning headers over columns of values `(first, last, name)`."""
        if self.count < 2 or self.rng.random() < 0.55:
            return []
        spans: list[tuple[int, int, str]] = []
        at = self.rng.choice((0, 0, 1))
        while at + 1 < self.count:
            last = min(self.count - 1, at + self.rng.choice((1, 1, 2)))
            spans.append((at, last, self._words(1, 2)))
            at = last + self.rng.choice((1, 1, 2))
        return spans

    # Where it stands.

    def _length(self, text: str) -> float:
        return sum(
            len(run) * self.size
            if is_wide
            else pymupdf.get_text_length(run, fontname=self.font, fontsize=self.size)
            for run, is_wide in runs_of(text)
        )

    def _wrapped(self, text: str, width: float) -> list[str]:
        if not text:
            return []
        parts = list(text) if self.is_chinese and " " not in text else text.split(" ")
        glue = "" if self.is_chinese and " " not in text else " "
        lines = [parts[0]]
        for part in parts[1:]:
            if self._length(lines[-1] + glue + part) <= width:
                lines[-1] += glue + part
            else:
                lines.append(part)
        return lines

    def _put(self, cell: Truth, line: str, x: float, y: float) -> None:
        at = x
        for run, is_wide in runs_of(line):
            font = "china-s" if is_wide else self.font
            self.page.insert_text((at, y), run, fontsize=self.size, fontname=font)
            at += self._length(run)
        box = (x - 0.5, y - 0.95 * self.size, at + 0.5, y + 0.3 * self.size)
        self.table.pieces.append(Piece(cell, box))

    def _cell(
        self, cell: Truth, lines: Sequence[str], at: tuple[float, float], y: float, align: str
    ) -> None:
        """Lines in the column `at` from left to right; the first stands on the base line `y`."""
        for number, line in enumerate(lines):
            free = at[1] - at[0] - self._length(line)
            x = at[0] + {"left": 0.0, "right": free, "centre": free / 2}[align]
            self._put(cell, line, x, y + number * self.lead)

    def made(self) -> MadeTable:
        """The page; a table that is too wide for it is made anew."""
        rows, spans = self._rows(), self._spans()
        stub = self._words(1, 2) if self.rng.random() < 0.7 else ""
        names = [self._header() for _ in range(self.count)]
        texts = _Texts(rows, spans, stub, names)
        lines = self._lines(texts)
        pad = self.rng.uniform(1.5, 4) if self.style == "grid" else 0.0
        at = self._columns(texts, lines, pad)
        if at[-1][1] > WIDTH - 40:
            return _Maker(random.Random(self.rng.random())).made()
        self._prose(70, 3)
        self._put(Truth("outside", ""), self._caption(), at[0][0], 70 + 5 * self.lead)
        top = 70 + 6.2 * self.lead
        y, span_level = self._draw_headers(texts, lines, at, top + 1.1 * self.lead)
        levels = [top, y - 0.65 * self.lead]
        levels += self._draw_body(texts, lines, at, y + 0.25 * self.lead)
        self._rules(levels, span_level, pad, at, spans)
        bottom = levels[-1]
        if self.rng.random() < 0.4:
            note = "Notes: standard errors in parentheses."
            bottom += 1.3 * self.lead
            self._put(Truth("outside", ""), note, at[0][0], bottom)
        self._prose(bottom + 3 * self.lead, 3)
        self.table.pdf = self.document.tobytes()
        self.document.close()
        return self.table

    def _lines(self, texts: "_Texts") -> "_Lines":
        """Every text of the table as the lines in which it is printed."""
        wide = 1e4
        labels = [
            self._wrapped(row.label, wide if row.is_group else self.label_width)
            for row in texts.rows
        ]
        limits = [70 if kind == "words" else wide for kind in self.kinds]
        values = [
            [self._wrapped(v, limit) for v, limit in zip(row.values, limits, strict=False)]
            for row in texts.rows
        ]
        heads = [
            self._wrapped(name, self.rng.uniform(20, 45) if self.wraps_headers else wide)
            for name in texts.names
        ]
        return _Lines(labels, values, heads, self._wrapped(texts.stub, self.label_width))

    def _columns(self, texts: "_Texts", lines: "_Lines", pad: float) -> list[tuple[float, float]]:
        """From where to where each column reaches."""
        first = [
            self._length(line) + row.indent
            for row, label in zip(texts.rows, lines.labels, strict=True)
            if not row.is_wide
            for line in label
        ]
        widths = [max([*first, *map(self._length, lines.stub)])]
        for column, head in enumerate(lines.heads):
            cells = (line for row in lines.values if row for line in row[column])
            widths.append(max([5.0, *map(self._length, head), *map(self._length, cells)]))
        gaps = [2 * pad or gap for gap in self.gaps]
        for start, last, name in texts.spans:
            have = sum(widths[start + 1 : last + 2]) + sum(gaps[start + 1 : last + 1])
            widths[last + 1] += max(0.0, self._length(name) - have)
        left = self.rng.uniform(40, max(41, WIDTH - 40 - sum(widths) - sum(gaps)))
        at = [(left, left + widths[0])]
        for gap, width in zip(gaps, widths[1:], strict=True):
            at.append((at[-1][1] + gap, at[-1][1] + gap + width))
        return at

    def _draw_headers(
        self, texts: "_Texts", lines: "_Lines", at: list[tuple[float, float]], y: float
    ) -> tuple[float, float]:
        """Where the base line of the first row of the body is, and the level below the spans."""
        span_level = 0.0
        if texts.spans:
            span_level = y + 0.35 * self.size
            is_ruled = self.rng.random() < 0.6 and self.style != "grid"
            for first, last, name in texts.spans:
                x0, x1 = at[first + 1][0], at[last + 1][1]
                self._cell(Truth("header", name, first + 1), [name], (x0, x1), y, "centre")
                if is_ruled:
                    self.page.draw_line((x0, span_level), (x1, span_level), width=0.5)
            y += self.lead * 1.15
        deepest = max([1, *map(len, lines.heads), len(lines.stub)])
        for column, head in enumerate([lines.stub, *lines.heads]):
            lag = self._lag(deepest - len(head), self.header_at) * self.lead
            cell = Truth("header", [texts.stub, *texts.names][column], column)
            self._cell(cell, head, at[column], y + lag, self.header_align if column else "left")
        return y + deepest * self.lead, span_level

    def _draw_body(
        self, texts: "_Texts", lines: "_Lines", at: list[tuple[float, float]], y: float
    ) -> list[float]:
        """The levels between and below the rows."""
        levels: list[float] = []
        stub = (texts.stub,) if texts.stub else ()
        for number, row in enumerate(texts.rows):
            label, cells = lines.labels[number], lines.values[number]
            depth = max([len(label), *map(len, cells), 1])
            kind = "group" if row.is_group else "label"
            truth = Truth(kind, row.label, 0, stub, number, row.groups, row.label)
            place = (at[0][0], at[-1][1]) if row.is_wide else (at[0][0] + row.indent, at[0][1])
            self._cell(truth, label, place, y, "centre" if row.is_wide else "left")
            for column, cell in enumerate(cells):
                path = texts.path(column)
                value = row.values[column]
                truth = Truth("value", value, column + 1, path, number, row.groups, row.label)
                lag = self._lag(depth - len(cell), self.value_at) * self.lead
                self._cell(truth, cell, at[column + 1], y + lag, self.align)
            self.table.row_texts[number] = {row.label, *row.values}
            y += depth * self.lead + self.row_gap
            levels.append(y - 0.7 * self.lead - self.row_gap / 2)
        return levels

    def _lag(self, free: int, place: str) -> float:
        return {"top": 0.0, "middle": free / 2, "bottom": float(free)}[place]

    def _caption(self) -> str:
        number = self.rng.randint(1, 9)
        return (
            f"表 {number} {self._words(2, 5)}"
            if self.is_chinese
            else f"Table {number}. {self._words(2, 6)}"
        )

    def _prose(self, y: float, lines: int) -> None:
        for number in range(lines):
            words = " ".join(self.rng.choice(WORDS) for _ in range(16))
            self.page.insert_text((45, y + number * 13), words, fontsize=10, fontname=self.font)

    def _rules(
        self,
        levels: list[float],
        span_level: float,
        pad: float,
        at: list[tuple[float, float]],
        spans: list[tuple[int, int, str]],
    ) -> None:
        left, right = at[0][0] - pad, at[-1][1] + pad
        shown = {"open": [], "three-line": [levels[0], levels[1], levels[-1]]}
        for y in shown.get(self.style, levels):
            self.page.draw_line((left, y), (right, y), width=0.6)
        if self.style != "grid":
            return
        edges = [left, *((before[1] + after[0]) / 2 for before, after in pairwise(at)), right]
        for column, x in enumerate(edges):
            is_covered = any(first + 1 < column <= last + 1 for first, last, _ in spans)
            top = span_level if is_covered else levels[0]
            self.page.draw_line((x, top), (x, levels[-1]), width=0.6)
        for first, last, _ in spans:
            self.page.draw_line((edges[first + 1], span_level), (edges[last + 2], span_level))


_KINDS = ("plain", "plain", "stars", "counts", "shares", "spread", "interval", "words")
