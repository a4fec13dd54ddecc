"""`manage.py parse FILE.pdf`: what Lito reads out of a file. Needs no database."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from documents.chunks.chunking import chunk_pages
from documents.inspecting import RefusedFileError, inspect_pdf
from documents.pages.geometry import line_rects
from documents.pages.page_text import Cell, ParsedFileText, ParsedPage, Rect, Table
from documents.parsing import parse_file
from documents.tables.table_text import joined_text, row_rect

REFUSED = 2
DECIMALS = 5


class Command(BaseCommand):
    help = "Read a PDF and print its pages, blocks, chunks and metadata."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--json", action="store_true", help="one JSON object on one line")
        parser.add_argument("--ocr", action="store_true", help="read pages without text by OCR")
        parser.add_argument("--layout", action="store_true", help="look at tables with a model")

    def handle(self, *, file: Path, **options: Any) -> None:
        if not file.is_file():
            raise CommandError(_("There is no file {path}.").format(path=file))
        try:
            inspect_pdf(file)
        except RefusedFileError as error:
            self._refuse(error, as_json=options["json"])
        parsed = parse_file(file, ocr=options["ocr"], layout=options["layout"])
        if options["json"]:
            self._print(json.dumps(as_json(parsed), ensure_ascii=False))
            return
        for page in parsed.pages:
            self._print(f"--- {page.number} [{page.label}] {page.state} {page.reason}".rstrip())
            self._print(page.text)
        for warning in parsed.warnings:
            self.stderr.write(warning)

    def _refuse(self, error: RefusedFileError, *, as_json: bool) -> None:
        if as_json:
            refusal = {"error": {"code": error.code, "message": error.message}}
            self._print(json.dumps(refusal, ensure_ascii=False))
        else:
            self.stderr.write(f"{error.message} ({error.code})")
        sys.exit(REFUSED)

    def _print(self, line: str) -> None:
        """UTF-8 whatever the terminal's locale is."""
        raw = getattr(self.stdout, "buffer", None)
        if raw is None:
            self.stdout.write(line)
        else:
            raw.write(line.encode("utf-8", "replace") + b"\n")


def as_json(parsed: ParsedFileText) -> dict[str, Any]:
    """The file as JSON values."""
    chunks = chunk_pages(parsed.pages)
    return {
        "sha256": parsed.sha256,
        "parser": parsed.parser,
        "pages": [_page(page) for page in parsed.pages],
        "chunks": [
            {
                "spans": [span.as_json() for span in chunk.spans],
                "section": list(chunk.section),
                "kind": chunk.kind,
                "tokens": chunk.tokens,
            }
            for chunk in chunks
        ],
        "metadata": {
            name: {"value": field.value, "from": field.source}
            for name, field in parsed.metadata.items()
        },
        "warnings": list(parsed.warnings),
    }


def _page(page: ParsedPage) -> dict[str, Any]:
    return {
        "number": page.number,
        "label": page.label,
        "state": str(page.state),
        "reason": page.reason,
        "width": round(page.width, 3),
        "height": round(page.height, 3),
        "rotation": page.rotation,
        "text": page.text,
        "blocks": [
            {
                "class": str(block.kind),
                "level": block.level,
                "span": [block.start, block.end],
                "rects": _rounded(line_rects(page.boxes[block.start : block.end])),
            }
            for block in page.blocks
        ],
        "tables": [_table(page, table) for table in page.tables],
    }


def _table(page: ParsedPage, table: Table) -> dict[str, Any]:
    return {
        "page": page.number,
        "rects": _rounded([table.rect]),
        "reliable": table.reliable,
        "method": table.method,
        "continues": table.continues,
        "caption": joined_text(page.text, [table.caption]) if table.caption else "",
        "notes": [joined_text(page.text, [note]) for note in table.notes],
        "row_rects": _rounded([row_rect(row) for row in table.rows]),
        "rows": [[_cell(cell) for cell in row] for row in table.rows],
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "text": cell.text,
        "header_path": list(cell.header_path),
        "row_path": list(cell.row_path),
        "header": cell.is_header,
        "column": cell.column,
        "columns": cell.columns,
        "span_rows": cell.rows,
        "spans": [list(span) for span in cell.spans],
        "rects": _rounded([cell.rect]),
    }


def _rounded(rects: list[Rect]) -> list[list[float]]:
    return [[round(edge, DECIMALS) for edge in rect] for rect in rects]
