"""From a need to weighted queries, without a model. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from documents.chunks.tokens import keyword_tokens
from documents.pages.languages import is_han

Origin = Literal["user", "key_terms", "model"]

QUESTION_WORDS = re.compile(
    r"""\b(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|
    should|would|there|any|please|tell|show|find|give|list|explain|describe|summari[sz]e|compare|me|
    about|according|papers?|articles?|authors?|study|studies|report(?:s|ed)?|say|says|said|mention(?:s|ed)?|
    many|much)\b""",
    re.IGNORECASE | re.VERBOSE,
)
CHINESE_QUESTION_WORDS = re.compile(
    "请问|请|什么是|是什么|什么样的|什么|为什么|怎么样|怎么|怎样|如何|哪些|哪个|哪一|哪种|哪|多少|几个|"
    "是否|有没有|能否|可否|谁|吗|呢|介绍一下|介绍|说明|总结|列出|告诉我|论文|文章|作者|根据|提到|有关"
)
FEWEST_KEY_TERMS = 2
KEY_TERMS_WEIGHT = 0.5
OWN_WORDS_WEIGHT = 0.3
ACROSS_WEIGHT = 0.8
"""Its best hit comes twelfth behind those of the need as it stands, which knows the need's own
language best.
"""


@dataclass(frozen=True, slots=True)
class Query:
    """One way to put the need. `weight` counts in the fusion over queries.

    With `toward` (ISO 639-1) its vector is carried over to that language.
    """

    text: str
    weight: float
    origin: Origin
    keyword: bool = True
    semantic: bool = True
    toward: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The queries of one search. The need as it was put is always the first."""

    queries: tuple[Query, ...]


def plan_without_model(need: str) -> Plan:
    """The need itself, and its key terms as keywords where a question wraps them.

    The vector of the whole question is better than that of its terms: measured, across languages.
    """
    own = Query(" ".join(need.split()), 1.0, "user")
    terms = key_terms(own.text)
    tokens = keyword_tokens(terms)
    if len(tokens) < FEWEST_KEY_TERMS or tokens == keyword_tokens(own.text):
        return Plan((own,))
    return Plan((own, Query(terms, KEY_TERMS_WEIGHT, "key_terms", semantic=False)))


def plan_by_rules(need: str, languages: Sequence[str]) -> Plan:
    """The plain plan, and the need carried over to the scripts of the library that it is not in."""
    return Plan((*plan_without_model(need).queries, *queries_across([need], languages)))


def queries_across(texts: Sequence[str], languages: Sequence[str]) -> list[Query]:
    """The first text carried over to each script of the library that none is written in."""
    written = {is_han(text) for text in texts}
    missing = {language == "zh": language for language in reversed(languages)}
    return [
        Query(" ".join(texts[0].split()), ACROSS_WEIGHT, "user", keyword=False, toward=language)
        for han, language in missing.items()
        if han not in written
    ]


def languages_of(papers: Sequence[str]) -> tuple[str, ...]:
    """The languages of papers (ISO 639-1), the commonest first."""
    counted = Counter(language[:2] for language in papers if language)
    return tuple(language for language, _ in counted.most_common())


def with_own_words(plan: Plan, words: str) -> Plan:
    """`plan` with what the user wrote, where the need was put by somebody else.

    It moves up what both find, and adds what it finds alone behind all that the need did.
    """
    own = " ".join(words.split())
    if not own or any(query.text == own for query in plan.queries):
        return plan
    return Plan((*plan.queries, Query(own, OWN_WORDS_WEIGHT, "user")))


def key_terms(need: str) -> str:
    """`need` without the words that only make it a question or a request.

    >>> key_terms("What does the paper say about attention heads?")
    'the attention heads'
    >>> key_terms("注意力机制的优点是什么？")
    '注意力机制的优点'
    """
    bare = CHINESE_QUESTION_WORDS.sub(" ", QUESTION_WORDS.sub(" ", need))
    return " ".join(re.sub(r"[?？!！。，,;；：:]", " ", bare).split())
