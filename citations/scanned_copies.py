"""Papers as a scanner would give them, to measure how well quotes are found by OCR.

Only the pages that the cases are about are copied: to read a page off its picture takes seconds.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter

from citations.cases import Case
from documents.inspecting import RefusedFileError, inspect_pdf
from documents.rendering import page_size, render_page

DPI = 200
BLUR = 0.6
"""Pixels."""
NOISE = 8.0
"""Standard deviation in steps of 256 greys."""
ASKEW = 0.15
"""Degrees."""
JPEG_QUALITY = 60


def scanned(cases: Sequence[Case], folder: Path, into: Path) -> list[Case]:
    """Write a scanned copy of each file into the folder `into`; the cases for those copies.

    The copies hold fewer pages, so the page numbers of the cases change with them. Files that
    would be refused are left out together with their cases.
    """
    wanted: dict[str, set[int]] = defaultdict(set)
    for case in cases:
        wanted[case.file] |= {page for page in (case.page, case.page_given) if page}
    places: dict[tuple[str, int], int] = {}
    for file, numbers in wanted.items():
        copied = _copy(folder / file, sorted(numbers), into / file)
        places |= {(file, number): place for place, number in enumerate(copied, 1)}
    copies = {file for file, _number in places}
    return [
        replace(
            case,
            page=places.get((case.file, case.page or 0)),
            page_given=places.get((case.file, case.page_given or 0)),
        )
        for case in cases
        if case.file in copies
    ]


def _copy(path: Path, numbers: list[int], target: Path) -> list[int]:
    """The numbers of the pages that were copied: those that the file has."""
    try:
        count = inspect_pdf(path).page_count
    except RefusedFileError:
        return []
    numbers = [number for number in numbers if number <= count]
    pictures = [_scan(path, number) for number in numbers]
    if pictures:
        target.parent.mkdir(parents=True, exist_ok=True)
        first, *others = pictures
        first.save(target, "PDF", resolution=DPI, save_all=True, append_images=others)
    return numbers


def _scan(path: Path, number: int) -> Image.Image:
    """The page in grey, a little blurred, noisy, askew and compressed, always in the same way."""
    width, height = (round(side * DPI / 72) for side in page_size(path, number))
    drawn = Image.open(BytesIO(render_page(path, number, width_px=width))).convert("L")
    grey = drawn.resize((width, height), Image.Resampling.LANCZOS)
    grey = grey.filter(ImageFilter.GaussianBlur(BLUR))
    grey = grey.rotate(ASKEW, Image.Resampling.BICUBIC, fillcolor=255)
    noise = np.random.default_rng(number).normal(0, NOISE, (grey.height, grey.width))
    noisy = np.clip(np.asarray(grey, np.float32) + noise, 0, 255).astype(np.uint8)
    packed = BytesIO()
    Image.fromarray(noisy).save(packed, "JPEG", quality=JPEG_QUALITY)
    return Image.open(packed)
