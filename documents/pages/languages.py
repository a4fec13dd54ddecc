"""Which language a text is in, by script and the commonest small words. Pure."""

import re

from documents.chunks.sentences import CJK

FEWEST_LETTERS = 24
_HAN = re.compile(f"[{CJK}]")
_SMALL_WORDS = {
    "en": "the of and in to is that for with are was this by",
    "de": "der die und das ist ein eine nicht mit den von für",
    "fr": "le la les des et est une dans que pour du sur",
    "es": "el la los las que una por para con del se y",
    "pt": "o os que uma para com não do da em por mais",
    "it": "il che di una per con non del della sono gli è",
}


def language_of(text: str) -> str:
    """ISO 639-1 code; "" where the text says too little."""
    letters = [c for c in text if c.isalpha()]
    if len(letters) < FEWEST_LETTERS:
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


def _latin_language(text: str) -> str:
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = {
        code: sum(word in set(small.split()) for word in words)
        for code, small in _SMALL_WORDS.items()
    }
    code, hits = max(counts.items(), key=lambda item: item[1])
    return code if hits >= max(3, 0.03 * len(words)) else ""


def is_han(text: str) -> bool:
    """Whether a fifth of the letters are Chinese characters."""
    letters = sum(map(str.isalpha, text))
    return 5 * len(_HAN.findall(text)) >= letters > 0
