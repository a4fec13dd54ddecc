"""Lines of text out of a picture of a page, by RapidOCR. Runs in the OCR child process only.

The detector looks at a smaller picture than the recogniser: lines are found as well there, in a
third of the time, while small print keeps its detail where it is read.
"""

from dataclasses import replace
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from rapidocr import RapidOCR

from documents.engines.ocr_lines import SeenLine
from documents.pages.raw_text import Floats

Picture = NDArray[np.uint8]
"""Rows, columns, and three colours in the order blue, green, red."""

DETECTED_SIDE = (736, 1536)
"""Bounds, in pixels, of the longer side of the picture in which lines are looked for."""
SAMPLED_LINES = 4
"""The longest lines tell which way up a page is."""
READABLE = 0.8
"""Mean score from which on the way that lines were read is the way that they run."""
LINE_SCORE = 0.5
LYING = 1.5
"""A box this many times as high as wide holds a line that runs up or down."""
COLUMN_MIDDLE = 0.2
"""Where in its column the middle of a recognised letter is, measured on rendered papers."""
FEWEST_LETTERS = 3
"""Fewer letters than this are as likely upright as lying: a lonely "1" is a tall box, too."""


def read_lines(picture: Picture) -> list[SeenLine]:
    """The lines of text on the picture, in no order, whichever way up it is.

    Corners are pixels of `picture`. Columns of top-down writing are lines that run down: the
    recogniser knows letters that lie on their side as well.
    """
    quads = _detected(picture)
    if not len(quads):
        return []
    turn = _page_turn(picture, quads)
    if turn == 0:
        return _recognised(picture, quads)
    upright = np.ascontiguousarray(np.rot90(picture, turn))
    lines = _recognised(upright, _detected(upright))
    return [_turned_back(line, turn, picture.shape[:2]) for line in lines]


@cache
def _engine() -> Any:
    """Detector and recogniser for Chinese and English, from the models inside the package."""
    return RapidOCR(
        params={
            "Global.log_level": "critical",
            # More threads wait for each other more than they help: a page costs half as much again.
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            # Lines of one batch are padded to the longest, which costs more than a batch saves.
            "Rec.rec_batch_num": 1,
            "Global.return_word_box": True,
        }
    )


def _detected(picture: Picture) -> Floats:
    """Corners of the boxes around lines, shape (n, 4, 2): from the top left, clockwise."""
    height, width = picture.shape[:2]
    longest = max(height, width)
    scale = float(np.clip(longest, *DETECTED_SIDE)) / longest
    smaller = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    found = _engine()(smaller, use_det=True, use_cls=False, use_rec=False)
    if found.boxes is None:
        return np.zeros((0, 4, 2), np.float32)
    return np.asarray(found.boxes, np.float32) / np.float32(scale)


def _page_turn(picture: Picture, quads: Floats) -> int:
    """How the page's lines run: 0 right, 1 down, 2 left, 3 up."""
    along, across = _sides(quads)
    lying = across > LYING * along
    most_lie = float(across[lying].sum()) > float(along[~lying].sum())
    chosen = np.flatnonzero(lying == most_lie)
    lengths = np.maximum(along, across)[chosen]
    sample = quads[chosen[np.argsort(-lengths)[:SAMPLED_LINES]]]
    first, second = (1, 3) if most_lie else (0, 2)
    score = _mean_score(_read(picture, sample, first))
    if score >= READABLE:
        return first
    other = _mean_score(_read(picture, sample, second))
    return second if other > score else first


def _recognised(picture: Picture, quads: Floats) -> list[SeenLine]:
    """What the boxes of an upright picture say; a few lines may lie (axes, stamps in a margin)."""
    if not len(quads):
        return []
    along, across = _sides(quads)
    usual = float(np.median(np.minimum(along, across)))
    lying = (across > LYING * along) & (across > FEWEST_LETTERS * usual)
    lines = _read(picture, quads[~lying], 0)
    for down, up in zip(
        _read(picture, quads[lying], 1), _read(picture, quads[lying], 3), strict=True
    ):
        lines.append(max(down, up, key=lambda line: line.score))
    return [line for line in lines if line.score >= LINE_SCORE and line.text.strip()]


def _read(picture: Picture, quads: Floats, turn: int) -> list[SeenLine]:
    """One line for each box, taken to run the way of `turn`."""
    courses = [np.roll(quad, -turn, axis=0) for quad in quads]
    if not courses:
        return []
    read = _engine().recognize_txt([_cut_out(picture, course) for course in courses])
    return [
        SeenLine(text, course, _centres(text, word_info), float(score))
        for text, course, word_info, score in zip(
            read.txts, courses, read.word_results, read.scores, strict=True
        )
    ]


def _cut_out(picture: Picture, course: Floats) -> Picture:
    """The box as an upright picture of its line."""
    width = max(2, round(float(np.linalg.norm(course[1] - course[0]))))
    height = max(2, round(float(np.linalg.norm(course[3] - course[0]))))
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(np.ascontiguousarray(course, np.float32), corners)
    cut: Picture = cv2.warpPerspective(
        picture, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    ).astype(np.uint8)
    return cut


def _centres(text: str, word_info: Any) -> Floats:
    """Where along the line, from 0 to 1, each letter was recognised; spaces have no place (NaN)."""
    columns = [column for word in word_info.word_cols for column in word]
    inked = np.array([not letter.isspace() for letter in text], bool)
    centres = np.full(len(text), np.nan, np.float32)
    if len(columns) == int(inked.sum()) and word_info.line_txt_len:
        centres[inked] = (np.array(columns, np.float32) + COLUMN_MIDDLE) / word_info.line_txt_len
    return centres


def _sides(quads: Floats) -> tuple[Floats, Floats]:
    """Width and height of boxes as they stand on the picture."""
    along = np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)
    across = np.linalg.norm(quads[:, 3] - quads[:, 0], axis=1)
    return along.astype(np.float32), across.astype(np.float32)


def _mean_score(lines: list[SeenLine]) -> float:
    return float(np.mean([line.score if line.text.strip() else 0.0 for line in lines]))


def _turned_back(line: SeenLine, turn: int, shape: tuple[int, ...]) -> SeenLine:
    """The line where it stands on the picture that was turned upright."""
    height, width = shape[:2]
    x, y = line.corners[:, 0], line.corners[:, 1]
    places = {1: (width - y, x), 2: (width - x, height - y), 3: (y, height - x)}
    return replace(line, corners=np.column_stack(places[turn]).astype(np.float32))
