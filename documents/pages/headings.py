"""Headings: numbered, known by their words, or standing out; English and Chinese. Pure."""

import re
from dataclasses import dataclass

MOST_CHARACTERS = 180
MOST_LINES = 4
MOST_PLAIN_CHARACTERS = 90
"""A numbered heading in the type of the text is at most so long."""
MOST_CHINESE = 90
"""Signs of a numbered Chinese heading in bold; half of that in the type of the text."""
LARGE, LARGER, LARGEST = 1.08, 1.15, 1.25
"""Sizes, in sizes of the usual text, from which on a line stands out."""

FEWEST_CAPITALS = 5
TITLE_WORDS = 4
"""From so many words on a heading may hold a sign of mathematics."""

_NUMERALS = "一二三四五六七八九十"
_NUMBERED = re.compile(
    r"^(?:§\s?|(?:Part|Chapter|Section|Teil|Kapitel|Chapitre|Capítulo|PART|CHAPTER) )?"
    r"(?:(?P<decimal>\d{1,2}(?:\s?\.\s?\d{1,2}){0,4})|(?P<roman>[IVX]{1,5})"
    r"|(?P<letter>[A-H](?:\.\d{1,2}){0,3}))"
    r"(?:(?P<mark>[.)．:])\s*|(?P<comma>、)\s*|\s+|(?=[\u3400-\u9fff]))(?=[^\W\d_])"
)
_CHINESE_NUMBERED = re.compile(
    rf"^(?:(?P<chapter>第\s*[{_NUMERALS}百\d]+\s*[章编部篇])"
    rf"|(?P<section>第\s*[{_NUMERALS}百\d]+\s*节)"
    rf"|(?P<comma>[{_NUMERALS}]{{1,3}}\s*[、．.])"
    rf"|(?P<bracket>[(（][{_NUMERALS}]{{1,3}}[)）]))"
)
_NUMBERING = r"(?:(?:\d{1,2}|[IVX]{1,5}|[A-H])(?:\.\d{1,2})*[.、\s)]*)?"
_CHINESE_NUMBERING = rf"(?:(?:\d{{1,2}}|[{_NUMERALS}]{{1,3}}|第[{_NUMERALS}\d]+章)[.、\s]*)?"
_KNOWN = re.compile(
    rf"^(?:{_NUMBERING}(?:abstract|a b s t r a c t|summary|(?:general )?introduction"
    r"|background(?: and [\w ]{3,30})?|(?:materials?|patients|subjects|participants|data)?"
    r"(?: ?(?:and|&) )?methods?(?: (?:and|&) materials?)?|methodology|literature review"
    r"|(?:main |experimental |empirical )?results?(?: ?(?:/|and|&) ?discussions?)?"
    r"|(?:general )?discussions?(?: and conclusions?)?"
    r"|conclusions?(?: (?:and|&) [\w ]{3,40})?|concluding remarks|related works?"
    r"|(?:strengths and )?limitations?(?: and [\w ]{3,40})?|acknowledge?ments?"
    r"|(?:online )?appendi(?:x|ces)(?: [a-z\d]{1,2})?|(?:data|code) availability(?: statement)?"
    r"|availability of data and materials?|funding(?: (?:statement|information|sources?))?"
    r"|keywords?|key words|(?:declaration of )?(?:conflicts?|competing) (?:of )?interests?"
    r"|(?:credit )?author(?:s[’']|ship)? contributions?(?: statement)?|declarations"
    r"|ethic(?:s|al)(?: statement| approval)?(?: and consent to participate)?"
    r"|consent for publication"
    r"|(?:supplementary|supporting) (?:materials?|information|data)|endnotes|nomenclature"
    r"|abbreviations|list of (?:figures|tables)|(?:table of )?contents"
    r"|vorwort|einleitung|zusammenfassung|inhaltsverzeichnis|anhang|introducción|índice"
    r"|résumé|conclusión|conclusiones)"
    rf"|{_CHINESE_NUMBERING}(?:(?:中文)?摘\s*要|引\s*言|绪\s*论|前\s*言|序\s*言|导\s*论|关\s*键\s*词"
    r"|致\s*谢|附\s*录|结\s*论|结\s*语|总\s*结|讨\s*论|目\s*录|结\s*果(?:与讨论)?|讨论与结论"
    r"|(?:研究)?方\s*法|(?:材料|资料|对象|数据)与方法|研究背景|文献综述|相关工作|作者简介|图说明))"
    r"\s*[:：.]?$",
    re.IGNORECASE,
)
REFERENCES = re.compile(
    rf"^(?:{_NUMBERING}(?:(?:main |supplementary )?references?"
    r"(?: and notes?| cited| list)?|bibliography|works cited"
    r"|literature cited|literatur(?:verzeichnis)?|références|bibliographie|referencias)"
    rf"|(?:[\d.§、\s]*|{_CHINESE_NUMBERING})(?:主要)?参\s*考\s*(?:文\s*献|资\s*料)|引用文献)\s*[:：.]?$",
    re.IGNORECASE,
)
ABSTRACT = re.compile(
    r"^(?:abstract\b|a b s t r a c t\b|summary\s*[:.]|(?:中文)?摘\s*要|[【\[]\s*摘\s*要\s*[】\]])",
    re.IGNORECASE,
)
CONTENTS = re.compile(
    r"^(?:(?:table of )?contents|目\s*[录次]|inhaltsverzeichnis|índice|sommaire|table des matières)"
    r"\s*[:：]?$",
    re.IGNORECASE,
)
_CONTENTS = re.compile(r"(?:\. ?){4,}\s*[\divx]*$|[.…·]{3,}\s*[\divx]+$|\t\d+$")
_CODE = re.compile(r"[\\{}]|[\w.]\(\)|::|;$|==|\w_\w|^[%#$]\s|\.(?:m|py|txt|cpp|xlsx|pdf)$")
_SENTENCE_END = re.compile(r"[.;,。，；:：]$")
_MATHEMATICAL = re.compile(r"[=<>≤≥∈∑∫≈±⊂∀∃→∞]")
_CHINESE_SENTENCE = re.compile(r"[\u3400-\u9fff].*(?:[，；,;].*[\u3400-\u9fff]|[。；]$)")
_LABEL = re.compile(r"[:：]$")


