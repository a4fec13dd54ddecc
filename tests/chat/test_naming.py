import re

import pytest

from chat.naming import Named, mentions, named_in, stem_of, stem_pattern


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How does garlic mustard harm native trees?", []),
        ("How far has garlic mustard spread in the forests of Japan?", ["Japan"]),
        ("Does resilience protect young Iraqis from anxiety?", ["Iraqis"]),
        ("Are people in the UK likely to act?", ["UK"]),
        ("PTSD and the climate: what is known? Which groups suffer?", ["PTSD"]),
        ("What did I miss in section 3?", ["3"]),
        ("What is 12.5 % of 1,204?", ["12.5", "1,204"]),
        ("What are CO2 and the N-domain of ACE?", ["CO2", "N-domain", "ACE"]),
        ("Is the Boeing’s 737 MAX grounded?", ["Boeing", "737", "MAX"]),
        ("Welche Folgen hat der Klimawandel für die Gesundheit?", []),
        ("¿Qué efectos tiene el clima en España en 2020?", ["2020"]),
        ("东北电气 2021 年的净利润是多少？", ["2021"]),
        ("FAST 的基准球面是什么？", ["FAST"]),
        ("biblatex-gb7714-2015 宏包提供哪几类样式？", ["biblatex-gb7714-2015"]),
        ("入侵植物怎样抑制树苗的生长？", []),
        ("", []),
    ],
)
def test_what_a_question_names(question: str, words: list[str]) -> None:
    assert [each.word for each in named_in(question)] == words


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("Iraqi", "Iraq"),
        ("Germany", "German"),
        ("Ethiopia", "Ethiopian"),
        ("Tanzania", "Tanzanian"),
    ],
)
def test_a_stem_begins_the_other_forms(word: str, form: str) -> None:
    assert form.startswith(stem_of(word))


@pytest.mark.parametrize(
    ("word", "other"), [("Germany", "germination"), ("2021", "2018"), ("Japan", "Java")]
)
def test_a_stem_begins_no_other_word(word: str, other: str) -> None:
    assert not other.casefold().startswith(stem_of(word).casefold())


def test_numbers_are_told_from_names() -> None:
    assert [each.is_number for each in named_in("What did Kim find in 1998?")] == [False, True]


@pytest.mark.parametrize(
    ("text", "named", "there"),
    [
        ("Iraq ranks fifth.", "Iraqis", True),
        ("In the Kurdis-\ntan Region", "Kurdistan", True),
        ("In the Kurdis\u00adtan Region", "Kurdistan", True),
        ("FAST主动反射面", "FAST", True),
        ("中国的FAST望远镜", "FAST", True),
        ("a breakFAST of champions", "FAST", False),
        ("spores of germination", "Germany", False),
        ("published in 2021.", "2021", True),
        ("2021年的净利润", "2021", True),
        ("12021 units and 20211 more", "2021", False),
        ("a share of 12.5%", "2.5", False),
        ("a share of 12.5%", "12.5", True),
        ("", "Japan", False),
    ],
)
def test_a_paper_mentions_a_name_in_any_of_its_forms(text: str, named: str, there: bool) -> None:
    asked = Named(named, stem_of(named), is_number=named[0].isdigit())
    assert mentions(text, asked) is there


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("the Kurd-\nistan Region", "Kurdistan"),
        ("the Kurd\u00adistan Region", "Kurdistan"),
        ("a share of 12.5%", "12.5"),
        ("CO2 and the N-domain", "N-domain"),
        ("CO2 and the N-\ndomain", "N-domain"),
    ],
)
def test_the_first_sieve_keeps_every_text_that_mentions_a_name(text: str, named: str) -> None:
    asked = Named(named, stem_of(named), is_number=named[0].isdigit())
    assert mentions(text, asked)
    assert re.search(stem_pattern(asked), text, re.IGNORECASE)
