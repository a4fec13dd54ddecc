"""Titles from file names and PDF info, cleaned and shortened."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.titles import clean_title, is_junk_title, name_parts, short_label


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("012_Smith et al. - 2019 - Deep learning for cats.pdf", "Deep learning for cats"),
        ("Smith (2019) Deep nets for all.pdf", "Deep nets for all"),
        ("2019-Smith-Attention to detail.pdf", "Attention to detail"),
        ("张三 - 2020 - 基于深度学习的图像识别研究.pdf", "基于深度学习的图像识别研究"),
        ("[12] 王五等_2018_城市扩张.pdf", "城市扩张"),
        ("基于预训练模型的中国古典诗歌生成_李四.pdf", "基于预训练模型的中国古典诗歌生成"),
        ("001.基于LSTM的预测(1).pdf", "基于LSTM的预测"),
        ("Microsoft Word - On growth.docx", "On growth"),
        ("growth_of_small_plants.pdf", "growth of small plants"),
        ("3-D structure of proteins", "3-D structure of proteins"),
        ("Climate, 2020: the year of fire", "Climate, 2020: the year of fire"),
        ("The Role of Memory (2019) revisited", "The Role of Memory (2019) revisited"),
        ("COVID-19 in 2020: a review", "COVID-19 in 2020: a review"),
    ],
)
def test_titles_lose_what_tools_put_around_them_and_nothing_else(text: str, title: str) -> None:
    assert clean_title(text) == title


def test_a_file_name_gives_authors_and_year() -> None:
    parts = name_parts("012_Smith, Jones et al. - 2019 - Deep learning for cats.pdf")
    assert parts.authors == ("Smith", "Jones")
    assert parts.year == 2019


@pytest.mark.parametrize(
    "text",
    [
        "untitled",
        "paper.dvi",
        "PBIO0040140 706..711",
        "Untitled-1",
        "12345",
        "",
        "无标题",
        "https://a.b/c",
        "E:\\work\\20160905\\scan",
    ],
)
def test_titles_that_say_nothing_are_junk(text: str) -> None:
    assert is_junk_title(text)


@pytest.mark.parametrize(
    ("title", "label"),
    [
        ("Deep learning for cats", "Deep learning for cats"),
        ("Compound marine heatwaves and ocean acidity extremes", "Compound marine"),
        ("基于预训练模型的中国古典诗歌生成", "基于预训练模型的中国古典"),
        ("Growth, water, light, and more of the same", "Growth, water, light"),
    ],
)
def test_labels_end_with_a_word_and_without_punctuation(title: str, label: str) -> None:
    assert short_label(title) == label


@given(st.text(max_size=120))
def test_labels_are_short_and_never_raise(title: str) -> None:
    label = short_label(title)
    assert len(label) <= 24
    assert "\n" not in label
    assert is_junk_title(title) in (True, False)
