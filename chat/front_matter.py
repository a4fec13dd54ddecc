"""What stands around a paper's text and states nothing: who wrote it, where, and who may copy it.

Titles, lists of authors, their institutes, how to cite the paper, its licence. Pure. Parsing tells
much of it apart by place and type; a column of it beside the abstract looks like body text there.
"""

import re
import unicodedata

_MARKS = re.compile(
    r"@|https?://|www\.|\bdoi\b|\bcorrespond(?:ing author|ence (?:to|should))|\be-?mail\b"
    r"|\breceived\b:?.{0,12}\b\d{1,4}\b.{0,30}\b(?:accepted|revised)\b"
    r"|\b(?:accepted|published)(?: online)?:? \d"
    r"|^\W*(?:(?:how to )?cite (?:this|as)|to cite\b|(?:suggested |recommended )?citation\b\W"
    r"|edited by|reviewed by|(?:academic |handling )?editors?:|reviewers?:|keywords?\b\W"
    r"|key ?words\W|publisher['’]s note|funding\b\W|preprint\W|working paper\W"
    r"|running (?:head|title)\W)"
    r"|基金项目|通[讯信]作者|作者简介|收稿日期|中图分类号|文献标[识志]码|引用格式|本文引用"
    r"|^\W*关键词|文章编号|责任编辑",
    re.IGNORECASE,
)
_LICENCE = re.compile(
    r"©|\(c\) (?:19|20)\d\d|copyright|all rights reserved|creative commons|\bCC[ -]BY\b"
    r"|\bissn\b|licen[cs]ed under|open[ -]access (?:article|paper|publication)"
    r"|permission to (?:make|copy|reproduce|use)|(?:reproduction|copying)[^.]{0,60} permitted"
    r"|personal or classroom use|版权|未经.{0,12}许可",
    re.IGNORECASE,
)
_SELF_CITATION = re.compile(
    r"^(?:[A-Z][\w'’-]+,? (?:[A-Z]\.?[ -]?){1,3}(?:,| and| &)? ?){2,}.{0,60}\((?:19|20)\d\d\)"
    r"|\bet al\.? \((?:19|20)\d\d\) [A-Z].*\b(?:J|Journal|Proc|Rev|Int)\b"
)
_WORD = re.compile(r"[^\W\d_][\w'’-]+")
_EAST_ASIAN = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]")

LONGEST_NOTICE = 1500
NOTICE_OPENS = 300
"""Characters of a block that may be a licence as a whole, and within which that shows."""
CAPITALS = 0.75
"""Share of words with capitals from which on a line is a title or a list of names."""
FEWEST_WORDS = 6
SHORTEST_TITLE = 24
"""Letters. A shorter title may well be part of a sentence that states something."""


def is_front_matter(sentence: str) -> bool:
    """
    >>> is_front_matter("Ruiz A, Lee BC and Okoro D (2020) Shade and the yield of cocoa farms.")
    True
    >>> is_front_matter("Department of Botany, University of Leeds, Leeds, United Kingdom.")
    True
    >>> is_front_matter("Ruiz and Lee (2020) found that shade lowers the yield of cocoa.")
    False
    """
    found = _MARKS.search(sentence) or _LICENCE.search(sentence) or _SELF_CITATION.search(sentence)
    return bool(found) or _is_names(sentence)


def is_front_matter_block(text: str) -> bool:
    """Whether a whole block is a licence notice, of which single sentences don't show it."""
    return len(text) <= LONGEST_NOTICE and bool(_LICENCE.search(text[:NOTICE_OPENS]))


def names_title(sentence: str, title: str) -> bool:
    """Whether the sentence is the paper's title, or cites the paper by it.

    >>> names_title("Shade and the yield\\nof Cocoa: a review.", "Shade and the Yield of Cocoa")
    True
    """
    letters = _letters(title)
    weight = sum(2 if "\\u3400" <= sign <= "\\u9fff" else 1 for sign in letters)
    return weight >= SHORTEST_TITLE and letters in _letters(sentence)


def _is_names(sentence: str) -> bool:
    words = _WORD.findall(sentence)
    cased = [word for word in words if word[0].isupper() or word[0].islower()]
    capitals = sum(word[0].isupper() for word in cased)
    if _EAST_ASIAN.search(sentence):  # a capital there marks a foreign word, not a name
        return False
    return len(cased) >= FEWEST_WORDS and capitals >= CAPITALS * len(cased)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
