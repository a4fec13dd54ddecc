"""What names a paper, in English and Chinese, and what only looks like a name."""

import pytest

from retrieval.named_papers import Paper, named_papers

PAPERS = (
    Paper("crayfish", "Oxygen use of the white-clawed crayfish", ("Ana Ruiz", "C. Wu"), 2025),
    Paper("law", "中华人民共和国网络安全法", (), 2016),
    Paper(
        "specter",
        "SPECTER: Document-level Representation Learning using Citation-informed Transformers",
        ("Arman Cohan", "Sergey Feldman"),
        2020,
        ("2020.acl-main.207", "10.18653/v1/2020.acl-main.207"),
    ),
    Paper("iraq", "Climate change anxiety among young Iraqis", ("A. Lee", "Q. Müller"), 2025),
    Paper("britain", "Climate change anxiety in British adults", ("B. Lee",), 2025),
    Paper("poems", "基于预训练模型的中国古典诗歌生成", ("张三丰", "李四"), 2021),
    Paper("undated", "Roads and roe deer", ("D. O’Brien",), None),
)
CITED = {1: "iraq", 3: "poems", 7: "removed"}


@pytest.mark.parametrize(
    ("question", "found"),
    [
        (
            "Compare “Oxygen use of the white-clawed crayfish” with SPECTER.",
            ["crayfish", "specter"],
        ),
        ("oxygen use of the white clawed crayfsh vs. specter", ["crayfish"]),
        ("What does 2020.acl-main.207 evaluate?", ["specter"]),
        (
            "document-level representation learning using citation informed transformers",
            ["specter"],
        ),
        ("How do Cohan et al. (2020) and Ruiz 2025 measure it?", ["specter", "crayfish"]),
        ("Ruiz and Wu (2025) against Muller et al.", ["crayfish", "iraq"]),
        ("What does O'Brien (2011) say?", ["undated"]),
        ("the crayfish paper and the thesis on 《网络安全法》", ["crayfish", "law"]),
        ("《网络安全法》与《基于预训练模型的古典诗歌生成》有何不同？", ["law", "poems"]),
        ("中国古典诗歌生成用了什么模型", ["poems"]),
        ("张三丰等（2021）和 Cohan 等（2020）的实验设置", ["poems", "specter"]),
        ("李四的论文说了什么", ["poems"]),
        ("诗歌生成那篇论文和 SPECTER 的区别", ["poems", "specter"]),
        ("Does [1] agree with source 3?", ["iraq", "poems"]),
        ("文献1与文献3的样本有何不同？", ["iraq", "poems"]),
        ("climate change anxiety among young Iraqis and in British adults", ["iraq"]),
        ("Compare the papers by Cohan, Ruiz and O’Brien.", ["specter", "crayfish", "undated"]),
        ("Lee (2025) on Climate change anxiety among young Iraqis", ["iraq"]),
        ("网络安全法怎样规定", ["law"]),
    ],
)
def test_papers_are_named_by_title_author_label_and_number(question: str, found: list[str]) -> None:
    names = named_papers(question, PAPERS, cited=CITED)

    assert list(names.found) == found
    assert names.unclear == ()


@pytest.mark.parametrize(
    ("question", "words", "papers"),
    [
        ("What does Lee (2025) say?", "Lee 2025", ("iraq", "britain")),
        ("Is the anxiety study right?", "the anxiety study", ("iraq", "britain")),
        ("Lee 2025 and Climate change anxiety among young Iraqis", "Lee 2025", ("iraq", "britain")),
        ("“Climate change anxiety” against SPECTER", "Climate change anxiety", ("iraq", "britain")),
    ],
)  # fmt: skip
def test_a_name_that_fits_several_is_asked_back(
    question: str, words: str, papers: tuple[str, ...]
) -> None:
    [unclear] = named_papers(question, PAPERS).unclear

    assert (unclear.words, unclear.papers) == (words, papers)


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("What does Johnson (1999) say?", ["Johnson 1999"]),
        ("Cohan et al. (2018)", ["Cohan 2018"]),
        ("《红楼梦》说了什么", ["红楼梦"]),
        ("Does [2] agree?", ["[2]"]),
        ("Does [7] agree?", ["[7]"]),
    ],
)
def test_what_no_paper_fits_is_said(question: str, unknown: list[str]) -> None:
    names = named_papers(question, PAPERS, cited=CITED)

    assert list(names.unknown) == unknown
    assert names.found == ()


@pytest.mark.parametrize(
    "question",
    [
        "",
        "What is climate change anxiety?",
        "How many people lived in Iraq 2021, in March 2020 and since 2019?",
        "What does “significant” mean in the paper?",
        "this study and the same paper",
        "网络安全的定义是什么？",
        "How do Roads and Deer differ from Adaptation and Validation?",
        "深度学习在2021年有什么进展",
        "an array a[1] and a range of [0, 5]",
        "((((( [ ] “” 《》 ' et al. 2020",
    ],
)
def test_subjects_places_and_years_name_nothing(question: str) -> None:
    names = named_papers(question, PAPERS)

    assert (names.found, names.unclear, names.unknown) == ((), (), ())
    assert names.as_json() == {}


def test_the_rest_of_the_question_is_what_is_asked() -> None:
    names = named_papers("How do Cohan et al. (2020) and the crayfish paper use oxygen?", PAPERS)

    assert names.rest == "How do and use oxygen?"


def test_two_copies_of_one_title_are_never_told_apart_by_a_guess() -> None:
    copies = (Paper("a", "Roads and roe deer"), Paper("b", "Roads and Roe Deer"))

    for question in ("“Roads and roe deer”", "What do Roads and roe deer report?"):
        names = named_papers(question, copies)
        assert names.found == ()
        assert [each.papers for each in names.unclear] == [("a", "b")]
