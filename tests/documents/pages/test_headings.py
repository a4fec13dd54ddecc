"""Headings by number, words, type and place."""

import pytest

from documents.pages.block_roles import Look
from documents.pages.heading_places import Candidate, with_headings
from documents.pages.headings import heading_like, is_known, is_numbered_row
from documents.pages.page_text import Block, BlockKind


def look(
    y0: float = 0.2,
    y1: float = 0.22,
    *,
    x0: float = 0.1,
    x1: float = 0.4,
    bold: bool = False,
) -> Look:
    return Look(lines=1, size=1, bold=bold, x0=x0, y0=y0, x1=x1, y1=y1)


@pytest.mark.parametrize(
    "words",
    [
        "Abstract",
        "A B S T R A C T",
        "1. Introduction",
        "MATERIALS & METHODS",
        "Results/Discussion",
        "Conflicts of interest",
        "Authors’ contributions",
        "References and notes",
        "Data availability",
        "摘 要",
        "一、引言",
        "参考文献",
        "8 附录",
        "致谢",
        "5 结论",
        "材料与方法",
        "§9 参考文献",
    ],
)
def test_sections_that_papers_have_are_known_in_any_type(words: str) -> None:
    assert is_known(words)
    found = heading_like(words, lines=1, size=1, bold=False)
    assert found is not None
    assert found.certain


@pytest.mark.parametrize(
    ("words", "level"),
    [
        ("2 Model", 1),
        ("2.1 Setup", 2),
        ("2.3.1. Questionnaire (METEO-Q)", 3),
        ("A.2 Proofs", 2),
        ("IV. RESULTS", 1),
        ("第三章 方法", 1),
        ("第二节 数据", 2),
        ("二、模型假设", 1),
        ("3. 1 牌号与化学成分", 2),
        ("§5 模型的建立", 1),
        ("Participants and setting", 3),
    ],
)
def test_bold_headings_have_the_level_of_their_number(words: str, level: int) -> None:
    found = heading_like(words, lines=1, size=1, bold=True)
    assert found is not None
    assert found.level == level


@pytest.mark.parametrize(
    "words",
    [
        "We asked 300 people in spring.",
        "1) R2",
        "2. we have B0 in S",
        "3.5 percent of them left,",
        "3.2.1 其他元素是指在生产过程中固有存在的微量元素，而不是人为添加的元素。",
        "E.1 The Model . . . . . . . . . . . 72",
        "\\usepackage{biblatex}",
        "x_i == y_i",
        "for (int i = 0; i < n; i++) {",
        "12",
        "A",
        "Φ = λ",
        "2019 was warm",
    ],
)
def test_sentences_clauses_code_and_formulas_are_no_headings(words: str) -> None:
    assert heading_like(words, lines=1, size=1, bold=False) is None


@pytest.mark.parametrize(
    ("row", "is_one"),
    [
        ("3.1. Reliability", True),
        ("B. Generalized formula of the field", True),
        ("二、问题分析", True),
        ("（一）样本", True),
        ("5.3.1 打包制的可操作性分析", True),
        ("1. Wash the plate", False),
        ("A. Smith", False),
        ("3.1 of them left", False),
        ("4.2 The rate fell.", False),
    ],
)
def test_a_row_of_plain_type_is_a_heading_only_by_a_telling_number(row: str, is_one: bool) -> None:
    assert is_numbered_row(row) is is_one


def placed(words: list[str], looks: list[Look]) -> list[BlockKind]:
    text, candidates = "", []
    for part, seen in zip(words, looks, strict=True):
        block = Block(BlockKind.PARAGRAPH, len(text), len(text) + len(part))
        like = heading_like(part, lines=seen.lines, size=seen.size, bold=seen.bold)
        candidates.append(Candidate(block, like))
        text += part + "\n"
    return [block.kind for block in with_headings(text, candidates, looks)]


PROSE = "The participants were asked twice, in spring and in autumn, and most of them came again."


def test_a_bold_line_is_a_heading_over_text_but_not_inside_a_figure() -> None:
    bold = look(bold=True)
    below = look(0.23, 0.3, x1=0.5)
    elsewhere = look(0.6, 0.7, x0=0.6, x1=0.9)
    label = look(0.24, 0.25, x0=0.3, x1=0.34)
    assert placed(["Study area", PROSE], [bold, below])[0] is BlockKind.HEADING
    assert placed(["Sensor one", PROSE], [bold, elsewhere])[0] is BlockKind.PARAGRAPH
    assert placed(["Sensor one", "0.25"], [bold, label])[0] is BlockKind.PARAGRAPH


def test_headings_may_stand_over_each_other() -> None:
    looks = [look(bold=True), look(0.23, 0.25, bold=True), look(0.26, 0.3, x1=0.5)]
    kinds = placed(["Study area", "Field work", PROSE], looks)
    assert kinds == [BlockKind.HEADING, BlockKind.HEADING, BlockKind.PARAGRAPH]
