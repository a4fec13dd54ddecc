"""Pages as images: the right size, kept on disk, bounded, and drawn from many threads."""

import time
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest
from PIL import Image, ImageChops
from pytest_django import Settings

from documents.isolated.isolation import ReadingError
from documents.rendering import page_size, render_page
from tests.documents.files import PDFS
from tests.documents.handmade import write_pdf

library: Any = pymupdf  # it carries no usable types
NOTICEABLE = 60
"""Of 255: edges of letters are smoothed a little differently where a page has transparent parts."""


@pytest.fixture(autouse=True)
def _own_cache(settings: Settings, tmp_path: Path) -> None:
    settings.LITO_CACHE = tmp_path / "cache"


def size_of(image: bytes) -> tuple[int, int]:
    opened = Image.open(BytesIO(image))
    assert opened.format == "WEBP"
    return opened.size


def test_widths_are_taken_from_a_few_steps() -> None:
    assert size_of(render_page(PDFS / "article.pdf", 1, width_px=650))[0] == 700
    assert size_of(render_page(PDFS / "article.pdf", 1, width_px=1))[0] == 240
    assert size_of(render_page(PDFS / "article.pdf", 1, width_px=99_999))[0] == 2200


def test_turned_and_cropped_pages_are_drawn_as_displayed() -> None:
    assert page_size(PDFS / "turned.pdf", 1) == (400, 300)
    assert page_size(PDFS / "turned.pdf", 2) == (300, 400)
    width, height = size_of(render_page(PDFS / "turned.pdf", 2, width_px=240))
    assert (width, height) == (240, 320)


def test_a_drawn_page_is_kept_and_read_again(tmp_path: Path) -> None:
    copy = tmp_path / "paper.pdf"
    copy.write_bytes((PDFS / "article.pdf").read_bytes())
    image = render_page(copy, 2, width_px=240)
    kept = list((tmp_path / "cache").rglob("*.webp"))
    assert len(kept) == 1
    kept[0].write_bytes(b"seen again")
    assert render_page(copy, 2, width_px=240) == b"seen again"
    copy.write_bytes((PDFS / "numbers.pdf").read_bytes())
    with pytest.raises(ReadingError):
        render_page(copy, 2, width_px=240)
    assert image.startswith(b"RIFF")


def test_no_image_outlives_a_file_that_is_deleted_while_it_is_drawn(tmp_path: Path) -> None:
    strokes = "".join(f"{n % 595} 0 m {n * 7 % 595} 842 l S\n" for n in range(300))
    path = write_pdf(tmp_path / "slow.pdf", strokes)
    page_size(path, 1)  # now the child has it open
    with ThreadPoolExecutor() as pool:
        drawing = pool.submit(render_page, path, 1, width_px=2200)
        time.sleep(0.3)
        assert not drawing.done()
        path.unlink()
        assert drawing.result().startswith(b"RIFF")
    assert not list((tmp_path / "cache").rglob("*.*"))


@pytest.mark.parametrize(
    ("kind", "is_drawn"),
    [
        ("highlight", False),
        ("underline", False),
        ("squiggly", False),
        ("strikeout", False),
        ("rect", True),
        ("freetext", True),
    ],
)
def test_marks_that_a_reader_put_on_the_text_are_not_drawn_but_other_annotations_are(
    kind: str, is_drawn: bool, tmp_path: Path
) -> None:
    plain, marked = tmp_path / "plain.pdf", tmp_path / "marked.pdf"
    document = library.open()
    page = document.new_page(width=300, height=300)
    page.insert_text((50, 100), "Marked words of a page")
    document.save(plain)
    place = library.Rect(50, 80, 250, 110)
    more = {"text": "a stamp"} if kind == "freetext" else {}
    getattr(page, f"add_{kind}_annot")(place, **more)
    document.save(marked)
    document.close()
    images = [
        Image.open(BytesIO(render_page(path, 1, width_px=240))).convert("RGB")
        for path in (plain, marked)
    ]
    difference = np.asarray(ImageChops.difference(*images))
    assert bool(difference.max() > NOTICEABLE) is is_drawn


def test_images_of_an_earlier_way_of_drawing_are_not_shown(tmp_path: Path) -> None:
    image = render_page(PDFS / "article.pdf", 1, width_px=240)
    kept = next((tmp_path / "cache").rglob("*.webp"))
    kept.with_name("1-240.webp").write_bytes(b"of before")
    kept.unlink()
    assert render_page(PDFS / "article.pdf", 1, width_px=240) == image


def test_many_threads_may_draw_at_once() -> None:
    with ThreadPoolExecutor(6) as pool:
        pages = [1, 2, 3] * 4
        images = list(pool.map(lambda n: render_page(PDFS / "article.pdf", n, width_px=240), pages))
    assert len({bytes(image) for image in images}) == 3


def test_a_picture_that_declares_ten_gigabytes_is_refused_or_drawn_within_limits(
    corpus: Path, settings: Settings
) -> None:
    settings.LITO_PARSE_MEMORY_MB = 300
    try:
        image = render_page(corpus / "nasty" / "bomb_jbig2.pdf", 1, width_px=1000)
    except ReadingError:
        return
    assert size_of(image)[0] == 1000
