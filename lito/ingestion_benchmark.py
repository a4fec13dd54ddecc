"""`manage.py benchmark ingest`: what reading a paper costs, against PyMuPDF's plain `rawdict`."""

import json
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

import documents
from citations.normalizing import normalize, pack_starts
from documents import ingestion
from documents.models import ParsedFile, Version
from documents.pages.geometry import pack_boxes
from documents.parsing import parse_pages
from documents.removing import remove
from documents.uploads import add_file
from documents.vectors.embedding import EmbedderUnavailableError, active_space
from projects.models import Project

ROOT = Path(documents.__file__).parent.parent
FOLDER = Path("../shared/corpus/papers")
DEMONSTRATION = Path(documents.__file__).parent / "demo"
BOOK_PAGES = 600
UPLOADED_PAGES = 12
ROUNDS = 2

PEER = """
import json, sys, time
sys.modules["pymupdf.layout"] = None
import pymupdf
from documents.isolated import pdf_operations
from documents.pages.geometry import pack_boxes
from documents.isolated.isolation import Reply
from documents.pages.margins import with_margins
from documents.isolated.page_replies import page_of
from documents.pages.page_sections import in_sections
TEXT_ONLY = pymupdf.TEXTFLAGS_RAWDICT & ~pymupdf.TEXT_PRESERVE_IMAGES

def rawdict(path, count, flags=pymupdf.TEXTFLAGS_RAWDICT):
    pymupdf.TOOLS.store_shrink(100)
    with pymupdf.open(path) as document:
        started = time.process_time()
        for number in range(count):
            document[number].get_text("rawdict", flags=flags)
        return time.process_time() - started

def lito(path, count):
    pymupdf.TOOLS.store_shrink(100)
    pdf_operations.forget_document()
    started = time.process_time()
    usual = pdf_operations.survey(path)[0]["size"]
    asked = ((n, *pdf_operations.page_text(path, n, usual)) for n in range(1, count + 1))
    pages = (page_of(Reply(json.loads(json.dumps(v)), p), n) for n, v, p in asked)
    for page in in_sections(with_margins(pages)):
        pack_boxes(page.boxes)
    return time.process_time() - started

def repeated(path, count):
    with pymupdf.open(path) as source, pymupdf.open() as book:
        while book.page_count < count:
            book.insert_pdf(source, to_page=min(len(source), count - book.page_count) - 1)
        book.save(sys.argv[1], garbage=1)

command, rounds, paths = sys.argv[2], int(sys.argv[3]), sys.argv[4:]
timed = {}
for path in paths:
    with pymupdf.open(path) as document:
        count = document.page_count
    if command == "book":
        # As many pages of the paper as of the book, half of them before it and half after it.
        book = int(sys.argv[5])
        repeated(path, book)
        half = max(1, book // count // 2)
        lito(path, count)
        before = sum(lito(path, count) for _ in range(half))
        in_book = lito(sys.argv[1], book) / book
        after = sum(lito(path, count) for _ in range(half))
        print(json.dumps([(before + after) / (2 * half * count), in_book]))
        break
    if command == "twelve":
        repeated(path, int(sys.argv[5]))
        print("null")
        break
    seconds = {"plain": [], "text": [], "lito": []}
    for turn in range(rounds):
        for name in sorted(seconds, reverse=bool(turn % 2)):
            if name == "lito":
                seconds[name].append(lito(path, count))
            else:
                flags = TEXT_ONLY if name == "text" else pymupdf.TEXTFLAGS_RAWDICT
                seconds[name].append(rawdict(path, count, flags))
    timed[path] = [count, *(min(seconds[name]) for name in ("lito", "plain", "text"))]
else:
    print(json.dumps(timed))
"""
"""Runs in a process of its own: the PDF library is never imported here."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--files", type=Path, default=FOLDER, help=f"folder of PDFs; default: {FOLDER}, or the demo"
    )


def run(options: dict[str, Any]) -> dict[str, Any]:
    """CPU per page of page text, geometry and blocks in ratio to `get_text("rawdict")`.

    `text_tier_ratio_vs_rawdict` is over all pages of all files; `worst` names the file where it is
    highest; `ratio_without_images` is against a rawdict that leaves pictures alone. The book is one
    paper's pages repeated to 600. `stored_bytes_per_page` counts boxes, normalised text and its map
    as the database holds them.
    """
    folder: Path = options["files"] if options["files"].is_dir() else DEMONSTRATION
    files = sorted(folder.glob("*.pdf"))
    with tempfile.TemporaryDirectory(prefix="lito-benchmark-") as scratch:
        made = Path(scratch) / "made.pdf"
        timed: dict[str, list[float]] = _peer(made, "papers", ROUNDS, *files)
        paper = _middling(files, timed)
        in_paper, in_book = _peer(made, "book", ROUNDS, paper, BOOK_PAGES)
        _peer(made, "twelve", 1, paper, UPLOADED_PAGES)
        readable, searchable, embedded = _upload(made)
    ratios = {path: spent[1] / spent[2] for path, spent in timed.items()}
    worst = max(ratios, key=lambda path: ratios[path])
    pages, ours, plain, text = (sum(column) for column in zip(*timed.values(), strict=True))
    return {
        "text_tier_ratio_vs_rawdict": round(ours / plain, 3),
        "worst": {"file": Path(worst).name, "ratio": round(ratios[worst], 3)},
        "ratio_without_images": round(ours / text, 3),
        "cpu_ms_per_page": round(1000 * ours / pages, 2),
        "book_over_paper_ratio": round(in_book / in_paper, 3),
        "readable_seconds": round(readable, 2),
        "searchable_seconds": round(searchable, 2),
        "embedded_seconds": round(embedded, 2),
        "stored_bytes_per_page": round(_stored_bytes(files)),
        "files": len(files),
        "pages": int(pages),
    }


def _peer(made: Path, command: str, rounds: int, *arguments: Path | int) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", PEER, made, command, str(rounds), *map(str, arguments)],
        capture_output=True,
        cwd=ROOT,
        check=True,
    )
    return json.loads(done.stdout)


def _middling(files: Sequence[Path], timed: dict[str, list[float]]) -> Path:
    """The file whose pages cost as much as most."""
    costs = {path: timed[str(path)][1] / timed[str(path)][0] for path in files}
    return min(files, key=lambda path: abs(costs[path] - statistics.median(costs.values())))


def _upload(paper: Path) -> tuple[float, float, float]:
    """Seconds from upload until all pages can be read, words be searched, and vectors too."""
    # Bytes that nobody uploaded before: a known file costs nothing.
    paper.write_bytes(paper.read_bytes() + f"\n% {secrets.token_hex(16)}\n".encode())
    _warm()
    name = f"measurement-{secrets.token_hex(4)}"
    project = Project.objects.create(slug=name, name=name)
    read: list[float] = []

    def watch(version: Version) -> None:
        if not read and ParsedFile.objects.filter(sha256=version.sha256, complete=True).exists():
            read.append(time.perf_counter())

    try:
        started = time.perf_counter()
        version = add_file(
            project, path_or_upload=paper, file_name="paper.pdf", user=None, enqueue=False
        ).version
        ingestion.parse_version(version.pk, watcher=watch)
        searchable = time.perf_counter()
        watch(version)
        ingestion.index_version(version.pk)
        embedded = time.perf_counter()
        remove(version.document)
    finally:
        project.delete()
    return read[0] - started, searchable - started, embedded - started


def _warm() -> None:
    """Start what workers have running: a reader and, where no service has it, the model."""
    next(parse_pages(next(DEMONSTRATION.glob("*.pdf"))))
    try:
        active_space()
    except EmbedderUnavailableError:
        settings.LITO_EMBEDDING_IN_PROCESS = True
        active_space()


def _stored_bytes(files: Sequence[Path]) -> float:
    """Bytes a page that PostgreSQL needs for boxes, normalised text and its map."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE stored_page (boxes bytea, words text, map bytea)")
        try:
            for path in files:
                for page in parse_pages(path):
                    normalized = normalize(page.text)
                    boxes = pack_boxes(page.boxes) if len(page.boxes) else b""
                    row = (boxes, normalized.text, pack_starts(normalized.starts))
                    cursor.execute("INSERT INTO stored_page VALUES (%s, %s, %s)", row)
            cursor.execute(
                "SELECT avg(pg_column_size(boxes) + pg_column_size(words) + pg_column_size(map))"
                " FROM stored_page"
            )
            return float(cursor.fetchone()[0])
        finally:
            cursor.execute("DROP TABLE stored_page")
