"""Is this file a PDF that can be read? Asked before anything is stored."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from documents.isolated.gates import CrowdedError, Gate
from documents.isolated.isolation import ReadingError, borrowed_reader

HEADER_WITHIN = 1024
"""The mark `%PDF-` must stand within the first bytes (PDF 2.0, 7.5.2, and what readers accept)."""
INSPECTION_SECONDS = 30
INSPECTING = Gate(inside=2, waiting=16, seconds=2 * INSPECTION_SECONDS)
"""Each inspection may take a whole `LITO_PARSE_MEMORY_MB`: never many in one process."""

MESSAGES = {
    "not_a_pdf": gettext_lazy(
        "This is not a PDF file. If it was a failed download, download the paper again."
    ),
    "empty_file": gettext_lazy("This file is empty. Download or export the paper again."),
    "locked": gettext_lazy(
        "This PDF is locked with a password. Remove the password, then upload it again."
    ),
    "damaged": gettext_lazy(
        "This PDF is damaged and can't be opened. Download or export the paper again."
    ),
    "busy": gettext_lazy("Many files are being checked just now. Add this one again in a minute."),
    "no_pages": gettext_lazy("No readable page was found in this PDF. Export the paper again."),
}


class RefusedFileError(Exception):
    """The file can't become a document. `code` is stable; `message` says what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Inspection:
    """What is known of a file before it is read. `size` is in bytes."""

    sha256: str
    size: int
    page_count: int


def inspect_pdf(
    path: Path | str, *, max_bytes: int | None = None, max_pages: int | None = None
) -> Inspection:
    """Inspect the file at `path`, or raise `RefusedFileError`. Limits default to the settings."""
    path = Path(path).resolve()
    most_bytes = settings.LITO_MAX_UPLOAD_BYTES if max_bytes is None else max_bytes
    most_pages = settings.LITO_MAX_PAGES if max_pages is None else max_pages
    size = path.stat().st_size
    if size == 0:
        raise _refused("empty_file")
    with path.open("rb") as file:
        if b"%PDF-" not in file.read(HEADER_WITHIN):
            raise _refused("not_a_pdf")
        if size > most_bytes:
            raise _too_large(most_bytes)
        file.seek(0)
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    try:
        with INSPECTING.entered():
            pages = _page_count(path)
    except CrowdedError as error:
        raise _refused("busy") from error
    if pages > most_pages:
        raise _too_many_pages(pages, most_pages)
    return Inspection(sha256, size, pages)


def too_large_sentence(most: int | None = None) -> str:
    """What to do with a file of more than `most` bytes; by default what the settings allow."""
    limit = settings.LITO_MAX_UPLOAD_BYTES if most is None else most
    text = _("This file is larger than {limit} MB. Split it or export it with smaller pictures.")
    return text.format(limit=limit // (1024 * 1024))


def _page_count(path: Path) -> int:
    with borrowed_reader(memory_mb=settings.LITO_PARSE_MEMORY_MB) as reader:
        try:
            found = reader.ask("inspect", seconds=INSPECTION_SECONDS, path=str(path)).values
        except ReadingError as error:
            raise _refused("damaged" if _has_objects(path) else "not_a_pdf") from error
    if found["locked"]:
        raise _refused("locked")
    if not found["is_pdf"]:
        raise _refused("not_a_pdf")
    if not found["pages"]:
        raise _refused("no_pages")
    return int(found["pages"])


def _has_objects(path: Path) -> bool:
    """Whether anything in the file looks like the inside of a PDF, however broken."""
    with path.open("rb") as file:
        content = file.read(4 * 1024 * 1024)
    return any(mark in content for mark in (b" obj", b"xref", b"trailer", b"endstream"))


def _refused(code: str) -> RefusedFileError:
    return RefusedFileError(code, str(MESSAGES[code]))


def _too_large(most: int) -> RefusedFileError:
    return RefusedFileError("too_large", too_large_sentence(most))


def _too_many_pages(pages: int, most: int) -> RefusedFileError:
    text = _("This PDF has {pages} pages; at most {limit} can be read. Split it into parts.")
    return RefusedFileError("too_many_pages", text.format(pages=pages, limit=most))
