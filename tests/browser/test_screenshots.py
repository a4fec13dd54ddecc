"""The pictures of the README can be made: every page that they show comes up as they expect."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from tests.browser.screenshots import NAMES, PHONE, WIDE, Photographer, prepare
from tests.live import LiveStack

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LEAST_COLOURS = 50
"""An empty page has fewer."""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_picture_is_made(browser: "Browser", live_stack: LiveStack, tmp_path: Path) -> None:
    prepare(live_stack)
    Photographer(browser, live_stack.address, tmp_path).take_all()
    assert {path.stem for path in tmp_path.iterdir()} == set(NAMES)
    for name in NAMES:
        with Image.open(tmp_path / f"{name}.png") as picture:
            expected = 2 * PHONE["width"] if name == "phone" else WIDE["width"]
            assert picture.width == expected
            colours = picture.convert("RGB").getcolors(picture.width * picture.height) or []
            assert len(colours) >= LEAST_COLOURS, f"{name} is almost empty"
