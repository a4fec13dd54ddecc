"""One form for what is written in many: case, width, accents, hyphens, Greek letters, scripts."""

import re
import unicodedata

from documents.chunks.chinese_words import simplified

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f"
OTHER_UNSPACED = "\u3040-\u30ff\u31f0-\u31ff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Scripts without spaces between words, beside Han: kana, Thai, Lao, Burmese, Khmer."""

_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi"
    " rho sigma tau upsilon phi chi psi omega sigma theta phi epsilon"
)
GREEK = dict(zip("αβγδεζηθικλμνξοπρστυφχψωςϑϕϵ", _GREEK_NAMES.split(), strict=True))
LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
)
SIGNS = str.maketrans(
    {
        "\u00ad": None,  # soft hyphen
        "\u200b": None,
        "\u200c": None,
        "\u200d": None,
        "\u2060": None,
        "\ufeff": None,
        "™": None,  # NFKC would make letters of it
        "℠": None,
        "\u0002": "-",  # PDFium's and PyMuPDF's mark of a line-end hyphen
        "‐": "-",
        "‑": "-",
        "‒": "-",
        "–": "-",
        "−": "-",
        "’": "'",
        "ʼ": "'",
        "≤": "<=",
        "≥": ">=",
        "∆": "Δ",
    }
)
BROKEN = "\u2027"
"""Stands for a hyphen at a line end, which may belong to the word or not."""

_LINE_END_HYPHEN = re.compile(r"(?<=\w)-[^\S\n]*\n\s*(?=\w)")
_NOTE_CALL = re.compile(r"(?<=[^\W\d_]{3})(?=[\u00b9\u00b2\u00b3\u2070\u2074-\u2079])")
_HAN_LINE_END = re.compile(rf"(?<=[{HAN}{OTHER_UNSPACED}])[^\S\n]*\n\s*(?=[{HAN}{OTHER_UNSPACED}])")
_SPACED_HAN = re.compile(rf"(?<![{HAN}])[{HAN}](?: [{HAN}])+(?![{HAN}])")
_ANY_HAN = re.compile(f"[{HAN}]")
_FEW_GREEK = re.compile(
    r"(?P<before>(?<=[a-z\d]))?(?<![\u0370-\u03ff])(?P<letters>[α-ωϑϕϵ]{1,2})(?![\u0370-\u03ff])"
    r"(?P<after>(?=[a-z\d]))?"
)
_MICRO_UNIT = re.compile(r"(?<![^\W\d_])μ(?=[mglsav]\b)")


def folded(text: str) -> str:
    """`text` in lower case without accents, Greek letters by name, Chinese in simplified form."""
    text = _NOTE_CALL.sub(" ", text.translate(SIGNS))
    text = unicodedata.normalize("NFKC", text).translate(SIGNS)
    text = _LINE_END_HYPHEN.sub(BROKEN, text)
    if text.isascii():
        return text.casefold()
    text = _HAN_LINE_END.sub("", text)
    text = _SPACED_HAN.sub(lambda match: match[0].replace(" ", ""), text)
    text = _without_accents(text.casefold()).translate(LETTERS)
    text = _MICRO_UNIT.sub("u", text)
    text = _FEW_GREEK.sub(_named, text)
    return simplified(text) if _ANY_HAN.search(text) else text


def _without_accents(text: str) -> str:
    apart = unicodedata.normalize("NFD", text)
    kept = "".join(letter for letter in apart if not "\u0300" <= letter <= "\u036f")
    return unicodedata.normalize("NFC", kept)


def _named(match: re.Match[str]) -> str:
    """Greek letters by name, as parts of the word that they stand in: `tnfα` is `tnf-alpha`."""
    names = [GREEK[letter] for letter in match["letters"]]
    before = [] if match["before"] is None else [""]
    after = [] if match["after"] is None else [""]
    return "-".join((*before, *names, *after))
