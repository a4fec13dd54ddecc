"""Titles from file names and PDF info, cleaned and shortened."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.catalogue.titles import clean_title, is_junk_title, name_parts, short_label


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


@pytest.mark.parametrize(
    ("file_name", "title", "authors", "year"),
    [
        (
            "012_Smith, Jones et al. - 2019 - Deep learning.pdf",
            "Deep learning",
            ["Smith", "Jones"],
            2019,
        ),
        ("Smith_2019_Deep learning for cats.pdf", "Deep learning for cats", ["Smith"], 2019),
        ("Smith_2019_Deep_learning_for_cats.pdf", "Deep learning for cats", ["Smith"], 2019),
        ("Smith and Jones (2019) Deep nets.pdf", "Deep nets", ["Smith", "Jones"], 2019),
        ("van der Berg - 2001 - On dikes.pdf", "On dikes", ["van der Berg"], 2001),
        ("[2019] Deep learning for cats.pdf", "Deep learning for cats", [], 2019),
        ("[2019] Smith - Deep learning for cats.pdf", "Deep learning for cats", ["Smith"], 2019),
        ("(2019) Deep learning for cats (1).pdf", "Deep learning for cats", [], 2019),
        ("2019_Deep learning for cats.pdf", "Deep learning for cats", [], 2019),
        ("Deep learning for cats (2019).pdf", "Deep learning for cats", [], 2019),
        ("2301.01234v2 - Deep learning.pdf", "Deep learning", [], None),
        ("2301.01234v2.Deep_learning_for_cats.pdf", "Deep learning for cats", [], None),
        ("Deep learning for cats - Copy (2).pdf", "Deep learning for cats", [], None),
        ("Copy of Deep learning for cats.pdf", "Deep learning for cats", [], None),
        ("Deep learning for cats_final_v2.pdf", "Deep learning for cats", [], None),
        ("Deep learning for cats FINAL.pdf.pdf", "Deep learning for cats", [], None),
        ("The final days of summer.pdf", "The final days of summer", [], None),
        ("2001 A Space Odyssey revisited.pdf", "2001 A Space Odyssey revisited", [], None),
        ("张三等_2019_城市扩张的影响.pdf", "城市扩张的影响", ["张三"], 2019),
        ("城市扩张的影响研究_张三.pdf", "城市扩张的影响研究", ["张三"], None),
        ("城市扩张的影响研究_张三.caj", "城市扩张的影响研究", ["张三"], None),
        ("城市扩张的影响研究_欧阳晓明(1).pdf", "城市扩张的影响研究", ["欧阳晓明"], None),
        ("城市扩张的影响研究 - 副本.pdf", "城市扩张的影响研究", [], None),
        ("副本-城市扩张的影响研究.pdf", "城市扩张的影响研究", [], None),
        ("城市扩张的影响研究（定稿）.pdf", "城市扩张的影响研究", [], None),
        ("城市扩张的影响研究最终版.pdf", "城市扩张的影响研究", [], None),
        ("【2019】城市扩张的影响研究.pdf", "城市扩张的影响研究", [], 2019),
        (
            "[1]张三,李四.城市扩张的影响[J].地理学报,2019(3):1-5.pdf",
            "城市扩张的影响",
            ["张三", "李四"],
            2019,
        ),
        ("城市扩张_影响与对策.pdf", "城市扩张 影响与对策", [], None),
        ("1-s2.0-S0140673620301234-main.pdf", "", [], None),
        ("2301.01234v2.pdf", "", [], None),
        ("arXiv-2301.01234.pdf", "", [], None),
        ("10.1371_journal.pone.0012345.pdf", "", [], None),
        ("journal.pone.0012345.pdf", "", [], None),
        ("PIIS0140673620301234.pdf", "", [], None),
        ("s41467-022-32120-7.pdf", "", [], None),
        ("sensors-22-05300-v2.pdf", "", [], None),
        ("nihms-1234567.pdf", "", [], None),
        ("PMC1234567.pdf", "", [], None),
        ("978-3-030-12345-6.pdf", "", [], None),
        ("scan0012.pdf", "", [], None),
        ("download (3).pdf", "", [], None),
        ("论文.pdf", "", [], None),
    ],
)
def test_a_file_name_gives_title_authors_and_year(
    file_name: str, title: str, authors: list[str], year: int | None
) -> None:
    parts = name_parts(file_name)
    assert (parts.title, list(parts.authors), parts.year) == (title, authors, year)


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
