"""Keyword tokens: what is typed and what is printed meet, in English and Chinese."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.tokens import CHINESE_STOP_WORDS, keyword_tokens


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("qwen", "qwen."),
        ("Compiled", "dynamic com-\npiled code"),
        ("well-known", "a well-\nknown fact"),
        ("IL6", "IL-6 signalling"),
        ("SARS-CoV-2", "SARS‑CoV‑2 infection"),
        ("beta-catenin", "β-catenin"),
        ("TNF alpha", "TNF-α"),
        ("TNFα", "TNF-α"),
        ("1.5%", "about 1.5 % of them"),
        ("p<0.05", "(p < 0.05)"),
        ("p<.05", "P < 0.05"),
        ("10 mg", "10mg daily"),
        ("5 µm", "5 um thick"),
        ("1000", "1,000 participants"),
        ("naive", "Naïve"),
        ("Angstrom", "Ångström"),
        ("Muller", "Müller"),
        ("fine", "ﬁne"),
        ("full", "Ｆｕｌｌ"),
        ("cells", "one cell"),
        ("patient", "the patient’s"),
        ("scientific", "sci\u00adentific"),
        ("WHO", "WHO guidelines"),
        ("深度", "深度学习"),
        ("深度学习", "深 度 学 习"),
        ("方法", "本文的方\n法如下"),
        ("蝾螈", "一种蝾螈的再生"),
        ("1.5%", "死亡率为1.5%"),
        ("受体", "β受体"),
        ("テスト", "日本語のテスト"),
    ],
)
def test_what_is_typed_is_found_in_what_is_printed(typed: str, printed: str) -> None:
    assert set(keyword_tokens(typed)) & set(keyword_tokens(printed))


@pytest.mark.parametrize(
    ("one", "other"),
    [("1.5%", "15%"), ("p<0.05", "p>0.05"), ("p53", "p63"), ("10 mg", "100 mg")],
)
def test_the_whole_token_of_a_number_tells_values_apart(one: str, other: str) -> None:
    assert keyword_tokens(one)[0] != keyword_tokens(other)[0]


@pytest.mark.parametrize("text", ["", " \n", "?!…", "the of and", "的", "\x00"])
def test_a_text_without_words_has_no_tokens(text: str) -> None:
    assert keyword_tokens(text) == []


def test_repeats_are_kept_in_order() -> None:
    assert keyword_tokens("cell by cell") == ["cell", "cell"]


@given(st.text())
def test_any_text_gives_tokens_without_spaces(text: str) -> None:
    for token in keyword_tokens(text):
        assert token
        assert not any(letter.isspace() for letter in token)


HAN = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5), min_size=2, max_size=12)


@given(line=HAN, data=st.data())
def test_two_chinese_characters_always_find_their_line(line: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(line) - 2))
    typed = line[at : at + 2]

    if not CHINESE_STOP_WORDS & {typed, *typed}:
        assert typed in set(keyword_tokens(typed)) & set(keyword_tokens(line))


def test_latin_text_never_loads_the_chinese_dictionary_and_nothing_warns() -> None:
    code = (
        "import sys; from documents.tokens import keyword_tokens as k; k('plain English text');"
        "assert 'jieba' not in sys.modules; assert '分割' in k('图像分割');"
        "assert 'jieba' in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
