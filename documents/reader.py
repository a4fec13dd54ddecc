"""What the reader shows of a version: its sheets in order, and the lines of one sheet."""

from dataclasses import dataclass
from typing import Any

from django.db.models import F
from django.utils.translation import gettext as _

from documents.models import Page, Version
from documents.pages.page_text import PageState
from documents.pages.text_lines import TextLine, text_lines
from projects.requests import whole_number

A4 = (595.0, 842.0)
READABLE = (PageState.OK, PageState.OCR)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One physical page on screen. `width` and `height` are points of the displayed page."""

    number: int
    label: str
    width: float
    height: float
    state: PageState
    reason: str = ""

    @property
    def has_printed_label(self) -> bool:
        return self.label not in ("", str(self.number))


def sheets(version: Version) -> list[Sheet]:
    """All pages of the file, in order; pages not read yet keep their place."""
    stored = {}
    if version.parsed_id is not None:
        rows = Page.objects.filter(parsed_id=version.parsed_id).values_list(
            "number", "label", "width", "height", "state", "reason"
        )
        stored = {row[0]: row for row in rows}
    count = max(version.page_count, *stored, 0) if stored else version.page_count
    size = next(((row[2], row[3]) for row in stored.values() if row[2] and row[3]), A4)
    return [_sheet(number, stored.get(number), size) for number in range(1, count + 1)]


def _sheet(
    number: int,
    row: tuple[int, str, float, float, str, str] | None,
    usual: tuple[float, float],
) -> Sheet:
    if row is None:
        return Sheet(number, "", *usual, PageState.PENDING)
    _, label, width, height, state, reason = row
    return Sheet(number, label, width or usual[0], height or usual[1], PageState(state), reason)


def sheet_of(page: Page) -> Sheet:
    """A stored page as a sheet."""
    width, height = page.width or A4[0], page.height or A4[1]
    return Sheet(page.number, page.label, width, height, PageState(page.state), page.reason)


def page_lines(version: Version, number: int) -> tuple[Sheet, list[TextLine]] | None:
    """A page with its selectable lines, or nothing if the file has no such page (yet)."""
    if version.parsed_id is None:
        return None
    page = Page.objects.filter(parsed_id=version.parsed_id, number=number).first()
    if page is None:
        return None
    sheet = sheet_of(page)
    if not page.text:
        return sheet, []
    lines = text_lines(page.text, page.boxes(), width=sheet.width, height=sheet.height)
    return sheet, lines


def reader_context(version: Version, shown: list[Sheet], *, page: int) -> dict[str, Any]:
    """What `documents/_reader.html` needs: the sheets, and the first page's text at once."""
    found = page_lines(version, page)
    newest = newest_version(version)
    return {
        "project": version.project,
        "version": version,
        "document": version.document,
        "sheets": shown,
        "page": page,
        "page_sheet": shown[page - 1] if page <= len(shown) else None,
        "first_lines": found[1] if found else [],
        "citation_line": citation_line(version),
        "newer": newest if newest.pk != version.pk else None,
    }


def citation_line(version: Version) -> str:
    """`Smith et al. 2019, On lemons`: what stands behind a copied quotation."""
    document = version.document
    names = [str(name) for name in document.authors if name]
    who = (
        names[0] if len(names) == 1 else _("%(name)s et al.") % {"name": names[0]} if names else ""
    )
    dated = " ".join(part for part in (who, str(document.year or "")) if part)
    return ", ".join(part for part in (dated, document.title or version.file_name) if part)


def number_of(shown: list[Sheet], wanted: str) -> int | None:
    """The physical page that a person means: its position, else what is printed on it."""
    wanted = wanted.strip()
    number = whole_number(wanted)
    if number is not None and 1 <= number <= len(shown):
        return number
    return next((sheet.number for sheet in shown if wanted and sheet.label == wanted), None)


def newest_version(version: Version) -> Version:
    """The current version of the same paper (itself, unless a newer file replaced it)."""
    newest = (
        Version.objects.present()
        .searchable()
        .filter(document_id=version.document_id)
        .order_by(F("superseded_at").desc(nulls_first=True), "-number")
        .first()
    )
    return newest or version
