"""Papers whose pages are turned, cropped or moved, to measure that marks still lie on the words.

Copies are made by PDFium and not by the library that reads them. Only the pages that the cases are
about are copied.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from citations.cases import Case
from documents.pages.page_text import Rect

CROP = 0.05
"""So much of each side is cut away, as a fraction of the page, unless a quote stands there."""
MARGINS = (37.0, 23.0, 41.0, 19.0)
"""Points added left, below, right and above: the page then begins at a negative origin."""


@dataclass(frozen=True, slots=True)
class Alteration:
    """What is done to every page: a crop, a wider page, then a turn clockwise in degrees."""

    turn: int = 0
    crop: bool = False
    widen: bool = False


ALTERATIONS = {
    "turned_90": Alteration(turn=90),
    "turned_180": Alteration(turn=180),
    "turned_270": Alteration(turn=270),
    "cropped": Alteration(crop=True),
    "moved": Alteration(widen=True),
    "cropped_and_turned": Alteration(turn=90, crop=True),
    "moved_and_turned": Alteration(turn=270, widen=True),
}


def altered(cases: Sequence[Case], folder: Path, into: Path, name: str) -> list[Case]:
    """Write altered copies of the files into the folder `into`; the cases for those copies.

    Cases of files that PDFium can't open are left out. Raises `KeyError` for an unknown `name`,
    `ImportError` without pypdfium2.
    """
    alteration = ALTERATIONS[name]
    by_file: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_file[case.file].append(case)
    return [
        copied
        for file, own in by_file.items()
        for copied in _copy(own, folder / file, into / file, alteration)
    ]


def _copy(cases: list[Case], path: Path, target: Path, alteration: Alteration) -> list[Case]:
    import pypdfium2

    numbers = sorted({page for case in cases for page in (case.page, case.page_given) if page})
    try:
        source = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError:
        return []
    numbers = [number for number in numbers if number <= len(source)]
    copy = pypdfium2.PdfDocument.new()
    copy.import_pages(source, [number - 1 for number in numbers])
    places = {number: place for place, number in enumerate(numbers, 1)}
    moves = {
        number: _alter(copy[place - 1], alteration, _outermost(cases, number))
        for number, place in places.items()
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    copy.save(target)
    copy.close()
    source.close()
    return [
        replace(
            case,
            page=places.get(case.page or 0),
            page_given=places.get(case.page_given or 0),
            boxes=tuple(map(moves[case.page], case.boxes)) if case.page in moves else case.boxes,
        )
        for case in cases
    ]


def _outermost(cases: Sequence[Case], number: int) -> Rect:
    """The rectangle around all letters of the quotes on the page, as fractions of it."""
    boxes = [box for case in cases if case.page == number for box in case.boxes]
    if not boxes:
        return (0.5, 0.5, 0.5, 0.5)
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return (min(x0), min(y0), max(x1), max(y1))


def _alter(page: Any, alteration: Alteration, kept: Rect) -> Callable[[Rect], Rect]:
    """Change a page of the copy; how a rectangle on the page before lies on the page after.

    A page that is turned already is turned further, and neither cropped nor moved.
    """
    before = page.get_rotation()
    frame = (0.0, 0.0, 1.0, 1.0)
    if not before and (alteration.crop or alteration.widen):
        frame = _crop(kept) if alteration.crop else _wider(page)
        _set_frame(page, frame)
    page.set_rotation((before + alteration.turn) % 360)
    turns = alteration.turn // 90

    def moved(rect: Rect) -> Rect:
        width, height = frame[2] - frame[0], frame[3] - frame[1]
        x0, x1 = ((x - frame[0]) / width for x in (rect[0], rect[2]))
        y0, y1 = ((y - frame[1]) / height for y in (rect[1], rect[3]))
        for _ in range(turns):
            x0, y0, x1, y1 = 1 - y1, x0, 1 - y0, x1
        return (x0, y0, x1, y1)

    return moved


def _crop(kept: Rect) -> Rect:
    """What stays of the page, in fractions of it: the quotes and some room around them do."""
    room = 0.8
    return (
        min(CROP, kept[0] * room),
        min(CROP, kept[1] * room),
        1 - min(CROP, (1 - kept[2]) * room),
        1 - min(CROP, (1 - kept[3]) * room),
    )


def _wider(page: Any) -> Rect:
    left, below, right, above = MARGINS
    x0, y0, x1, y1 = page.get_cropbox()
    width, height = x1 - x0, y1 - y0
    return (-left / width, -above / height, 1 + right / width, 1 + below / height)


def _set_frame(page: Any, frame: Rect) -> None:
    """Show this part of the page, given in fractions from the top left: boxes count from below."""
    x0, y0, x1, y1 = page.get_cropbox()
    width, height = x1 - x0, y1 - y0
    left, right = x0 + frame[0] * width, x0 + frame[2] * width
    below, above = y1 - frame[3] * height, y1 - frame[1] * height
    if frame[0] < 0:
        page.set_mediabox(left, below, right, above)
    page.set_cropbox(left, below, right, above)
