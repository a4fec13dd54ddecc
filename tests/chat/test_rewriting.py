"""Requests about the latest answer, in English and Chinese, and what becomes of its statements."""

import pytest

from chat.rewriting import (
    BeyondWords,
    DropSources,
    Request,
    Shorten,
    read_request,
    shortened,
    statements_of,
    without_sources,
)
from citations.segments import CiteSegment, Segment, TextSegment

SHORTEN = [
    "Shorten it, keep the citations",
    "shorten",
    "Please shorten the answer but keep all citations.",
    "Shorter please",
    "Make it shorter, keep the citations",
    "Make this much more concise",
    "Can you shorten this?",
    "Condense the answer.",
    "cut it in half",
    "缩短一点，保留引用",
    "缩短",
    "请把回答缩短，引用保留",
    "更短一些",
    "精简一下",
    "简短一点",
    "能不能压缩一下？",
]
DROP = {
    "drop [2]": {2},
    "Please remove [1] and [3]": {1, 3},
    "without source 2": {2},
    "去掉[2]": {2},
    "删除【1】": {1},
    "不要引用2": {2},
}
BEYOND = {
    "Translate it into Chinese": "translate",
    "in English please, translate": "translate",
    "翻译成英文": "translate",
    "用中文重写": "translate",
    "Turn it into a table": "restructure",
    "Restructure the answer by method": "restructure",
    "做成表格": "restructure",
    "Rephrase it": "rephrase",
    "Explain it in simpler words": "rephrase",
    "改写一下": "rephrase",
    "润色": "rephrase",
}
QUESTIONS = [
    "What do buyers pay for a good reputation?",
    "How was the sample reduced to 30 patients?",
    "Why is the battery life shorter in cold weather?",
    "What is the shortest path between two nodes?",
    "哪些方法可以缩短训练时间？",
    "为什么冬季的续航更短？",
    "Is machine translation evaluated?",
    "What does table 2 show about removal of outliers?",
    "Which features were removed in the ablation [2]?",
    "脱碳政策的效果如何？",
]


@pytest.mark.parametrize("text", SHORTEN)
def test_shortening_is_understood(text: str) -> None:
    assert read_request(text) == Shorten()


@pytest.mark.parametrize(("text", "numbers"), DROP.items())
def test_dropping_a_source_is_understood(text: str, numbers: set[int]) -> None:
    assert read_request(text) == DropSources(frozenset(numbers))


@pytest.mark.parametrize(("text", "what"), BEYOND.items())
def test_what_needs_a_language_model_is_told_apart(text: str, what: str) -> None:
    assert read_request(text) == BeyondWords(what)


@pytest.mark.parametrize("text", QUESTIONS)
def test_questions_are_questions(text: str) -> None:
    assert read_request(text) is None


@pytest.mark.parametrize(
    ("text", "count"),
    [("Shorten it to two sentences", 2), ("缩短成三句", 3), ("cut it to 4 sentences", 4)],
)
def test_a_number_of_sentences_is_obeyed(text: str, count: int) -> None:
    assert read_request(text) == Shorten(count)


def verbatim(text: str) -> Segment:
    return TextSegment(text, verbatim=True)


ANSWER: list[Segment] = [
    TextSegment("# "),
    verbatim("Paper A"),
    TextSegment("\n\n"),
    verbatim("A one."),
    CiteSegment(4),
    TextSegment(" "),
    verbatim("A two."),
    CiteSegment(5),
    CiteSegment(9),
    TextSegment("\n\n# "),
    verbatim("Paper B"),
    TextSegment("\n\n"),
    verbatim("B one."),
    CiteSegment(7),
    TextSegment(" "),
    verbatim("B two."),
    CiteSegment(7),
]
WORTH = {"A one.": 0.9, "A two.": 0.8, "B one.": 0.1, "B two.": 0.2}


def worth(texts: object) -> list[float]:
    return [WORTH[text] for text in texts]  # type: ignore[attr-defined]  # a sequence of str


def test_statements_keep_their_citations_and_headings() -> None:
    found = statements_of(ANSWER)
    assert [(s.text, s.cites, s.heading) for s in found] == [
        ("A one.", (4,), "Paper A"),
        ("A two.", (5, 9), "Paper A"),
        ("B one.", (7,), "Paper B"),
        ("B two.", (7,), "Paper B"),
    ]


@pytest.mark.parametrize(
    ("request_", "kept"),
    [
        (Shorten(), ["A one.", "B two."]),
        (Shorten(3), ["A one.", "A two.", "B two."]),
        (Shorten(1), ["A one."]),
        (Shorten(9), ["A one.", "A two.", "B one.", "B two."]),
    ],
)
def test_each_paper_keeps_its_best_sentence_while_there_is_room(
    request_: Shorten, kept: list[str]
) -> None:
    assert [s.text for s in shortened(statements_of(ANSWER), request_, worth)] == kept


def test_dropping_a_source_keeps_statements_that_stand_on_another() -> None:
    numbers = {4: 1, 5: 1, 9: 3, 7: 2}
    kept = without_sources(statements_of(ANSWER), frozenset({1}), numbers.__getitem__)
    assert [(s.text, s.cites) for s in kept] == [
        ("A two.", (9,)),
        ("B one.", (7,)),
        ("B two.", (7,)),
    ]


def test_a_request_is_one_of_three_kinds() -> None:
    found: list[Request | None] = [read_request(text) for text in ("shorten", "drop [1]", "翻译")]
    assert [type(each) for each in found] == [Shorten, DropSources, BeyondWords]
