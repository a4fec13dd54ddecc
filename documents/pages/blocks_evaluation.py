"""Compare headings, captions, footnotes and references with hand-made truth.

Truth is one paper a line: `{"file", "sha256", "language", "kind", "headings", "captions",
"footnotes", "references", "optional"}`, each class a list of `{"page", "text"}` (headings also
`"level"`), made by looking at the pages. A class counts like this:

- A *heading* is right if a heading block of the same page has the same words, the whole of them;
  levels are counted apart, among the headings that are right.
- A *caption*, *footnote* or *reference* is right if a block of its class on the same page begins
  with its first words; a number or marker may stand before them. One block is one entry: of two
  entries in one block, the second is missed.
- What was read beyond that is false, except where it begins like an entry of `optional`: words on
  that page which a careful reader may class either way (a run-in heading, the label "Abstract", the
  note under a table, the rest of a reference that began in the column before).

Where `"pages": [first, last]` is given, these pages alone are judged.

A paper whose text layer maps its letters to wrong ones (`"text_layer": "garbled"`) is judged too,
but counted apart as `garbled`: no words of it can be compared before its pages are read by OCR.
"""

import hashlib
import json
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from documents.pages.page_text import BlockKind, ParsedFileText
from documents.pages.truth_matching import begins_alike, begins_exactly, folded, is_same
from documents.parsing import parse_file

CLASSES = {
    "headings": BlockKind.HEADING,
    "captions": BlockKind.CAPTION,
    "footnotes": BlockKind.FOOTNOTE,
    "references": BlockKind.REFERENCE,
}
SHOWN = 80
"""Characters of a false block that a report shows."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A heading, caption, footnote or reference: its page and its (first) words."""

    page: int
    text: str
    level: int = 0


@dataclass(frozen=True, slots=True)
class Truth:
    """What a person sees on the pages of one paper."""

    file: str
    sha256: str
    classes: dict[str, tuple[Entry, ...]]
    optional: tuple[Entry, ...]
    is_garbled: bool = False
    pages: tuple[int, int] | None = None
    """The first and the last page that are judged; None: all."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One class of one paper: pairs (truth, read) that agree, and what is left on each side."""

    right: tuple[tuple[Entry, Entry], ...]
    missed: tuple[Entry, ...]
    false: tuple[Entry, ...]


def read_truth(path: Path) -> Iterator[Truth]:
    """The papers of a JSON-lines file."""
    with path.open(encoding="utf-8") as lines:
        for line in filter(str.strip, lines):
            row = json.loads(line)
            classes = {name: _entries(row[name]) for name in CLASSES}
            first_last = row.get("pages")
            yield Truth(
                file=row["file"],
                sha256=row["sha256"],
                classes=classes,
                optional=_entries(row["optional"]),
                is_garbled=row.get("text_layer") == "garbled",
                pages=(first_last[0], first_last[1]) if first_last else None,
            )


def _entries(rows: Sequence[dict[str, Any]]) -> tuple[Entry, ...]:
    return tuple(Entry(row["page"], row["text"], row.get("level", 0)) for row in rows)


def blocks_read(parsed: ParsedFileText) -> dict[BlockKind, tuple[Entry, ...]]:
    """The blocks of a parsed file by class, in reading order."""
    found: dict[BlockKind, list[Entry]] = defaultdict(list)
    for page in parsed.pages:
        for block in page.blocks:
            text = " ".join(page.text[block.start : block.end].split())
            found[block.kind].append(Entry(page.number, text, block.level))
    return {kind: tuple(entries) for kind, entries in found.items()}


def judge(
    truth: Sequence[Entry], read: Sequence[Entry], optional: Sequence[Entry], *, whole: bool
) -> Judgement:
    """Pair what was read with truth. `whole`: all words must agree, else the first ones."""
    tests: tuple[Callable[[str, str], bool], ...]
    tests = (_equal, is_same) if whole else (begins_exactly, begins_alike)
    missed, left = list(truth), list(read)
    right: list[tuple[Entry, Entry]] = []
    for test in tests:
        for entry in tuple(missed):
            found = next(
                (one for one in left if one.page == entry.page and test(entry.text, one.text)), None
            )
            if found is not None:
                missed.remove(entry)
                left.remove(found)
                right.append((entry, found))
    false = tuple(one for one in left if not _is_optional(one, optional))
    return Judgement(tuple(right), tuple(missed), false)


def _equal(truth: str, read: str) -> bool:
    return folded(truth) == folded(read)


def _is_optional(read: Entry, optional: Sequence[Entry]) -> bool:
    return any(
        one.page == read.page
        and (begins_exactly(one.text, read.text) or begins_alike(one.text, read.text))
        for one in optional
    )


