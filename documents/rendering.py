"""Pages as images, drawn by an isolated process and kept on disk."""

import hashlib
import re
import shutil
import tempfile
from pathlib import Path

from django.conf import settings

from documents.isolated.gates import Gate
from documents.isolated.isolation import borrowed_reader

WIDTHS = (240, 700, 1000, 1500, 2200)
"""Widths in pixels that are drawn; a request gets the next one that is large enough."""
MAX_PIXELS_DOWN = 8000
"""A page much taller than wide is drawn narrower, so that its image has no more rows than this."""
LOOK = 2
"""Raised whenever pages come to be drawn differently, so that no image of before is shown."""
DRAWING = Gate(inside=2, waiting=24, seconds=10)
"""A page takes tenths of a second; behind a slow one others wait, or are told to come back."""
_SHA256 = re.compile(r"[0-9a-f]{64}")


def render_page(path: Path | str, number: int, *, width_px: int) -> bytes:
    """Page `number` (from 1) of the PDF at `path` as WebP, about `width_px` pixels wide.

    Raises `documents.isolated.isolation.ReadingError` when the page can't be drawn within its
    limits, and `documents.isolated.gates.CrowdedError` when too many others are to be drawn first.
    """
    path = Path(path).resolve()
    width = next((step for step in WIDTHS if step >= width_px), WIDTHS[-1])
    kept = _cache_path(path, number, width)
    if kept.is_file():
        return kept.read_bytes()
    image = _drawn(path, number, width)
    _keep(kept, image)
    if not path.exists():  # deleted meanwhile, and its images before this one was kept
        shutil.rmtree(kept.parent, ignore_errors=True)
    return image


def forget_pages(sha256: str) -> None:
    """Delete every image that was drawn of the file with this hash."""
    shutil.rmtree(_cache_folder(sha256), ignore_errors=True)


def page_size(path: Path | str, number: int) -> tuple[float, float]:
    """Width and height in points of the displayed page `number`."""
    with borrowed_reader(memory_mb=settings.LITO_PARSE_MEMORY_MB) as reader:
        values = reader.ask(
            "page_size",
            seconds=settings.LITO_PAGE_SECONDS,
            path=str(Path(path).resolve()),
            number=number,
        ).values
    return float(values["width"]), float(values["height"])


def _drawn(path: Path, number: int, width: int) -> bytes:
    with (
        DRAWING.entered(),
        borrowed_reader(memory_mb=settings.LITO_PARSE_MEMORY_MB) as reader,
    ):
        return reader.ask(
            "render",
            seconds=settings.LITO_PAGE_SECONDS,
            path=str(path),
            number=number,
            width=width,
            max_height=MAX_PIXELS_DOWN,
        ).payload


def _cache_path(path: Path, number: int, width: int) -> Path:
    """Files are stored under their hash; any other file is known by place, size and time."""
    if found := _SHA256.search(path.name):
        key = found[0]
    else:
        stat = path.stat()
        seen = f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}"
        key = hashlib.sha256(seen.encode(errors="surrogateescape")).hexdigest()
    return _cache_folder(key) / f"{number}-{width}-{LOOK}.webp"


def _cache_folder(key: str) -> Path:
    folder: Path = settings.LITO_CACHE
    return folder / "pages" / key[:2] / key


def _keep(kept: Path, image: bytes) -> None:
    """Write so that a reader sees the whole image or none."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as file:
        file.write(image)
    Path(file.name).replace(kept)
