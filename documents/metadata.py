"""Title, authors, year, identifiers and language of a file, each with its source. Pure."""

import re
import unicodedata
from collections.abc import Mapping, Sequence

from documents.page_text import BlockKind, Field, ParsedPage
from documents.titles import clean_title, is_junk_title, name_parts

FRONT_PAGES = 2
FIRST_PAGE, PDF_INFO, FILE_NAME = "first_page", "pdf_info", "file_name"
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>，。；、]+", re.IGNORECASE)
_ARXIV = re.compile(r"arXiv:\s*((?:\d{4}\.\d{4,5}|[a-z.-]+/\d{7})(?:v\d+)?)", re.IGNORECASE)
_ARXIV_NAME = re.compile(r"(?<!\d)(\d{4}\.\d{4,5}(?:v\d+)?)(?!\d)")
_DATED = re.compile(
    r"(?:published|accepted|received|publication date|©|copyright|\(c\)|vol(?:ume|\.)?|citation"
    r"|出版日期|收稿日期|发表时间)[^\n]{0,60}?\b((?:19[5-9]|20[0-4])\d)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\d.])((?:19[5-9]|20[0-4])\d)(?![\d.]*\d)")
_AUTHOR_NOISE = re.compile(
    r"universit|institut|department|school|college|faculty|laborator|hospital|cent(?:er|re)|@|https?:|www\.|doi\b"
    r"|received|accepted|published|correspond|abstract|licen[sc]e|大学|学院|研究所|中心|公司|摘要|邮箱|收稿",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[\d¹²³⁰⁴-⁹*†‡§¶#∗✉]+")
_LATIN_NAME = re.compile(r"^[^\W\d_][\w.'’‐-]*(?:\s+[^\W\d_][\w.'’‐-]*){1,5}$")
_CHINESE_NAME = re.compile(r"^[\u3400-\u9fff·]{2,6}$")
_SPELLINGS: dict[int, str | None] = {
    **{code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)},
    **dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), 0xAD]),
}


def read_metadata(
    pages: Sequence[ParsedPage], *, info: Mapping[str, str], file_name: str
) -> dict[str, Field]:
    """The fields that were found: title, authors, year, doi, arxiv_id, language.

    `info` is what the file says about itself. The first page wins over it where both are usable.
    """
    front = "\n".join(page.text for page in pages[:FRONT_PAGES])
    named = name_parts(file_name)
    choices: dict[str, list[tuple[object, str]]] = {
        "title": [
            (_first_page_title(pages), FIRST_PAGE),
            (_info_title(info), PDF_INFO),
            (named.title, FILE_NAME),
        ],
        "authors": [
            (_first_page_authors(pages), FIRST_PAGE),
            (_split_authors(info.get("author", "")), PDF_INFO),
            (list(named.authors), FILE_NAME),
        ],
        "year": [
            (_front_year(front), FIRST_PAGE),
            (named.year, FILE_NAME),
        ],
        "doi": [(_doi(front), FIRST_PAGE), (_doi(" ".join(info.values())), PDF_INFO)],
        "arxiv_id": [(_arxiv(front), FIRST_PAGE), (_named_arxiv(file_name), FILE_NAME)],
        "language": [(language_of("\n".join(page.text for page in pages[:6])), FIRST_PAGE)],
    }
    found: dict[str, Field] = {}
    for name, candidates in choices.items():
        for value, source in candidates:
            if value:
                found[name] = Field(_spelt_out(value), source)
                break
    return found


def _spelt_out(value: object) -> object:
    """Text with its letters as one types them: no ligatures, no control characters."""
    if isinstance(value, str):
        return value.translate(_SPELLINGS)
    if isinstance(value, list):
        return [_spelt_out(part) for part in value]
    return value


