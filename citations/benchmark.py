"""`manage.py benchmark locate`: locating in stored page text against PyMuPDF's `search_for`."""

import json
import re
import statistics
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import documents
from citations.hover_benchmark import hover_milliseconds
from citations.locating import locate_quote
from citations.normalizing import normalize, pack_starts, unpack_starts
from citations.searchable_page import PageDetail, SearchablePage
from documents.chunks.sentences import split_sentences
from documents.pages.geometry import PackedBoxes, pack_boxes
from documents.pages.page_text import ParsedPage
from documents.parsing import parse_pages

PAPER = Path(documents.__file__).parent / "demo" / "stinson-2006-invasive-plant.pdf"
PAPER_PAGES, BOOK_PAGES = 20, 600
QUOTES = 12
ROUNDS = 5
SHORTEST, LONGEST = 60, 240

PEER = """
import json, sys, time
import pymupdf
path, quotes, pages = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
source = pymupdf.open(path)
document = pymupdf.open()
while document.page_count < pages:
    document.insert_pdf(source, to_page=min(len(source), pages - document.page_count) - 1)
started = time.process_time()
for quote in quotes:
    for page in document:
        page.search_for(quote)
print(json.dumps((time.process_time() - started) / len(quotes)))
"""
"""Runs in a process of its own: the PDF library is never imported here."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--paper", type=Path, default=PAPER, help="a PDF; default: a demo paper")


def run(options: dict[str, Any]) -> dict[str, float]:
    """Median CPU milliseconds a quote on its page, in a paper of 20 pages, in a book of 600.

    Paper and book are the pages of one file, repeated. `ratio_vs_search_for` is the smaller one of
    paper and book, over the same pages. `hover_*` are wall-clock times of whole requests.
    """
    path: Path = options["paper"]
    read = list(parse_pages(path))
    quotes = _quotes(read)
    paper = _repeated(read, max(PAPER_PAGES, len(read)))
    in_paper = _milliseconds(quotes, paper)
    in_book = _milliseconds(quotes[:4], _repeated(read, BOOK_PAGES))
    paper_ratio = _peer_milliseconds(path, quotes, len(paper)) / in_paper
    book_ratio = _peer_milliseconds(path, quotes[:2], BOOK_PAGES) / in_book
    return {
        "page_ms": _milliseconds(quotes, paper, on_page=True),
        "paper_ms": in_paper,
        "book_ms": in_book,
        "ratio_vs_search_for": min(paper_ratio, book_ratio),
        "paper_ratio": paper_ratio,
        "book_ratio": book_ratio,
        "paper_pages": len(paper),
        **hover_milliseconds(paper, quotes),
    }


def _repeated(read: Sequence[ParsedPage], count: int) -> list[ParsedPage]:
    """The pages repeated to `count`; each quote of the first ones stands there once.

    All copies but the first have the letters of each word turned round: as much text, other words.
    """
    return [
        page if at < len(read) else _turned(page, at + 1)
        for at, page in zip(range(count), cycle(read), strict=False)
    ]


def _turned(page: ParsedPage, number: int) -> ParsedPage:
    turned = re.sub(r"\w+", lambda word: word[0][::-1], page.text)
    return replace(page, number=number, text=turned)


def _quotes(paper: Sequence[ParsedPage]) -> list[tuple[int, str]]:
    """Whole sentences, spread over the pages, each with its page."""
    found = [
        (page.number, " ".join(page.text[start:end].split()))
        for page in paper
        for start, end in split_sentences(page.text)
        if SHORTEST <= end - start <= LONGEST
    ]
    return found[:: max(1, len(found) // QUOTES)][:QUOTES]


def _milliseconds(
    quotes: Sequence[tuple[int, str]], pages: Sequence[ParsedPage], *, on_page: bool = False
) -> float:
    loaders = [_stored(page) for page in pages]
    times = []
    for _ in range(ROUNDS):
        for number, quote in quotes:
            loaded = [load() for load in loaders]
            started = time.process_time()
            locate_quote(quote, loaded, page=number if on_page else None)
            times.append(time.process_time() - started)
    return statistics.median(times) * 1000


def _stored(page: ParsedPage) -> Callable[[], SearchablePage]:
    """A page as it comes from the database: map and boxes still packed."""
    normalized = normalize(page.text)
    starts, boxes = pack_starts(normalized.starts), pack_boxes(page.boxes)
    aspect = page.width / page.height if page.height else 1.0

    def detail() -> PageDetail:
        load_boxes = partial(PackedBoxes, boxes)
        return PageDetail(page.text, unpack_starts(starts), page.blocks, load_boxes, aspect)

    return partial(SearchablePage, page.number, page.state, "", normalized.text, detail)


def _peer_milliseconds(path: Path, quotes: Sequence[tuple[int, str]], pages: int) -> float:
    texts = json.dumps([quote for _, quote in quotes])
    done = subprocess.run(
        [sys.executable, "-c", PEER, str(path), texts, str(pages)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(json.loads(done.stdout.splitlines()[-1])) * 1000
