"""Titles as people should see them: cleaned of what tools put around them, and cut short. Pure."""

import re
import unicodedata
from dataclasses import dataclass

_EXTENSION = re.compile(
    r"\.(?:pdf|docx?|tex|dvi|ps|rtf|indd|qxd|caj|p65|pmd|odt|wps|txt)$", re.IGNORECASE
)
_TOOL_PREFIX = re.compile(
    r"^(?:microsoft (?:word|powerpoint)|adobe \w+|powerpoint presentation)\s*-\s*", re.IGNORECASE
)
_COPY_SUFFIX = re.compile(
    r"\s*(?:[(（]\d{1,2}[)）]|- ?(?:副本|copy|复制)(?:\s*[(（]\d+[)）])?"
    r"|[(（]?(?:final|定稿|终稿)[)）]?)\s*$",
    re.IGNORECASE,
)
_SERIAL = re.compile(
    r"^(?!(?:19|20)\d\d(?!\d))(?:\d{1,4}\s*[._、．]+\s*|\d{2,4}\s*-+\s*|\d\s+-+\s+"
    r"|[\[(【（]\d{1,4}[\])】）]\s*[._、．-]*\s*|#\d{1,4}\s*)(?=[^\d\s])"
)
_YEAR = r"(?:19|20)\d\d[a-z]?"
_AUTHOR_YEAR = re.compile(
    rf"^(?P<authors>[^\d_/\\]{{2,80}}?)"
    rf"(?:\s*[-–—_ ]\s*(?P<year>{_YEAR})\s*[-–—_]"
    rf"|\s*[-–—_ ]?[(（](?P<year2>{_YEAR})[)）]\s*[-–—_:：.]?)"
    rf"\s*(?P<title>.{{2,}})$"
)
_YEAR_AUTHOR = re.compile(
    rf"^[(（]?(?P<year>{_YEAR})[)）]?\s*[-–—_]\s*(?P<authors>[^\d_/\\-]{{2,80}}?)"
    r"\s*[-–—_]\s*(?P<title>.{2,})$"
)
_CHINESE_AUTHOR_LAST = re.compile(
    r"^(?P<title>.*[\u3400-\u9fff].{3,})[_－-](?P<authors>[\u3400-\u9fff]{2,4})$"
)
_CHINESE_AUTHOR_FIRST = re.compile(
    r"^(?P<authors>[\u3400-\u9fff]{2,4}(?:等|,\s?等|和[\u3400-\u9fff]{2,4})?)\s*[-–—_ ]+\s*"
    rf"(?:(?P<year>{_YEAR})\s*[-–—_ ]+\s*)?(?P<title>.*[\u3400-\u9fff].{{3,}})$"
)
_JUNK = re.compile(
    r"^(?:untitled|unknown|title|no title|document|main|paper|manuscript|article|full ?text|proof"
    r"|draft|layout|slide|page|print|doc|file|template|output|microsoft word|无标题|未命名|新建"
    r"|文档|论文|正文|封面|目录)\W*\d*$"
    r"|^https?://|^[a-z]:\\|^[\w-]+\.(?:indd|qxd|dvi|tex|docx?|xml|fm|ps)\b"
    r"|^[A-Z]{2,12}[-_]?[A-Z]?[\d_.-]{3,}[\w.-]*(?:\s+\d+(?:\.\.\d+)?)*$|^[\d\W_]+$"
    r"|^(?:doi|arxiv|pii|s\d{4}|10\.)\W?[\d.:/ -]|\.\.\d+$",
    re.IGNORECASE,
)
_TRAILING = " \t,.;:-–—_·、，。；：([{（【《“‘/|"


@dataclass(frozen=True, slots=True)
class NameParts:
    """What a file name says: a title, and authors and year where it has such a prefix."""

    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None


