"""What can't be used of a file's pages, and why, in words. Without a query."""

from dataclasses import dataclass

from django.utils.translation import ngettext

from documents.isolated.isolation import Failure
from documents.models import ParsedFile
from documents.page_ranges import page_ranges
from documents.pages.page_text import IN_VAIN, PageState, Reason

UNREADABLE = (
    PageState.NO_TEXT,
    PageState.GARBLED,
    PageState.UNSUPPORTED_ROTATION,
    PageState.FAILED,
    PageState.OCR,
)
"""States that a reader is told of, in the order in which they are told."""

EMPTY = "empty"
"""The code of pages with nothing on them: nothing is missing there, so it is no warning."""


@dataclass(frozen=True, slots=True)
class PageWarning:
    """What is the matter with these pages, in order: a page state or `EMPTY`, and why if known."""

    code: str
    pages: tuple[int, ...]
    reason: str = ""

    @property
    def is_gap(self) -> bool:
        """Whether something of the paper is missing for whoever searches it."""
        return self.code not in (EMPTY, PageState.OCR)

    def as_json(self) -> dict[str, object]:
        reason = {"reason": self.reason} if self.reason else {}
        return {"code": self.code, "pages": list(self.pages), **reason}


def kind_of(state: str, reason: str) -> tuple[str, str]:
    """The code and the reason under which a page is told of: with others of its kind."""
    if state == PageState.NO_TEXT and reason == Reason.BLANK:
        return EMPTY, ""
    if state == PageState.NO_TEXT and reason == Reason.PICTURE:
        return state, ""
    if reason.startswith(IN_VAIN) and reason != Reason.NOTHING_FOUND:
        return state, IN_VAIN
    return state, reason


def stored_warnings(parsed: ParsedFile | None) -> list[PageWarning]:
    """The same from the stored list, so without a query. Nothing of a file still being read."""
    if parsed is None or not parsed.complete:
        return []
    known = (warning for warning in parsed.warnings if isinstance(warning, dict))
    return [
        PageWarning(warning["code"], tuple(warning["pages"]), str(warning.get("reason", "")))
        for warning in known
    ]


def warning_words(warning: PageWarning) -> str:
    """One sentence for a person, with the page numbers."""
    count = len(warning.pages)
    sentence = _by_reason(warning, count) or _by_code(warning.code, count)
    return sentence % {"pages": page_ranges(warning.pages)}


def _by_code(code: str, count: int) -> str:
    sentences = {
        PageState.NO_TEXT: ngettext(
            "No text on page %(pages)s: probably a scan. It can be read, not searched.",
            "No text on pages %(pages)s: probably scans. They can be read, not searched.",
            count,
        ),
        PageState.GARBLED: ngettext(
            "The text of page %(pages)s is scrambled in the file and can't be searched.",
            "The text of pages %(pages)s is scrambled in the file and can't be searched.",
            count,
        ),
        PageState.UNSUPPORTED_ROTATION: ngettext(
            "The text of page %(pages)s stands at an angle: nothing can be highlighted there.",
            "The text of pages %(pages)s stands at an angle: nothing can be highlighted there.",
            count,
        ),
        PageState.FAILED: ngettext(
            "Page %(pages)s could not be read.", "Pages %(pages)s could not be read.", count
        ),
        PageState.OCR: ngettext(
            "Page %(pages)s was read by OCR: expect misread letters.",
            "Pages %(pages)s were read by OCR: expect misread letters.",
            count,
        ),
        EMPTY: ngettext("Page %(pages)s is empty.", "Pages %(pages)s are empty.", count),
    }
    return sentences[code]


def _by_reason(warning: PageWarning, count: int) -> str:
    """Where the reason says more than the state; else nothing."""
    sentences = {
        (PageState.NO_TEXT, Reason.NOTHING_FOUND): ngettext(
            "No text on page %(pages)s, and OCR found none either.",
            "No text on pages %(pages)s, and OCR found none either.",
            count,
        ),
        (PageState.NO_TEXT, IN_VAIN): ngettext(
            "OCR failed on page %(pages)s, probably a scan. It can be read, not searched.",
            "OCR failed on pages %(pages)s, probably scans. They can be read, not searched.",
            count,
        ),
        (PageState.GARBLED, Reason.NOTHING_FOUND): _scrambled(count),
        (PageState.GARBLED, IN_VAIN): _scrambled(count),
        (PageState.FAILED, Failure.TOO_SLOW): ngettext(
            "Reading page %(pages)s took too long and was given up.",
            "Reading pages %(pages)s took too long and was given up.",
            count,
        ),
        (PageState.FAILED, Failure.OUT_OF_MEMORY): ngettext(
            "Reading page %(pages)s took too much memory and was given up.",
            "Reading pages %(pages)s took too much memory and was given up.",
            count,
        ),
    }
    return next(
        (words for key, words in sentences.items() if key == (warning.code, warning.reason)), ""
    )


def _scrambled(count: int) -> str:
    return ngettext(
        "The text of page %(pages)s is scrambled in the file, and OCR could not read it either.",
        "The text of pages %(pages)s is scrambled in the file, and OCR could not read it either.",
        count,
    )
