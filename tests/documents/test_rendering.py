"""Pages as images: the right size, kept on disk, bounded, and drawn from many threads."""

from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from pytest_django import Settings

from documents.isolation import ReadingError
from documents.rendering import page_size, render_page
from tests.documents.files import PDFS


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
