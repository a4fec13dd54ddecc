"""Where sentences begin and end, in English, Chinese and texts that mix them. Pure.

Made for text out of PDFs: a line end is no sentence end; a blank line is one unless the sentence
visibly goes on after it; so is a line that looks like a heading. When in doubt two sentences stay
together: half a sentence is worse than two.
"""

import re
from collections.abc import Iterable, Iterator

CJK = r"\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_CLOSERS = "\"'”’»)\\]）］」』】》〉〗〕"
_OPENERS = "\"'“‘«(\\[（［「『【《〈〖〔"
_REACH = 240
"""How far, in code points, a closing bracket is looked for before it counts as forgotten."""

_HARD_BREAK = re.compile(r"\n[^\S\n]*\n\s*|\f|\u2029")
_STOP = re.compile(
    rf"""(?:
        (?P<cjk>[。！？｡]+|(?<=[{CJK}”」』）])…+|…{{2,}})
      | (?P<wide>．)(?!\d)
      | (?P<latin>[.!?]+)
    )
    [{_CLOSERS}]*
    (?:\[[\d,;\s–\-]{{1,24}}\]|(?<=[^\d\s][.!?{_CLOSERS}])\d{{1,3}}(?:[,–\-]\d{{1,3}})*(?=\s|$))?
    """,
    re.VERBOSE,
)
_CITATION_AFTER = re.compile(r"[^\S\n]+(?:\[\d[\d,;\s–\-]{0,23}\][^\S\n]*)+(?=\s|$)")
_WORD_BEFORE = re.compile(r"[^\s(\[（［“\"'‘]+$")
_NEXT_WORD = re.compile(rf"[{_OPENERS}]*([^\W\d_]+)")
_BROKEN_OFF = re.compile(
    r"(?:[,，、\-\u00ad\u2010–]|\b(?:the|an?|of|and|or|in|on|to|for|by|with|that|which|is|are|was"
    r"|were|from|as|at|between|than|their|its|this|these|de|la|der|die|und))$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"[,;:.)\]，；：。）]|\[\d[\d,–\-\s]*\]\s*[.,;:a-z]|\(?\d{4}[a-z]?\)")
