"""Page text as one paragraph for a person to read. Pure."""

import re

_BEGINS, _ENDS = "\ufdd0", "\ufdd1"
"""The marks that `citations.excerpts` puts between letters."""
DROPPED = "-"
_SPACES = re.compile(r"\s+")
_BROKEN_WORD = re.compile(
    r"([^\W_](?:[^\W_]|[-'’\ufdd0])*)([-\u2010\xad])(\ufdd1?)[ \t]*\n\s*(\ufdd0?)(?=([^\W_]+))"
)
_HAN_BREAK = re.compile(
    r"(?<=[\u3000-\u9fff\uff00-\uffef\ufdd1])\s*\n\s*(?=[\u3000-\u9fff\uff00-\uffef])"
    r"|(?<=[\u3000-\u9fff\uff00-\uffef])\s*\n\s*(?=\ufdd0[\u3000-\u9fff\uff00-\uffef])"
)
_COMPOUND_HEADS = re.compile(
    "all|anti|cross|double|ex|far|first|full|half|hard|high|ill|large|left|long|low|multi|near|non"
    "|one|open|post|quasi|right|second|self|semi|short|single|small|third|top|two|well"
)
"""Words that often begin a compound: behind them a hyphen may belong to the word."""
_ENDINGS = re.compile(
    "age|ed|en|ened|ening|er|est|ings?|ish|less|ly|ness|nesses|ry|th|tie|tied|ties|tion"
)
_ONE_OF_TWO = frozenset(("and", "or", "to", "und", "oder"))
"""Behind “short- and long-term” the hyphen stands for a word to come."""


def flowing(text: str) -> str:
    """Line ends become spaces, and words broken at line ends are joined.

    A hyphen that may be the word's own is kept.
    """

    def join(broken: re.Match[str]) -> str:
        head, hyphen, before, after, _ = broken.groups()
        joint = _joint_of(broken, text)
        return f"{head}{'' if joint == DROPPED else hyphen}{before}{joint.strip('-')}{after}"

    joined = _HAN_BREAK.sub("", _BROKEN_WORD.sub(join, text)).replace("\xad", "")
    return _SPACES.sub(" ", joined).strip()


def joints(text: str) -> dict[int, str]:
    """What to put in place of each line end of `text` that is not to be read as a space.

    Nothing, or `DROPPED`: nothing, and the hyphen before it goes too. By offset of the line feed.
    """
    found = {text.index("\n", each.start()): "" for each in _HAN_BREAK.finditer(text)}
    for broken in _BROKEN_WORD.finditer(text):
        found[text.index("\n", broken.start(2))] = _joint_of(broken, text)
    return {at: joint for at, joint in found.items() if joint != " "}


def _joint_of(broken: re.Match[str], text: str) -> str:
    head, hyphen, _, _, tail = broken.groups()
    if tail in _ONE_OF_TWO:
        return " "
    return DROPPED if hyphen == "\xad" or _is_one_word(head, tail, text) else ""


def _is_one_word(head: str, tail: str, text: str) -> bool:
    """Whether a line-end hyphen between these only divides the word."""
    head = head.replace(_BEGINS, "")
    if not tail[0].islower() or not head[-1].isalpha() or "-" in head:
        return False
    if re.search(rf"\b{re.escape(head + tail)}\b", text, re.IGNORECASE):
        return True
    if re.search(rf"\b{re.escape(head)}-{re.escape(tail)}\b", text, re.IGNORECASE):
        return False
    return not _COMPOUND_HEADS.fullmatch(head.casefold()) or bool(_ENDINGS.fullmatch(tail))