@dataclass(frozen=True, slots=True)
class HeadingLike:
    """`level` from 1. What is `certain` needs no look at what stands around it."""

    level: int
    certain: bool


def heading_like(
    text: str, *, lines: int, size: float, bold: bool, italic: bool = False
) -> HeadingLike | None:
    """What kind of heading `text` may be. `size` is in sizes of the document's usual text."""
    plain = " ".join(text.split())
    if lines > MOST_LINES or not 2 <= len(plain) <= MOST_CHARACTERS:
        return None
    if is_known(plain):
        number = _NUMBERED.match(plain)
        depth = number[0].strip(" .").count(".") if number else 0
        return HeadingLike(1 + depth, certain=True)
    if _CONTENTS.search(plain) or _CODE.search(plain):
        return None
    stands_out = bold or size > LARGE
    if chinese := _CHINESE_NUMBERED.match(plain):
        return _chinese(plain, chinese, bold=stands_out)
    if numbered := _NUMBERED.match(plain):
        return _numbered(plain, numbered, stands_out=stands_out, size=size)
    return _unnumbered(plain, lines, size, bold=bold, italic=italic)


def _unnumbered(
    plain: str, lines: int, size: float, *, bold: bool, italic: bool
) -> HeadingLike | None:
    letters = sum(c.isalpha() for c in plain)
    if letters < 3 or letters < 0.5 * len(plain) or plain[0].islower() or plain[-1] in ";,。；，":
        return None
    if _MATHEMATICAL.search(plain) and len(plain.split()) < 2 * TITLE_WORDS:
        return None
    if found := _by_look(plain, lines, size, bold=bold):
        return found
    short = lines <= 2 and len(plain) <= MOST_PLAIN_CHARACTERS and size > 0.95
    plain_words = plain[-1] not in ".:" and plain[0].isalpha()
    return HeadingLike(3, certain=False) if italic and short and plain_words else None


