import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.chunks.sentences import ends_sentence, split_sentences


def sentences(text: str, **options: object) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "expected",
    [
        ["It rose.", "It fell."],
        ["We follow Smith et al. (2019) here.", "It fell."],
        ["As Smith et al. found, it rose.", "It fell."],
        ["This was shown by Smith et al.", "The rate fell."],
        ["Some fields, e.g. physics, i.e. the hard ones, differ.", "Others do not."],
        ["See Fig. 3 and Figs. 4A for details.", "It fell."],
        ["See Eq. (3) vs. Eq. (4).", "It fell."],
        ["The mean was 3.5 (SD 0.4).", "It fell to 2.1 % in 2019.", "12 patients left."],
        ["J. K. Rowling and R.A. Fisher met Prof. Smith.", "They talked."],
        ["They took vitamin C.", "The dose was low."],
        ["See https://example.org/a.b?c=d.e for data.", "It fell."],
        ["It rose [12].", "It fell."],
        ["It rose.[12,13]", "It fell."],
        ["It rose. [12–14]", "It fell."],
        ["The disease spread.12,13", "Patients left."],
        ["He said “it rose.”", "We agree."],
        ['He said "it rose."', "We agree."],
        ["(It rose slightly.)", "It fell."],
        ["It rose (see Fig. 2. of the annex).", "It fell."],
        ["Did it rise?", "No!", "It fell."],
        ["Levels of mRNA rose.", "mRNA then fell."],
        ["The U.S. economy grew in the U.S.", "The rate fell."],
        ["Dogs, cats, etc. were seen.", "We counted cats, dogs, etc.", "The rate fell."],
        ["See No. 5 and p. 12.", "The answer is no.", "We stop."],
        ["It was 5 p.m. when it rose.", "It fell."],
        ["结果很好。", "我们继续！", "真的吗？", "是。"],
        ["他说：“很好。”", "我们继续。"],
        ["结果（见图1。附录）很好。", "下一句。"],
        ["方法如下；结果如下。", "下一句。"],
        ["我们使用BERT模型。", "The results are good.", "效果提升了3.5%。"],
        ["增长率为3．5，很高．", "下一句。"],
        ["结果很好.", "我们继续."],
        ["等等……", "然后结束。"],
        ["模型的准确率为95.2%[12]。", "见文献[3]。"],
    ],
    ids=lambda expected: expected[0],
)
def test_text_splits_where_a_reader_would_split_it(expected: list[str]) -> None:
    joint = "" if "结果很好." in expected[0] else " "
    assert sentences(joint.join(expected)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The rate\nof growth fell.\nIt rose.", ["The rate\nof growth fell.", "It rose."]),
        ("No stop here\n\nNew paragraph.", ["No stop here", "New paragraph."]),
        (
            "It fell.\n2.1 Study design\nWe asked people.",
            ["It fell.", "2.1 Study design", "We asked people."],
        ),
        (
            "It is pretrained on cita-\n\ntions. End.",
            ["It is pretrained on cita-\n\ntions.", "End."],
        ),
        ("Shown by (Kool et al.\n\n2011). End.", ["Shown by (Kool et al.\n\n2011).", "End."]),
        ("the rise of\n\nBayes won.", ["the rise of\n\nBayes won."]),
        ("it rose\n\n[4]. It fell.", ["it rose\n\n[4].", "It fell."]),
        ("研究方法\n\n我们研究了。", ["研究方法", "我们研究了。"]),
        (
            "本文研究了经济增长的主要原因以及\n\n其后果。完。",
            ["本文研究了经济增长的主要原因以及\n\n其后果。", "完。"],
        ),
        ("1.1 Start . . . . 5\n1.2 End . . . 6", ["1.1 Start . . . . 5\n1.2 End . . . 6"]),
        ("Abstract\nWe asked people.", ["Abstract", "We asked people."]),
        ("摘 要\n我们研究了。", ["摘 要", "我们研究了。"]),
        ("结束。\n二、研究方法\n我们研究了。", ["结束。", "二、研究方法", "我们研究了。"]),
        ("We used:\n• apples and\npears\n• plums", ["We used:", "• apples and\npears", "• plums"]),
        ("1. Introduction to it. We go.", ["1. Introduction to it.", "We go."]),
        (
            "Fig. 3. Growth by year. Bars are errors.",
            ["Fig. 3. Growth by year.", "Bars are errors."],
        ),
        ("Table 2. Growth. Note.", ["Table 2. Growth.", "Note."]),
        ("结果（1）上升。（2）下降。", ["结果（1）上升。", "（2）下降。"]),
        ("It (rose. It fell.", ["It (rose.", "It fell."]),
        ("  ", []),
        ("", []),
    ],
)
def test_lines_headings_lists_and_labels(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_break_ends_a_sentence_wherever_it_stands() -> None:
    assert sentences("one two three", breaks=[4, 99, 0]) == ["one", "two three"]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("It fell.", True),
        ("It fell.”", True),
        ("It fell.[3] ", True),
        ("结束。", True),
        ("the rate of", False),
        ("as in Fig.", False),
        ("see e.g.", False),
        ("", False),
    ],
)
def test_a_text_knows_whether_it_ended(text: str, ends: bool) -> None:
    assert ends_sentence(text) is ends


TEXTS = st.text(
    alphabet=st.one_of(
        st.sampled_from("aB1 .!?。！？；…\n()（）[]“”\"'，,•图第章"), st.characters()
    ),
    max_size=200,
)


@given(TEXTS, st.lists(st.integers(-5, 210), max_size=4))
def test_sentences_are_ordered_trimmed_and_cover_all_but_white_space(
    text: str, breaks: list[int]
) -> None:
    ranges = split_sentences(text, breaks=breaks)
    reached = 0
    for start, end in ranges:
        assert reached <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        assert not text[reached:start].strip()
        reached = end
    assert not text[reached:].strip()