"""No sentence begins like this: a stop, or a citation of what went before."""
_FULL_CJK_LINE = re.compile(rf"(?:^|\n)[^\n]{{12,}}[{CJK}，、]$")
_BULLET = re.compile(r"^[^\S\n]*[•▪‣◦●■□◆▶➢✓·∙][^\S\n]*(?=\S)", re.MULTILINE)
_CJK_CHAR = re.compile(f"[{CJK}]")


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_NEVER_LAST = _words(
    "dr mr mrs ms prof e.g i.e eg ie cf vs viz ca approx resp fig figs eq eqs eqn eqns tab suppl "
    "ref refs sr jr st gen sen rep gov hon messrs dept univ assoc proc conf trans nat int ann symp "
    "j phys chem biol acad sci lett rev math appl comput med engl psychol clin surg a.k.a w.r.t "
    "s.t i.i.d sp spp cv var subsp"
)
"""Abbreviations after which a sentence does not end."""
_BEFORE_NUMBER = _words("no nos sec secs p pp vol vols ch chap art para ver v n pt bd nr app cat")
"""Abbreviations only in front of a number."""
_MAYBE_LAST = _words(
    "al etc inc ltd co corp u.s u.k u.s.a e.u u.n a.m p.m ph.d m.d b.sc m.sc d.c ed eds min max est"
)
"""Abbreviations that may end a sentence, if the next word is one that usually opens one."""
_OPENING = _words(
    "the this these those that there then they their we our it its in on at as for from by to with "
    "while when where which who although though however moreover furthermore therefore thus hence "
    "here he she his her a an after before because since if but and both each all some many most "
    "no not one two three finally first second third next also additionally similarly conversely "
    "instead overall further given using based such until despite during among between under over "
    "another other several results participants patients"
)
_ENUMERATOR = re.compile(
    r"""^\W*(?:
        \(?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[a-zA-Z]|[ivxIVX]{1,5})
      | (?:fig(?:ure)?s?|tab(?:le)?|box|scheme|algorithm|theorem|lemma|definition|proposition
          |corollary|equation|section|appendix|chapter|part|step|example|remark
          |supplementary\s+\w+)
        \.?\s*(?:[A-Z]?\d{1,3}(?:[.\-]\d{1,3})*|[IVX]{1,5}|[A-Z])[a-z]?
      | [图表式例]\s*\d{1,3}(?:[.\-]\d{1,3})*
    )$""",
    re.VERBOSE | re.IGNORECASE,
)
_S = r"[^\S\n]*"
_HEADING = re.compile(
    rf"""^[^\S\n]*(?:
        (?:\d{{1,2}}(?:\.\d{{1,2}}){{0,3}}\.?|[IVX]{{1,5}}\.)[^\S\n]+[A-Z][^\n.;:!?。，；]{{2,70}}
      | (?:\d{{1,2}}(?:\.\d{{1,2}}){{0,3}}\.?)[^\S\n]*[{CJK}][^\n.;:!?。，；：]{{1,30}}
      | [一二三四五六七八九十]{{1,3}}、[^\n。，；：]{{2,30}}
      | 第[一二三四五六七八九十百\d]{{1,4}}[章节編编篇部][^\n。，；]{{0,30}}
      | (?:abstract|summary|introduction|background|related\ work|(?:materials\ and\ )?methods
          |methodology|results|discussion|results\ and\ discussion|conclusions?|references
          |bibliography|acknowledge?ments?|appendix|keywords|limitations|funding|data\ availability)
      | 摘{_S}要|引{_S}言|前{_S}言|绪{_S}论|结{_S}论|讨{_S}论
      | 参{_S}考{_S}文{_S}献|致{_S}谢
      | 附{_S}录|目{_S}录
    )[^\S\n]*$""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)


def split_sentences(text: str, *, breaks: Iterable[int] = ()) -> list[tuple[int, int]]:
    """Return the sentences of `text` as ordered code-point ranges `[start, end)` without overlap.

    Ranges are trimmed of white space and together hold every other character. At an offset in
    `breaks` a sentence ends whatever stands there.

    >>> text = "We saw 3.5 % (Fig. 2). It fell. 结果很好。真的？"
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['We saw 3.5 % (Fig. 2).', 'It fell.', '结果很好。', '真的？']
    """
    sentences: list[tuple[int, int]] = []
    for start, end in _stretches(text, breaks):
        sentences.extend(_sentences_of(text, start, end))
    return sentences


def ends_sentence(text: str) -> bool:
    """Whether `text` ends as a sentence ends: a stop, perhaps with closing marks or a citation."""
    tail = text.rstrip()
    stops = _STOP.finditer(tail, max(0, len(tail) - 40))
    return any(stop.end() == len(tail) for stop in stops) and not _is_abbreviation(
        tail, _NEVER_LAST
    )


def is_continuation(text: str) -> bool:
    """Whether no sentence begins like `text` does."""
    return text[:1].islower() or bool(_GOES_ON.match(text))


def runs_on(before: str, after: str) -> bool:
    """Whether a sentence that breaks off at the end of `before` goes on in `after`.

    For the two sides of a blank line, a column or a page. Neither may be empty.
    """
    before, after = before.rstrip(), after.lstrip()
    if ends_sentence(before):
        return _is_abbreviation(before, _MAYBE_LAST) and is_continuation(after)
    return bool(
        is_continuation(after)
        or _BROKEN_OFF.search(before[-40:])
        or (_FULL_CJK_LINE.search(before[-80:]) and _CJK_CHAR.match(after))
    )


def _is_abbreviation(tail: str, words: frozenset[str]) -> bool:
    word = _WORD_BEFORE.search(tail)
    return word is not None and word[0].endswith(".") and word[0][:-1].lower() in words


def _stretches(text: str, breaks: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The parts of the text between places where every sentence ends."""
    cuts = {offset for offset in breaks if 0 < offset < len(text)}
    for gap in _HARD_BREAK.finditer(text):
        if not runs_on(
            text[max(0, gap.start() - _REACH) : gap.start()], text[gap.end() :][:_REACH]
        ):
            cuts.add(gap.start())
    for bullet in _BULLET.finditer(text):
        cuts.add(bullet.start())
    for line in _HEADING.finditer(text):
        if _stands_alone(text, line.start(), line.end()):
            cuts.update((line.start(), line.end()))
    start = 0
    for cut in sorted(cuts):
        yield start, cut
        start = cut
    yield start, len(text)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the line `[start, end)` is no part of a sentence that runs over several lines."""
    before, after = text[:start].rstrip()[-40:], text[end : end + 40].lstrip()
    opens = not after or not after[0].islower()
    return opens and (not before or ends_sentence(before))


def _sentences_of(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Sentences of one stretch, trimmed."""
    begin = start
    for stop in _STOP.finditer(text, start, end):
        if stop.start() < begin:
            continue
        begin = _skip_space(text, begin, end)
        cut = _end_of(text, begin, stop, end)
        if cut is not None:
            if begin < cut:
                yield begin, cut
            begin = cut
    begin = _skip_space(text, begin, end)
    last = begin + len(text[begin:end].rstrip())
    if begin < last:
        yield begin, last


def _skip_space(text: str, start: int, end: int) -> int:
    return end - len(text[start:end].lstrip())


def _end_of(text: str, begin: int, stop: re.Match[str], end: int) -> int | None:
    """Where the sentence that began at `begin` ends if `stop` ends it, else None."""
    cut = stop.end()
    if _in_brackets(text, begin, stop.start(), cut):
        return None
    following = text[cut : min(end, cut + 60)]
    if stop["latin"]:
        ends = _latin_stop_ends(text, begin, stop, following)
    else:
        ends = following.lstrip()[:1] not in tuple("，、；：,;:）)") or not following.strip()
    if not ends:
        return None
    citation = _CITATION_AFTER.match(text, cut, end)
    return citation.end() if citation else cut


def _in_brackets(text: str, begin: int, at: int, cut: int) -> bool:
    """Whether a bracket opened in this sentence is still open at `at` and closes soon after."""
    for opener, closer in (("(", ")"), ("（", "）"), ("[", "]"), ("【", "】")):
        last = text.rfind(opener, begin, at)
        if last < 0 or closer in text[last:cut]:
            continue
        reach = text[cut : cut + _REACH].split("\n\n", 1)[0]
        closes, opens = reach.find(closer), reach.find(opener)
        if at - last <= _REACH and closes >= 0 and not 0 <= opens < closes:
            return True
    return False


def _latin_stop_ends(text: str, begin: int, stop: re.Match[str], following: str) -> bool:
    """Whether `.`, `!` or `?` ends a sentence, by what stands before and after it."""
    if not following.strip():
        return True
    before = text[begin : stop.start()]
    if following.lstrip()[0] == "." or before.rstrip()[-1:] == ".":
        return False  # the dots of a table of contents
    if not following[0].isspace():
        return bool(_CJK_CHAR.match(following)) and bool(_CJK_CHAR.match(before[-1:]))
    after = following.lstrip()
    if stop["latin"] == ".":
        return _full_stop_ends(before, after)
    return not after[0].islower() and after[0] not in ",;:)"


def _full_stop_ends(before: str, after: str) -> bool:
    if _ENUMERATOR.match(before):
        return False
    word_match = _WORD_BEFORE.search(before)
    word = word_match[0] if word_match else ""
    kind = word.lower()
    next_match = _NEXT_WORD.match(after)
    next_word = next_match[1] if next_match else ""
    if kind in _NEVER_LAST:
        return False
    if kind in _BEFORE_NUMBER and after[:1].isdigit():
        return False
    if kind in _MAYBE_LAST or _is_initial(word):
        return next_word[:1].isupper() and next_word.lower() in _OPENING
    return _opens_sentence(after, next_word)


def _is_initial(word: str) -> bool:
    """`J`, `J.-P`, `R.A`: letters of a name; also single capitals such as in "vitamin C."."""
    return bool(re.fullmatch(r"(?:[A-Z]\.?-?){1,3}", word)) and not re.fullmatch(
        r"[A-Z]{2,3}", word
    )


def _opens_sentence(after: str, next_word: str) -> bool:
    first = after[:1]
    if first in ",;:)]）］，；：%=+":
        return False
    if first.islower():
        return next_word != next_word.lower()  # mRNA, pH, eGFR
    return True
