"""What somebody drops for an import: a library file, PDFs beside it, or a zip of both.

Nothing is unpacked onto disk, and nothing is believed: sizes, counts and names are checked here.
"""

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.core.files.base import File
from django.utils.translation import gettext as _

from documents.catalogue.bibtex import read_bibtex
from documents.catalogue.references import Reference
from documents.catalogue.ris import read_ris

LIBRARY_BYTES = 20 * 1024 * 1024
MOST_ENTRIES = 5000
MOST_MEMBERS = 20000
LIBRARY_ENDINGS = (".bib", ".bibtex", ".ris")
Opener = Callable[[], AbstractContextManager[BinaryIO]]


class UnreadableLibraryError(Exception):
    """Nothing of it can be imported. Its text is a sentence for the person who dropped it."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Entries in their order, the lines of broken ones, and PDFs by their paths."""

    name: str
    entries: Sequence[Reference]
    broken: Sequence[str] = ()
    pdfs: dict[str, Opener] = field(default_factory=dict)


def read_dropped(files: Sequence[File[Any]]) -> Dropped:
    """The one library among `files` and in zips of them, with all PDFs.

    Raises `UnreadableLibraryError`.
    """
    libraries: dict[str, Opener] = {}
    pdfs: dict[str, Opener] = {}
    for file in files:
        name = (file.name or "").replace("\\", "/")
        if name.lower().endswith(".zip"):
            _look_into(file, libraries, pdfs)
        elif name.lower().endswith(LIBRARY_ENDINGS):
            libraries[name] = _opener(file)
        elif name.lower().endswith(".pdf"):
            pdfs[name] = _opener(file)
    if not libraries:
        raise UnreadableLibraryError(_("There is no .bib or .ris file among these."))
    if len(libraries) > 1:
        names = ", ".join(sorted(PurePosixPath(name).name for name in libraries)[:4])
        words = _("There are several library files (%(names)s). Import one at a time.")
        raise UnreadableLibraryError(words % {"names": names})
    ((name, opened),) = libraries.items()
    with _as_a_zip_fails(), opened() as source:
        content = _bounded(source, name)
    entries, broken = read_references(content)
    return Dropped(PurePosixPath(name).name[:255], entries, broken, pdfs)


def read_references(content: bytes) -> tuple[list[Reference], list[str]]:
    """The entries of a library file, and the lines where broken ones begin.

    Raises `UnreadableLibraryError` if there is no entry at all, or far too many.
    """
    text = decoded(content)
    _check_beginnings(text)
    if re.search(r"^\W{0,2}TY  ?-", text[:200_000], re.MULTILINE):
        entries, broken = read_ris(text)
    elif re.search(r"@\s*\w+\s*[{(]", text[:200_000]):
        entries, broken = read_bibtex(text)
    else:
        raise UnreadableLibraryError(
            _("This is neither BibTeX nor RIS: it has no entry like @article{...} or TY  - JOUR.")
        )
    if not entries:
        raise UnreadableLibraryError(_("No entry of this file can be read: it is damaged."))
    _check_count(len(entries))
    return entries, broken


def _check_beginnings(text: str) -> None:
    """Counted before anything is parsed: a hostile file has a hundred thousand beginnings.

    Some may stand inside abstracts, so twice as many pass. Blanks are bounded: a megabyte of empty
    lines would be looked through once for each of them.
    """
    beginnings = re.finditer(r"@[ \t]{0,9}\w{1,40}\s{0,9}[{(]|^TY {1,2}-", text, re.MULTILINE)
    count = sum(1 for _beginning in beginnings)
    if count > 2 * MOST_ENTRIES:
        _check_count(count)


def _check_count(count: int) -> None:
    if count > MOST_ENTRIES:
        words = _("This file has %(count)d entries. At most %(most)d can be imported at a time.")
        raise UnreadableLibraryError(words % {"count": count, "most": MOST_ENTRIES})


def decoded(content: bytes) -> str:
    """The text in UTF-8, UTF-16, GB18030 or Latin-1, whichever it is. Raises
    `UnreadableLibraryError` for what is no text."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _strictly(content, "utf-16")
    if b"\0" in content:
        raise UnreadableLibraryError(_("This is not a text file."))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _strictly(content, "gb18030" if _is_in_pairs(content) else "cp1252")


def _strictly(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding == "cp1252":
            return content.decode("latin-1")
        raise UnreadableLibraryError(
            _("The letters of this file can't be read. Export it again as UTF-8.")
        ) from error


def _is_in_pairs(content: bytes) -> bool:
    """Chinese text has its high bytes in pairs; in European text they stand alone."""
    runs = re.findall(rb"[\x81-\xfe]+", content)
    total = sum(map(len, runs))
    paired = sum(len(run) for run in runs if len(run) > 1)
    return paired >= 0.8 * total


def _look_into(file: File[Any], libraries: dict[str, Opener], pdfs: dict[str, Opener]) -> None:
    """Names only: of what is inside, no more is unpacked than is then used."""
    with _as_a_zip_fails():
        archive = zipfile.ZipFile(_stream(file))
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > MOST_MEMBERS:
        words = _("This zip holds %(count)d files, more than %(most)d.")
        raise UnreadableLibraryError(words % {"count": len(members), "most": MOST_MEMBERS})
    for member in members:
        name = member.filename.replace("\\", "/")
        if name.startswith("__MACOSX/") or PurePosixPath(name).name.startswith("._"):
            continue
        if name.lower().endswith(LIBRARY_ENDINGS):
            libraries[name] = _library_opener(archive, member)
        elif name.lower().endswith(".pdf"):
            pdfs[name] = _member_opener(archive, member)


@contextmanager
def _as_a_zip_fails() -> Iterator[None]:
    """What `zipfile` raises for a broken or a locked archive, as a sentence."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError) as error:
        raise UnreadableLibraryError(_("This zip is damaged.")) from error
    except RuntimeError as error:  # how zipfile says that a password is needed
        raise UnreadableLibraryError(_("This zip is locked with a password.")) from error


def _bounded(source: Any, name: str) -> bytes:
    content: bytes = source.read(LIBRARY_BYTES + 1)
    if len(content) > LIBRARY_BYTES:
        words = _("%(name)s is larger than %(most)d MB. Export a part of the library.")
        most = LIBRARY_BYTES // 1024 // 1024
        raise UnreadableLibraryError(words % {"name": PurePosixPath(name).name, "most": most})
    return content


def _stream(file: File[Any]) -> BinaryIO:
    """The bytes of an uploaded file, from its start."""
    stream: Any = file.file
    stream.seek(0)
    found: BinaryIO = stream
    return found


class _Held(AbstractContextManager[BinaryIO]):
    """A file that somebody else closes, from its start."""

    def __init__(self, file: File[Any]) -> None:
        self.file = file

    def __enter__(self) -> BinaryIO:
        return _stream(self.file)

    def __exit__(self, *_error: object) -> None:
        """Nothing to close."""


def _opener(file: File[Any]) -> Opener:
    return lambda: _Held(file)


def _library_opener(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Opener:
    def opened() -> AbstractContextManager[BinaryIO]:
        source: Any = archive.open(member)
        return cast("BinaryIO", source)

    return opened


def _member_opener(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Opener:
    """Opens a PDF inside the zip: in memory, and never more of it than a file may have."""

    def opened() -> BytesIO:
        most = settings.LITO_MAX_UPLOAD_BYTES
        try:
            with archive.open(member) as source:
                return BytesIO(source.read(most + 1))
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
            return BytesIO(b"")

    return opened