def judge_paper(truth: Truth, parsed: ParsedFileText) -> dict[str, Judgement]:
    """The judgement on each class."""
    first, last = truth.pages or (1, len(parsed.pages))
    read = {
        kind: [one for one in entries if first <= one.page <= last]
        for kind, entries in blocks_read(parsed).items()
    }
    return {
        name: judge(entries, read.get(kind, ()), truth.optional, whole=kind is BlockKind.HEADING)
        for name, entries in truth.classes.items()
        for kind in (CLASSES[name],)
    }


def figures(judgements: Sequence[Judgement]) -> dict[str, Any]:
    """Counts, precision, recall and F1 over judgements; a share of nothing is null."""
    right = sum(len(one.right) for one in judgements)
    missed = sum(len(one.missed) for one in judgements)
    false = sum(len(one.false) for one in judgements)
    return {
        "truth": right + missed,
        "right": right,
        "missed": missed,
        "false": false,
        "precision": _share(right, right + false),
        "recall": _share(right, right + missed),
        "f1": _share(2 * right, 2 * right + missed + false),
    }


def _f1_mean(judgements: Sequence[Judgement]) -> float | None:
    """Over the papers that have something of the class."""
    each = [figures([one])["f1"] for one in judgements if one.right or one.missed]
    known = [f1 for f1 in each if f1 is not None]
    return round(sum(known) / len(known), 4) if known else None


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def level_figures(judgements: Sequence[Judgement]) -> dict[str, Any]:
    """How many of the headings that are right have the level of truth."""
    pairs = [pair for one in judgements for pair in one.right]
    right = sum(truth.level == read.level for truth, read in pairs)
    return {"headings": len(pairs), "right": right, "share": _share(right, len(pairs))}


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "data", type=Path, help="JSON lines: a paper's blocks as a person sees them"
    )
    parser.add_argument("--files", type=Path, help="the folder of the PDFs; default: beside DATA")


def run(options: dict[str, Any]) -> dict[str, Any]:
    """Parse every paper and judge it. `missed` and `false` list what disagrees."""
    folder = options["files"] or options["data"].parent
    judged: list[tuple[Truth, dict[str, Judgement]]] = []
    other_files: list[str] = []
    missed: list[dict[str, Any]] = []
    false: list[dict[str, Any]] = []
    for truth in read_truth(options["data"]):
        path = folder / truth.file
        if not is_that_file(path, truth.sha256):
            other_files.append(truth.file)
            continue
        parsed = parse_file(path)
        judged.append((truth, judge_paper(truth, parsed)))
        for name, judgement in judged[-1][1].items():
            place = {"file": truth.file, "class": name}
            missed += [place | _missed(entry, parsed) for entry in judgement.missed]
            false += [
                place | {"page": one.page, "text": one.text[:SHOWN]} for one in judgement.false
            ]
    return {
        **summarize([paper for truth, paper in judged if not truth.is_garbled]),
        "garbled": summarize([paper for truth, paper in judged if truth.is_garbled]),
        "other_files": other_files,
        "by_paper": {
            truth.file: {name: figures([judgement]) for name, judgement in paper.items()}
            for truth, paper in judged
        },
        "missed": missed,
        "false": false,
        "levels_wrong": [
            {"file": truth.file, "page": mine.page, "text": mine.text, "level": mine.level}
            | {"read_as": read.level}
            for truth, paper in judged
            for mine, read in paper["headings"].right
            if mine.level != read.level
        ],
    }


def summarize(papers: Sequence[dict[str, Judgement]]) -> dict[str, Any]:
    """Figures of each class over all entries, with the mean of the papers' F1, and levels."""
    classes = {name: [paper[name] for paper in papers] for name in CLASSES}
    return {
        "papers": len(papers),
        "classes": {
            name: figures(judgements) | {"f1_mean": _f1_mean(judgements)}
            for name, judgements in classes.items()
        },
        "levels": level_figures([paper["headings"] for paper in papers]),
    }


def is_that_file(path: Path, sha256: str) -> bool:
    """Whether the file is there and has the bytes that truth was made for."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == sha256


def _missed(entry: Entry, parsed: ParsedFileText) -> dict[str, Any]:
    """A missed entry with what its words were read as: a class, and whether a block began there."""
    words = folded(entry.text)
    page = next((page for page in parsed.pages if page.number == entry.page), None)
    row: dict[str, Any] = {"page": entry.page, "text": entry.text, "read_as": None}
    for block in page.blocks if page else ():
        text = page.text[block.start : block.end] if page else ""
        if words and words in folded(text):
            row["read_as"] = str(block.kind)
            row["begins_block"] = begins_exactly(entry.text, text)
            return row
    return row
