"""The files that entries of a library name, and finding them among the files that came along. Pure.

Zotero writes `Full Text:files/123/Smith - 2019.pdf:application/pdf`, JabRef
`:Smith2019.pdf:PDF`, Mendeley and BibDesk the path alone; colons, semicolons and backslashes
inside are escaped, paths may be Windows paths, and several files are set apart by semicolons.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from urllib.parse import unquote

_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")
_MIME = re.compile(
    r"^(?:application|text|image)/[\w.+-]+$|^(?:pdf|html|word|url|ps)$", re.IGNORECASE
)


def attached_paths(field: str) -> list[str]:
    """The paths of PDFs that a `file` field or an RIS `L1` names, with forward slashes."""
    found: list[str] = []
    for part in _parts(field, ";"):
        if part.strip().lower().startswith("file:/"):
            found.append(_plain(part.strip()))
            continue
        pieces = _parts(part, ":")
        pieces = _with_drives([piece.strip() for piece in pieces])
        if len(pieces) >= 3 and _MIME.match(pieces[-1]):
            path = ":".join(pieces[1:-1])
        else:
            path = next((piece for piece in pieces if piece.lower().endswith(".pdf")), "")
        found.append(_plain(path or part.strip()))
    return [path for path in dict.fromkeys(found) if path.lower().endswith(".pdf")]


class Offered:
    """The paths of the files that came along, by their names."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_name: dict[str, list[tuple[list[str], str]]] = {}
        for path in paths:
            parts = _folded(path).split("/")
            self._by_name.setdefault(parts[-1], []).append((parts, path))

    def find(self, wanted: str) -> str | None:
        """The one path that is meant by `wanted`: the longest common end decides.

        None if there is none, or if several fit equally well: which of two "Full Text.pdf" belongs
        to an entry is not guessed.
        """
        parts = _folded(wanted).split("/")
        offered = self._by_name.get(parts[-1], [])
        scores = [(_common_end(parts, others), path) for others, path in offered]
        best = max((score for score, _ in scores), default=0)
        fitting = [path for score, path in scores if score == best]
        return fitting[0] if len(fitting) == 1 else None


def _parts(text: str, sign: str) -> list[str]:
    """Split at `sign` where no backslash stands before it; the backslash of an escape goes."""
    parts, current, index = [], "", 0
    while index < len(text):
        character = text[index]
        if character == "\\" and text[index + 1 : index + 2] in (";", ":"):
            if sign == ":":
                current += text[index + 1]
            else:
                current += text[index : index + 2]
            index += 2
            continue
        if character == sign:
            parts.append(current)
            current = ""
        else:
            current += character
        index += 1
    return [*parts, current]


def _with_drives(pieces: Iterable[str]) -> list[str]:
    """Put `C` and `\\Users\\a.pdf` together again: that colon was not a separator."""
    joined: list[str] = []
    for piece in pieces:
        if joined and re.fullmatch(r"[A-Za-z]", joined[-1]) and piece[:1] in ("\\", "/"):
            joined[-1] = f"{joined[-1]}:{piece}"
        else:
            joined.append(piece)
    return joined


def _plain(path: str) -> str:
    """A path with forward slashes, unescaped, out of a `file://` address if it is one."""
    if path.lower().startswith("file:"):
        path = unquote(re.sub(r"^file:/*", "/", path, flags=re.IGNORECASE))
    path = re.sub(r"\\+", "/", path) if _DRIVE.match(path) or "\\" in path else path
    return re.sub(r"/+", "/", path).strip()


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path.replace("\\", "/")).casefold()


def _common_end(wanted: Sequence[str], offered: Sequence[str]) -> int:
    count = 0
    for one, other in zip(reversed(wanted), reversed(offered), strict=False):
        if one != other:
            break
        count += 1
    return count
