"""Names of readings: which parser made the text, and what was added to it. Pure.

The text tier's label is the parser's name; `+ocr` and `+layout` are readings of their own, made out
of it in the background.
"""

from dataclasses import dataclass

from documents.pages.page_text import PageState

OCR = "ocr"
LAYOUT = "layout"
AGAIN = "again"
FOR_OCR = frozenset({PageState.NO_TEXT, PageState.GARBLED, PageState.OCR})
"""States of pages that OCR may make something of, or did."""


@dataclass(frozen=True, slots=True)
class Label:
    """A label taken apart. `again` counts how often OCR was asked to try lost pages once more."""

    parser: str
    ocr: bool = False
    layout: bool = False
    again: int = 0

    def __str__(self) -> str:
        again = f"{AGAIN}{self.again}" if self.again else ""
        parts = (self.parser, OCR * self.ocr, LAYOUT * self.layout, again)
        return "+".join(part for part in parts if part)


def reading_label(parser: str, *, ocr: bool = False, layout: bool = False) -> str:
    """The label of a reading.

    >>> reading_label("lito-1"), reading_label("lito-1", ocr=True, layout=True)
    ('lito-1', 'lito-1+ocr+layout')
    """
    return str(Label(parser, ocr, layout))


def parsed_label(label: str) -> Label:
    """The parts of a label.

    >>> parsed_label("lito-1+ocr+again2")
    Label(parser='lito-1', ocr=True, layout=False, again=2)
    """
    parser, *added = label.split("+")
    numbers = [part.removeprefix(AGAIN) for part in added if part.startswith(AGAIN)]
    return Label(parser, OCR in added, LAYOUT in added, int(numbers[0]) if numbers else 0)
