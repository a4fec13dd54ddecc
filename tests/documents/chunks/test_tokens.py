"""Keyword tokens: what is typed and what is printed meet, in English and Chinese."""

import json
import re
import subprocess
import sys
from itertools import islice
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.chunks.tokens import CHINESE_STOP_WORDS, LONGEST, keyword_tokens, query_tokens


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
        ("台湾", "臺灣地區"),
        ("發展", "经济发展"),
        ("圖書館", "图书馆学"),
        ("對照", "对照组"),
        ("TNFα", "TNF alpha"),
        ("NFκB", "NF-kappaB"),
        ("TGF-beta1", "TGFβ1"),
        ("βcatenin", "β-catenin"),
        ("beta catenin", "β-catenin"),
        ("αβ", "alpha-beta T cells"),
        ("ΔG", "∆G of binding"),
        ("5HT", "5-HT receptors"),
        ("5-HT", "5HT receptors"),
        ("antiinflammatory", "anti-inflammatory drugs"),
        ("nonlinear", "non-linear"),
        ("cells", "many cells23"),
        ("Smith", "by Smith¹²"),
        ("Lipitor", "Lipitor™"),
        ("OBrien", "O’Brien"),
        ("Brien", "O'Brien"),
        ("année", "l’année"),
        ("CO2", "CO₂"),
        ("Ca2+", "Ca²⁺ channels"),
        ("km/h", "90 km/h"),
        ("input", "input/output"),
        ("R2=0.9", "r² = 0.9"),
        ("25 kDa", "a 25kDa band"),
        ("37°C", "at 37 ℃"),
        ("テスト", "日本語のテスト"),
    ],
)
def test_what_is_typed_is_found_in_what_is_printed(typed: str, printed: str) -> None:
    assert set(keyword_tokens(typed)) & set(keyword_tokens(printed))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.5%", "15%"),
        ("p<0.05", "p>0.05"),
        ("p<0.05", "p<0.5"),
        ("p53", "p63"),
        ("10 mg", "100 mg"),
    ],
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


def _is_found(typed: str, line: str) -> bool:
    return not set(query_tokens(typed)).isdisjoint(keyword_tokens(line))


@given(line=HAN, data=st.data())
def test_two_chinese_characters_always_find_their_line(line: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(line) - 2))
    typed = line[at : at + 2]

    if not CHINESE_STOP_WORDS.issuperset((typed, *typed)):
        assert _is_found(typed, line) or typed in CHINESE_STOP_WORDS


def test_any_two_characters_of_real_chinese_lines_find_them(corpus: Path) -> None:
    with (corpus / "qa" / "cmrc2018" / "corpus.jsonl").open(encoding="utf-8") as rows:
        texts = [json.loads(row)["text"] for row in islice(rows, 0, None, 12)]
    lines = [line for text in texts for line in re.findall(r"[\u4e00-\u9fff]{2,}", text)]
    assert len(lines) > 1000
    for line in lines:
        tokens = set(keyword_tokens(line))
        for typed in {line[at : at + 2] for at in range(len(line) - 1)} - CHINESE_STOP_WORDS:
            assert CHINESE_STOP_WORDS.issuperset(typed) or tokens & set(query_tokens(typed)), typed


def test_a_query_leaves_out_pairs_that_are_neighbours_by_chance() -> None:
    question = "蝾螈的肢体是怎么再生的？"
    assert "螈的" in keyword_tokens(question)
    assert "螈的" not in query_tokens(question)
    assert {"蝾螈", "肢体", "再生"} <= set(query_tokens(question))
    assert query_tokens("螈的") == ["螈", "螈的"]


@given(st.text(st.characters(categories=["Lu", "Ll", "Lo", "Nd", "Po", "Sm"]), max_size=40))
def test_a_query_has_only_tokens_that_its_text_has(text: str) -> None:
    assert set(query_tokens(text)) <= set(keyword_tokens(text))


@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000,
        "1" * 100_000,
        "a-" * 100_000,
        "1,111" * 50_000,
        "中" * 100_000,
        "中 " * 100_000,
        "α" * 100_000,
        "e\u0301" * 100_000,
        "\u202eabc\u2066" * 100_000,
        "p<" * 100_000,
        ("-\n" * 100_000) + "x",
    ],
    ids=lambda text: ascii(text[:6]),
)
def test_hostile_text_gives_short_tokens_in_time_that_grows_with_it(text: str) -> None:
    keyword_tokens("warm 中文")
    spent = []
    for part in (text[: len(text) // 4], text):
        started = process_time()
        tokens = keyword_tokens(part)
        spent.append(process_time() - started)
        assert all(len(token) <= LONGEST for token in tokens)
    assert spent[1] < 10 * spent[0] + 0.5


def test_latin_text_never_loads_the_chinese_dictionary_and_nothing_warns() -> None:
    code = (
        "import sys; from documents.chunks.tokens import keyword_tokens as k;"
        "k('plain English text');"
        "assert 'rjieba' not in sys.modules; assert '分割' in k('图像分割');"
        "assert 'rjieba' in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