def clean_title(text: str) -> str:
    """A title from PDF info, a page or a file name, without what tools put around it.

    Extensions, serial numbers, author-year prefixes and copy marks go; a title in its own words
    stays as it is.
    """
    return _parts(text).title


def name_parts(file_name: str) -> NameParts:
    """The parts of a file name such as "012_Smith et al. - 2019 - Title.pdf"."""
    parts = _parts(file_name)
    return NameParts() if is_junk_title(parts.title) else parts


def is_junk_title(title: str) -> bool:
    """Whether `title` says nothing about the paper: "untitled", "paper.dvi", "S0140-6736(20)"."""
    plain = title.strip()
    letters = sum(c.isalpha() for c in plain)
    if letters < 2 or _JUNK.search(plain):
        return True
    odd = sum(unicodedata.category(c) in {"Cn", "Co", "Cc", "Cs"} or c == "\ufffd" for c in plain)
    return odd > 0 or (letters < 5 and not _is_cjk_text(plain))


def short_label(title: str, latin: int = 24, cjk: int = 12) -> str:
    """`title` cleaned and cut at a word end to `latin` characters, or `cjk` for Chinese text.

    A wide character takes the room of `latin / cjk` narrow ones. Nothing is cut from a word in its
    middle unless the first word alone is too long; no punctuation stands at the end.
    """
    cleaned = clean_title(title) or " ".join(title.split())
    room, wide = float(latin), latin / cjk
    used, end, word_end = 0.0, len(cleaned), 0
    for index, character in enumerate(cleaned):
        is_wide = _is_wide(character)
        if is_wide or character.isspace():
            word_end = index
        used += wide if is_wide else 1
        if used > room:
            end = word_end or index
            break
    return cleaned[:end].rstrip(_TRAILING) or cleaned[:end].strip()


def _parts(text: str) -> NameParts:
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    plain = _COPY_SUFFIX.sub("", _EXTENSION.sub("", _TOOL_PREFIX.sub("", plain)))
    plain = _COPY_SUFFIX.sub("", _EXTENSION.sub("", plain)).strip()
    plain = _SERIAL.sub("", plain)
    for pattern in (_AUTHOR_YEAR, _YEAR_AUTHOR, _CHINESE_AUTHOR_FIRST, _CHINESE_AUTHOR_LAST):
        if (found := pattern.match(plain)) and _are_authors(found["authors"]):
            groups = found.groupdict()
            year = groups.get("year") or groups.get("year2")
            return NameParts(
                _spaced(found["title"]), _names(found["authors"]), int(year[:4]) if year else None
            )
    return NameParts(_spaced(plain))


def _are_authors(text: str) -> bool:
    """Few words, each like a name: not the first half of a title with a year in it."""
    words = [w for w in re.split(r"[\s,，、&;]+", text) if w and w.lower() not in _JOINERS]
    if _is_cjk_text(text):
        return len(words) <= 4 and all(len(word) <= 6 for word in words)
    return 0 < len(words) <= 6 and all(
        word[0].isupper() or word.lower() in _PARTICLES for word in words
    )


_JOINERS = {"et", "al", "al.", "and", "und", "等", "和"}
_PARTICLES = {"van", "von", "de", "der", "den", "del", "la", "le", "di", "da", "dos", "el", "bin"}


def _names(text: str) -> tuple[str, ...]:
    parts = re.split(r"\s*(?:,|;|，|、|&|\band\b|和)\s*", re.sub(r"\bet al\.?|,?\s*等$", "", text))
    return tuple(part.strip(" ._-") for part in parts if part.strip(" ._-"))


def _spaced(text: str) -> str:
    """Underscores stand for spaces where there are no spaces."""
    spaced = text.replace("_", " ") if " " not in text or text.count("_") > 2 else text
    return " ".join(spaced.split()).strip(" _-–—.")


def _is_cjk_text(text: str) -> bool:
    return any("\u3400" <= c <= "\u9fff" for c in text)


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"