def is_known(plain: str) -> bool:
    """Whether the words are those of a section that papers have."""
    return bool(_KNOWN.match(plain) or REFERENCES.match(plain))


def is_numbered(text: str) -> bool:
    """Whether `text` begins with the number of a heading."""
    return bool(_NUMBERED.match(text) or _CHINESE_NUMBERED.match(text))


def is_numbered_row(row: str) -> bool:
    """Whether a line of text may by itself be a numbered heading, whatever it looks like."""
    plain = row.strip()
    if not 3 <= len(plain) <= MOST_PLAIN_CHARACTERS or _SENTENCE_END.search(plain):
        return False
    if _CODE.search(plain) or _CONTENTS.search(plain):
        return False
    if chinese := _CHINESE_NUMBERED.match(plain):
        return 1 <= len(plain[chinese.end() :].strip()) <= 30
    numbered = _NUMBERED.match(plain)
    if numbered is None:
        return False
    rest = plain[numbered.end() :]
    deep = "." in (numbered["decimal"] or "")
    marked = deep or bool(numbered["mark"] == "." and (numbered["roman"] or numbered["letter"]))
    return marked and rest[0] == rest[0].upper() and not _is_one_letter(numbered, plain)


def _is_one_letter(numbered: re.Match[str], plain: str) -> bool:
    """ "A. Smith" and the like: initials, not numbers."""
    rest = plain[numbered.end() :]
    latin = rest[0].isascii()
    return bool(latin and numbered["letter"] and ("," in rest or len(rest.split()) < 2))


def _chinese(plain: str, found: re.Match[str], *, bold: bool) -> HeadingLike | None:
    if plain[-1] in "。；，：" or len(plain) > (MOST_CHINESE if bold else MOST_CHINESE // 2):
        return None
    kinds = ("chapter", "section", "comma", "bracket")
    place = next(index for index, kind in enumerate(kinds) if found[kind])
    level = (1, 2, 1, 2)[place]
    return HeadingLike(level, certain=place < 3)


def _numbered(
    plain: str, found: re.Match[str], *, stands_out: bool, size: float
) -> HeadingLike | None:
    number = found["decimal"] or found["letter"] or ""
    level = 1 + number.count(".")
    bare = found["mark"] is None and found["comma"] is None and "." not in number
    if bare and (found["roman"] or found["letter"]) and size <= LARGE and not stands_out:
        return None
    if _CHINESE_SENTENCE.search(plain) and size <= LARGER:
        return None  # a numbered clause of a law or standard
    capital = plain.isupper() and sum(c.isalpha() for c in plain) >= FEWEST_CAPITALS
    if stands_out or capital:
        return HeadingLike(level, certain=True)
    if len(plain) > MOST_PLAIN_CHARACTERS or _SENTENCE_END.search(plain):
        return None
    rest = plain[found.end() :]
    if rest[:1].islower() or size < 0.95 or found["mark"] == ")":
        return None
    if len(_MATHEMATICAL.findall(rest)) > (len(rest.split()) >= TITLE_WORDS):
        return None
    return HeadingLike(level, certain="." in number and level > 1)


def _by_look(plain: str, lines: int, size: float, *, bold: bool) -> HeadingLike | None:
    if size > LARGEST:
        return HeadingLike(1, certain=False)
    if size > LARGER or (size > LARGE and bold):
        return HeadingLike(2, certain=False)
    if bold and lines <= 3 and len(plain) <= 130 and size > 0.9 and not _LABEL.search(plain):
        return HeadingLike(3, certain=False)
    return None
