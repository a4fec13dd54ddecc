"""Judge located quotes against truth: right, missed, wrong. `manage.py evaluate locate`."""

from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from citations.altered_copies import ALTERATIONS, altered
from citations.cases import Case, read_cases
from citations.file_locating import locate_cases
from citations.scanned_copies import scanned
from documents.pages.page_text import Rect

Verdict = Literal["right", "missed", "wrong"]

COVERED = 0.95
AWAY = 0.25
ELSEWHERE = 0.5
LINE_GROWTH = 0.5


def judge(case: Case, result: dict[str, Any]) -> Verdict | None:
    """The verdict on one result in the shape of `manage.py locate`; None where refusing is right.

    Right: matched on the page, 95 % of the letters' centres under a rectangle and at most 25 % of
    the painted area away from the quote's lines. Wrong: matched elsewhere, or matched though the
    quote does not stand there.
    """
    is_matched = result.get("status") == "matched"
    if case.expect != "matched":
        return "wrong" if is_matched else None
    if not is_matched:
        return "missed"
    regions = result["places"][0]["regions"]
    rects = [tuple(r) for region in regions if region["page"] == case.page for r in region["rects"]]
    if not rects or any(region["page"] != case.page for region in regions):
        return "wrong"
    if not case.boxes:
        return "right"
    covered = share_covered(case.boxes, rects)
    if covered < ELSEWHERE:
        return "wrong"
    return "right" if covered >= COVERED and share_away(case.boxes, rects) <= AWAY else "missed"


def share_covered(boxes: Sequence[Rect], rects: Sequence[Sequence[float]]) -> float:
    """The share of boxes whose centre lies under a rectangle."""
    centres = [((x0 + x1) / 2, (y0 + y1) / 2) for x0, y0, x1, y1 in boxes]
    under = sum(any(r[0] <= x <= r[2] and r[1] <= y <= r[3] for r in rects) for x, y in centres)
    return under / len(centres)


def share_away(boxes: Sequence[Rect], rects: Sequence[Sequence[float]]) -> float:
    """The share of painted area that lies outside the lines of the quote."""
    lines = list(_lines(boxes))
    painted = away = 0.0
    for x0, y0, x1, y1 in rects:
        area = max(0.0, x1 - x0) * max(0.0, y1 - y0)
        on = sum(
            max(0.0, min(x1, l1) - max(x0, l0)) * max(0.0, min(y1, m1) - max(y0, m0))
            for l0, m0, l1, m1 in lines
        )
        painted += area
        away += max(0.0, area - on)
    return away / painted if painted else 0.0


def _lines(boxes: Sequence[Rect]) -> Iterator[Rect]:
    """Letters joined into lines, grown by half their height to reach ascent and descent."""
    line: list[float] = []
    for x0, y0, x1, y1 in boxes:
        if line and min(line[3], y1) - max(line[1], y0) > 0 and x0 >= line[0]:
            line = [line[0], min(line[1], y0), max(line[2], x1), max(line[3], y1)]
            continue
        if line:
            yield _grown(line)
        line = [x0, y0, x1, y1]
    if line:
        yield _grown(line)


def _grown(line: Sequence[float]) -> Rect:
    margin = (line[3] - line[1]) * LINE_GROWTH
    return (line[0] - margin, line[1] - margin, line[2] + margin, line[3] + margin)


def language_of(text: str) -> str:
    """`zh` for text with Chinese characters, else `latin`."""
    return "zh" if any("\u3400" <= c <= "\u9fff" for c in text) else "latin"


def summarize(judged: Iterable[tuple[Case, Verdict | None]]) -> dict[str, Any]:
    """The figures of `evaluate locate`."""
    totals: dict[str, int] = defaultdict(int)
    by_kind: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    by_language: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for case, verdict in judged:
        names = ["cases"]
        names += ["true_quotes"] if case.expect == "matched" else []
        names += [str(verdict)] if verdict else ["refused"]
        names += ["false_matches"] if case.expect != "matched" and verdict == "wrong" else []
        for name in names:
            totals[name] += 1
            by_kind[case.kind][name] += 1
            by_language[language_of(case.quote)][name] += 1
    keys = ("cases", "true_quotes", "right", "missed", "wrong", "false_matches")
    return {
        **{key: totals[key] for key in keys},
        "by_kind": {kind: dict(counts) for kind, counts in sorted(by_kind.items())},
        "by_language": {name: dict(counts) for name, counts in sorted(by_language.items())},
    }


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("cases", type=Path, help="JSON lines: quotes with expected page and boxes")
    parser.add_argument("--files", type=Path, help="the folder of the PDFs; default: beside CASES")
    parser.add_argument(
        "--as-scans",
        action="store_true",
        help="locate in scanned copies of the pages instead: seconds for every page",
    )
    parser.add_argument(
        "--altered",
        choices=tuple(ALTERATIONS),
        help="locate in copies whose pages are turned, cropped or moved instead",
    )


def run(options: dict[str, Any]) -> dict[str, Any]:
    """Locate every case and judge it. `unlucky` lists the cases that were missed or wrong."""
    cases = list(read_cases(options["cases"]))
    folder = options["files"] or options["cases"].parent
    alteration = options.get("altered")
    if not (alteration or options.get("as_scans")):
        return _judged(cases, folder)
    with TemporaryDirectory() as name:
        copies = Path(name)
        if alteration:
            return _judged(altered(cases, folder, copies, alteration), copies)
        return _judged(scanned(cases, folder, copies), copies)


def _judged(cases: Sequence[Case], folder: Path) -> dict[str, Any]:
    asked = (
        {"file": case.file, "quote": case.quote, "page_given": case.page_given} for case in cases
    )
    judged, unlucky = [], []
    for number, (case, result) in enumerate(zip(cases, locate_cases(asked, folder), strict=True)):
        verdict = judge(case, result)
        judged.append((case, verdict))
        if verdict in {"missed", "wrong"}:
            status = result.get("status") or result["error"]["code"]
            unlucky.append({"case": number, "verdict": verdict, "status": status})
    return {**summarize(judged), "unlucky": unlucky}
