"""`manage.py locate`: where a quote stands in a PDF. Needs no database."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from citations.file_locating import locate_cases, locate_in_file, refusal
from documents.inspecting import RefusedFileError


class Command(BaseCommand):
    help = "Find where a quote stands: status, pages, rectangles as fractions, matched text."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, help="a PDF")
        parser.add_argument("--quote", help="the text to find")
        parser.add_argument("--page", type=int, help="physical page, from 1; default: all pages")
        parser.add_argument("--cases", type=Path, help="JSON lines of file, quote, page_given")
        parser.add_argument("--files", type=Path, help="the folder of the files of --cases")
        parser.add_argument("--json", action="store_true", help="print JSON only")

    def handle(self, **options: Any) -> None:
        if options["cases"]:
            self._locate_cases(options["cases"], options["files"] or options["cases"].parent)
            return
        if not options["file"] or options["quote"] is None:
            raise CommandError("Give a PDF and --quote TEXT, or --cases FILE.jsonl --files DIR.")
        if not options["file"].is_file():
            raise CommandError(f"There is no file {options['file']}.")
        try:
            located = locate_in_file(options["file"], options["quote"], page=options["page"])
        except RefusedFileError as error:
            self._print(refusal(error.code, str(error)))
            raise SystemExit(2) from None
        if options["json"]:
            self._print(located.as_json())
            return
        self.stdout.write(located.status)
        for place in located.places:
            pages = ", ".join(str(region.page) for region in place.regions)
            self.stdout.write(f"page {pages}: {place.text}")
        if located.nearest:
            self.stdout.write(f"nearest, page {located.nearest.page}: {located.nearest.text}")

    def _locate_cases(self, cases: Path, folder: Path) -> None:
        if not cases.is_file():
            raise CommandError(f"There is no file {cases}.")
        for result in locate_cases(_read_lines(cases), folder):
            self._print(result)
            self.stdout.flush()

    def _print(self, value: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(value, ensure_ascii=False))


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in filter(str.strip, lines):
            yield json.loads(line)