def language_of(text: str) -> str:
    """ISO 639-1 code by script and the commonest small words; "" where the text says too little."""
    letters = [c for c in text if c.isalpha()]
    if len(letters) < 24:
        return ""
    kana = sum("\u3040" <= c <= "\u30ff" for c in letters)
    hangul = sum("\uac00" <= c <= "\ud7af" for c in letters)
    han = sum("\u3400" <= c <= "\u9fff" for c in letters)
    shares = {
        "ko": hangul / len(letters),
        "ja": (kana + han) / len(letters) if kana > 0.1 * (kana + han) else 0,
        "zh": han / len(letters) if kana <= 0.1 * (kana + han) else 0,
        "ar": sum("\u0600" <= c <= "\u06ff" for c in letters) / len(letters),
        "he": sum("\u0590" <= c <= "\u05ff" for c in letters) / len(letters),
        "ru": sum("\u0400" <= c <= "\u04ff" for c in letters) / len(letters),
    }
    script, share = max(shares.items(), key=lambda item: item[1])
    return script if share > 0.15 else _latin_language(text)


_SMALL_WORDS = {
    "en": "the of and in to is that for with are was this by",
    "de": "der die und das ist ein eine nicht mit den von für",
    "fr": "le la les des et est une dans que pour du sur",
    "es": "el la los las que una por para con del se y",
    "pt": "o os que uma para com não do da em por mais",
    "it": "il che di una per con non del della sono gli è",
}


def _latin_language(text: str) -> str:
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = {
        code: sum(word in set(small.split()) for word in words)
        for code, small in _SMALL_WORDS.items()
    }
    code, hits = max(counts.items(), key=lambda item: item[1])
    return code if hits >= max(3, 0.03 * len(words)) else ""


def _blocks_of(page: ParsedPage, kind: BlockKind) -> list[str]:
    return [page.text[b.start : b.end] for b in page.blocks if b.kind is kind]


def _first_page_title(pages: Sequence[ParsedPage]) -> str:
    if not pages:
        return ""
    lines = " ".join(" ".join(_blocks_of(pages[0], BlockKind.TITLE)).split())
    title = clean_title(re.sub(r"(?<=\w)[-\u00ad] (?=[a-z])", "", lines))
    title = _MARKS.sub("", title[-3:]).join((title[:-3], "")) if title[-1:] in "*†‡§¶∗✉" else title
    return "" if is_junk_title(title) or len(title) > 350 else title


def _info_title(info: Mapping[str, str]) -> str:
    title = clean_title(info.get("title", ""))
    return "" if is_junk_title(title) else title


def _first_page_authors(pages: Sequence[ParsedPage]) -> list[str]:
    """Names, as far as the blocks below the title look like a list of names."""
    if not pages:
        return []
    names: list[str] = []
    for text in _blocks_of(pages[0], BlockKind.AUTHORS):
        found = _split_authors(" ".join(text.split()))
        if not found and names:
            break
        names += found
    return names[:60]


def _split_authors(text: str) -> list[str]:
    """The names in "A. Author1,2, B. Author*" or "张三1 李四2"; nothing if it is no such list."""
    plain = _MARKS.sub(",", text)
    if re.search(r"[\u3400-\u9fff]", plain):
        parts = re.split(r"[,，、;；\s]+", plain)
        names = [part for part in parts if _CHINESE_NAME.match(part)]
        enough = len(names) >= 0.7 * len([part for part in parts if part])
        return names if enough and not _AUTHOR_NOISE.search(text) else []
    parts = [
        part.strip(" .()[]") for part in re.split(r"[,;&]|\band\b|\bund\b|\bet\b|\by\b", plain)
    ]
    parts = [part for part in parts if len(part) > 1]
    names = [part for part in parts if _LATIN_NAME.match(part) and not _AUTHOR_NOISE.search(part)]
    return names if names and len(names) >= 0.6 * len(parts) and len(text) < 1500 else []


def _front_year(front: str) -> int | None:
    head = front[:6000]
    if dated := _DATED.findall(head):
        return max(int(year) for year in dated)
    years = [int(year) for year in _YEAR.findall(head[:1500])]
    return years[0] if years else None


def _doi(text: str) -> str:
    found = _DOI.search(text[:12000])
    if not found:
        return ""
    doi = found[0].rstrip(".,;:'”’)]}|")
    if "(" in doi and ")" not in doi:
        doi += ")" if found[0].startswith(doi + ")") else ""
    return doi.lower()


def _arxiv(text: str) -> str:
    found = _ARXIV.search(text[:12000])
    return found[1] if found else ""


def _named_arxiv(file_name: str) -> str:
    found = _ARXIV_NAME.search(file_name)
    return found[1] if found and 1 <= int(found[1][2:4]) <= 12 else ""
