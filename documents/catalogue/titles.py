"""Titles as people should see them: cleaned of what tools put around them, and cut short. Pure."""

import re
import unicodedata
from dataclasses import dataclass

from documents.catalogue.author_names import is_chinese_name
from documents.catalogue.name_words import PARTICLES

_EXTENSION = re.compile(
    r"\.(?:pdf|docx?|tex|dvi|ps|rtf|indd|qxd|caj|p65|pmd|odt|wps|txt)$", re.IGNORECASE
)
_TOOL_PREFIX = re.compile(
    r"^(?:microsoft (?:word|powerpoint)|adobe \w+|powerpoint presentation)\s*-\s*", re.IGNORECASE
)
_COPY_SUFFIX = re.compile(
    r"[\s_]*(?:[(（【\[]\d{1,2}[)）】\]]"
    r"|[-–_ ] ?(?:副本|copy|复制|拷贝)(?:\s*[(（]?\d+[)）]?)?|副本"
    r"|(?:[-_ ]+|(?<=[\u3400-\u9fff])|[(（【\[])(?:final|定稿|终稿|最终版?|修改稿?|打印版|高清版?)"
    r"(?:[-_ ]?(?:version|版))?[)）】\]]?|[-_ ][vV]\d{1,2}(?:\.\d)?"
    r"|[-_](?:compressed|ocr|signed))\s*$",
    re.IGNORECASE,
)
_COPY_PREFIX = re.compile(r"^(?:copy of |副本[-_ ]?|复件\s?)", re.IGNORECASE)
_SERIAL = re.compile(
    r"^(?!(?:19|20)\d\d(?!\d))(?:\d{1,4}\s*[._、．]+\s*|\d{2,4}\s*-+\s*|\d\s+-+\s+"
    r"|[\[(【（](?!(?:19|20)\d\d\D)\d{1,4}[\])】）]\s*[._、．-]*\s*|#\d{1,4}\s*)(?=[^\d\s])"
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
_LEADING_YEAR = re.compile(
    rf"^(?:[\[(（【](?P<year>{_YEAR})[\])）】]\s*[-–—_.]?|(?P<year2>{_YEAR})\s*[-–—_.]+)"
    r"\s*(?P<rest>.{2,})$"
)
_TRAILING_YEAR = re.compile(rf"^(?P<rest>.{{4,}}?)\s*[-_ ]*[(（\[](?P<year>{_YEAR})[)）\]]$")
_ARXIV_PREFIX = re.compile(
    r"^(?:arxiv[-_: .]*)?\d{4}\.\d{4,5}(?:v\d+)?(?:[\s._-]+(?=[^\W\d])|$)", re.IGNORECASE
)
_CHINESE_CITATION = re.compile(
    r"^(?P<authors>[\u3400-\u9fff]{2,4}(?:[,，、;； ]+[\u3400-\u9fff]{2,4})*(?:[,，]?\s?等)?)"
    r"[.．。]\s*"
    rf"(?P<title>.*?[\u3400-\u9fff].*?)\[[A-Z](?:/OL)?\](?:.*?(?P<year>{_YEAR}))?.*$"
)
_IDENTIFIER = re.compile(
    r"^(?:1-s2\.0-\S+|pii[-_ ]?s?\S*\d{6}\S*|s\d{4,5}-\d{3}-\d{4,5}-\w\S*|10\.\d{4,9}[_/@%]\S+"
    r"|(?:journal|info)\.\w+\.\d+\S*|(?:nihms|pmc|ssrn|hal|w|nber|pb|rfc|iso|gbt?)[-_ ]?\d{3,}\S*"
    r"|[a-z]{2,12}-\d{1,3}-\d{3,}\S*|97[89][-\d]{10,}|[0-9a-f]{16,}|[A-Z]?\d[\d_.-]{4,}\S{0,6})$",
    re.IGNORECASE,
)
_JUNK = re.compile(
    r"^(?:untitled|unknown|title|no title|document|main|paper|manuscript|article|full ?text|proof"
    r"|draft|layout|binder|404 error|slide|page|print|doc|file|template|output|microsoft word"
    r"|scan|img|image|download|attachment|fulltext|pdf|无标题|未命名|新建|文档|论文|正文|封面|目录|扫描件?)\W*\d*$"
    r"|^https?://|^[a-z]:\\|^[\w-]+\.(?:indd|qxd|dvi|tex|docx?|xml|fm|ps)\b"
    r"|^[A-Z]{2,12}[-_]?[A-Z]?[\d_.-]{3,}[\w.-]*(?:\s+\d+(?:\.\.\d+)?)*$|^[\d\W_]+$"
    r"|^(?:doi|arxiv|pii|s\d{4}|10\.)\W?[\d.:/ -]|\.\.\d+$"
    r"|^[A-Z\d]+(?:[/.~:_-][A-Z\d]+){2,}\S*$",
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
    """The parts of a file name such as "012_Smith et al. - 2019 - Title.pdf".

    Names that publishers and servers give ("1-s2.0-S0140...-main.pdf", "2301.01234v2.pdf") say
    nothing that a reader wants to see.
    """
    parts = _parts(file_name)
    junk = is_junk_title(parts.title) or _IDENTIFIER.match(parts.title)
    return NameParts() if junk else parts


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


def plain_title(text: str) -> str:
    """A title that a page shows, in one line and without control characters, else as it stands."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _parts(text: str) -> NameParts:
    plain = _without_copy_marks(_TOOL_PREFIX.sub("", plain_title(text)))
    plain = _ARXIV_PREFIX.sub("", plain)
    if _IDENTIFIER.match(plain):
        return NameParts(plain)
    plain = _SERIAL.sub("", plain)
    patterns = (
        _CHINESE_CITATION,
        _AUTHOR_YEAR,
        _YEAR_AUTHOR,
        _CHINESE_AUTHOR_FIRST,
        _CHINESE_AUTHOR_LAST,
    )
    for pattern in patterns:
        if (found := pattern.match(plain)) and _are_authors(found["authors"]):
            return _named_parts(found)
    for pattern in (_LEADING_YEAR, _TRAILING_YEAR):
        if found := pattern.match(plain):
            return _with_year(found)
    return NameParts(_spaced(plain))


def _without_copy_marks(name: str) -> str:
    """A name without extensions and what is added to copies and versions of a file."""
    before = ""
    while name != before:
        before = name
        shorter = _COPY_PREFIX.sub("", _COPY_SUFFIX.sub("", _EXTENSION.sub("", name))).strip()
        name = shorter or name
    return name


def _named_parts(found: re.Match[str]) -> NameParts:
    groups = found.groupdict()
    year = groups.get("year") or groups.get("year2")
    return NameParts(
        _spaced(found["title"]), _names(found["authors"]), int(year[:4]) if year else None
    )


def _with_year(found: re.Match[str]) -> NameParts:
    """What is left beside a year, which may name an author in front ("[2019] Smith - Title")."""
    rest, groups = found["rest"], found.groupdict()
    year = int((groups.get("year") or groups.get("year2") or "")[:4])
    author = re.match(r"^(?P<authors>[^\d_/\\-]{2,60}?)\s*(?: [-–—] |_)\s*(?P<title>.{4,})$", rest)
    if author and _are_authors(author["authors"]) and len(author["authors"].split()) <= 4:
        return NameParts(_spaced(author["title"]), _names(author["authors"]), year)
    return NameParts(_spaced(rest), (), year)


def _are_authors(text: str) -> bool:
    """Few words, each like a name: not the first half of a title with a year in it."""
    words = [
        w
        for w in re.split(r"[\s,，、&;；]+|(?<=[一-鿿]{2})和(?=[一-鿿]{2})", text)
        if w and w.lower() not in _JOINERS
    ]
    if _is_cjk_text(text):
        return 0 < len(words) <= 6 and all(is_chinese_name(word.rstrip("等")) for word in words)
    return 0 < len(words) <= 6 and all(
        word[0].isupper() or word.lower() in PARTICLES for word in words
    )


_JOINERS = {"et", "al", "al.", "and", "und", "等", "和"}


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
