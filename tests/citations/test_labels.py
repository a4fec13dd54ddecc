"""Names of papers on tags: cleaned and short."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.labels import clean_title, short_label


@pytest.mark.parametrize(
    ("title", "clean"),
    [
        ("03_Akerlof 1970 - The market for lemons.pdf", "The market for lemons"),
        ("[12] 论中国古代诗歌的生成方法.pdf", "论中国古代诗歌的生成方法"),
        ("Smith et al. (2020): Deep nets", "Deep nets"),
        ("Smith and Jones, 2020. Deep nets", "Deep nets"),
        ("张三等2019_高血压防治指南.pdf", "高血压防治指南"),
        ("2019 - Deep nets", "Deep nets"),
        ("1. Introduction to nets", "Introduction to nets"),
        ("deep_nets_final.pdf", "deep nets final"),
        ("1984", "1984"),
        ("2020 vision", "2020 vision"),
        ("3D printing", "3D printing"),
        ("5.pdf", "5"),
        ("A study of 2010: what we saw", "A study of 2010: what we saw"),
    ],
)
def test_serial_numbers_authors_years_and_extensions_go(title: str, clean: str) -> None:
    assert clean_title(title) == clean


def test_labels_are_cut_at_a_word_and_chinese_counts_double() -> None:
    assert short_label("The market for lemons: quality uncertainty") == "The market for lemons…"
    assert short_label("论中国古代诗歌的生成与情感分析方法研究") == "论中国古代诗歌的生成与…"
    assert short_label("Short") == "Short"


@given(st.text(max_size=120))
def test_a_label_is_never_longer_than_a_tag(title: str) -> None:
    assert len(short_label(title)) <= 80
