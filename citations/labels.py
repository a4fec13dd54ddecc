"""The short name of a paper on a tag. Pure."""

import re
import unicodedata

WIDEST = 24
"""In Latin characters; a Chinese one counts as two."""

LEAST_LETTERS = 3

EXTENSION = re.compile(r"\.(?:pdf|docx?|caj|txt|html?)\s*\Z", re.IGNORECASE)
SERIAL = re.compile(r"\A\s*(?:[\[(【]\s*\d{1,4}\s*[\])】]|\d{1,4}\s*[._\-–、)．]\s*)\s*(?=\D)")
AUTHOR_YEAR = re.compile(
    r"\A\s*[^\W\d_][\w'’.\-]*(?:(?:\s+(?:and|und|et|&)\s+|\s*,\s*|\s*&\s*)[^\W\d_][\w'’.\-]*){0,3}"
    r"(?:\s+et\s+al\.?|\s*等)?[\s,_\-–]*[(\[（]?(?:19|20)\d\d[a-z]?[)\]）]?\s*[\-–—_:：.,]+\s*",
    re.IGNORECASE,
)
YEAR_FIRST = re.compile(r"\A\s*[(\[（]?(?:19|20)\d\d[)\]）]?\s*[\-–—_:：.,]+\s*")


def clean_title(title: str) -> str:
    """The title without serial number, author and year before it, and file extension.

    >>> clean_title("03_Akerlof 1970 - The market for lemons.pdf")
    'The market for lemons'
    """
    text = EXTENSION.sub("", " ".join(title.split()))
    for prefix in (SERIAL, AUTHOR_YEAR, YEAR_FIRST):
        shorter = prefix.sub("", text, count=1)
        if len(re.sub(r"\W", "", shorter)) >= LEAST_LETTERS:
            text = shorter
    if " " not in text:
        text = text.replace("_", " ")
    return text.strip(" ._-–—:") or title.strip()


def short_label(title: str) -> str:
    """The cleaned title, cut at a word to about 24 Latin or 12 Chinese characters.

    >>> short_label("The market for lemons: quality uncertainty")
    'The market for lemons…'
    """
    text = clean_title(title)
    if _width(text) <= WIDEST:
        return text
    cut = next(at for at in range(len(text)) if _width(text[: at + 1]) > WIDEST - 1)
    kept = text[:cut]
    space = kept.rfind(" ")
    if text[cut].isalnum() and space >= len(kept) // 2 and kept[-1:].isascii():
        kept = kept[:space]
    return kept.rstrip(" ,;:.–—-(（《“") + "…"


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
