"""Where a match may begin and end: what stands just beyond a quote decides whether it is one."""

import pytest

from citations.locating import locate_quote
from citations.searchable_page import SearchablePage, are_apart
from tests.citations.made_pages import made_page, searchable

REFUSED = {
    "a sign of the quote that is the inside of a number": [
        ("received 1.5 mg of it", ".5 mg of it"),
        ("received 1,5 mg of it", ",5 mg of it"),
        ("about 1/2 of the sample", "/2 of the sample"),
        ("At 10:30 in the morning", ":30 in the morning"),
        ("a rise of 3-5 points", "-5 points"),
        ("in 3–5 % of cases", "–5 % of cases"),
        ("from 2−0.3 to 0.5", "−0.3 to 0.5"),
        ("from 3 - 5 points", "- 5 points"),
        ("a total of 5+3 in all", "a total of 5+"),
        ("written in C++ by us", "written in C+"),
        ("at 15 °C or more", "at 15 °"),
    ],
    "a sign beyond the quote that belongs to the number": [
        ("a change of \ufffd0.3 points", "0.3 points"),
        ("a change of \ue0310.3 points", "0.3 points"),
        ("a change of \ufffd 0.3 points", "0.3 points"),
        ("it grew by 5\ufffd in all", "it grew by 5"),
        ("a change = – 0.3 points", "0.3 points"),
        ("a change (– 0.3 points)", "0.3 points"),
        ("p ≪ 0.001 in all", "0.001 in all"),
        ("p ≫ 0.001 in all", "0.001 in all"),
        ("p ≲ 0.001 in all", "0.001 in all"),
        ("p ≳ 0.001 in all", "0.001 in all"),
        ("about ∼0.3 lower", "0.3 lower"),
        ("p <= 0.001 in all", "0.001 in all"),
        ("p /= 0.001 in all", "0.001 in all"),
        ("at 12°5 north", "5 north"),
    ],
    "a comparison left out before a bracket that opens": [
        ("set the grid = {all of it}", "set the grid {"),
        ("where f ≥ (a+b) holds", "where f ("),
        ("the grid {all} is set", "the grid = {"),
    ],
    "a number that goes on": [
        ("a factor of 10⁻⁵ here", "a factor of 10"),
        ("a factor of 10⁺⁵ here", "a factor of 10"),
        ("a mass of 2.3 × 10⁵ kg", "a mass of 2.3"),
        ("a mass of 2.3×10⁵ kg", "a mass of 2.3"),
        ("a mass of 2.3 x 10⁵ kg", "a mass of 2.3"),
        ("a mass of 2.3 · 10⁵ kg", "a mass of 2.3"),
        ("a mass of 2.3 × 10⁵ kg", "10⁵ kg"),
        ("about 5˜6 subjects", "6 subjects"),
        ("about 12\u2006500 people", "500 people"),
        ("about 12\u2008500 people", "500 people"),
        ("about 12\u2005500 people", "500 people"),
        ("about 12\u3000500 people", "500 people"),
        ("a total of 12\n345 people", "a total of 12"),
        ("a total of 12\n345 people", "345 people"),
        ("about 12, 000 people", "000 people"),
        ("some 15 million people", "some 15"),
        ("grew by 5 percent", "grew by 5"),
        ("a ratio of 1 : 2 mix", "2 mix"),
        ("a half, 1 / 2 mix", "2 mix"),
        ("weighs 5 kg/m2 here", "weighs 5 kg"),
    ],
    "a Chinese numeral": [
        ("占百分之五十以上", "占百分之五"),
        ("占百分之五十以上", "五十以上"),
        ("占百分之五点三以上", "占百分之五"),
        ("占百分之50以上", "50以上"),
        ("共十五万人参加", "五万人参加"),
        ("共十五\n万人参加", "共十五"),
        ("共有15万人参加", "共有15"),
        ("共有15余万人参加", "共有15"),
        ("共有15 万人参加", "共有15"),
        ("增长3至5万人", "增长3至5"),
        ("sales reached 15亿 yuan", "sales reached 15"),
        ("占三分之一以上", "共占三"),
        ("占三分之一以上", "占三"),
        ("气温负五度以下", "五度以下"),
        ("气温零下5度以下", "5度以下"),
        ("增长2成左右", "增长2"),
        ("占了五%的人", "占了五"),
    ],
    "the rest of a word": [
        ("that buyers can’t tell", "that buyers can"),
        ("that buyers can't tell", "that buyers can"),
        ("and workers we’re told", "re told"),
        ("in the 1990’s there", "in the 1990"),
        ("a non-significant effect on sales", "significant effect on sales"),
        ("a non-\nsignificant effect on sales", "significant effect on sales"),
        ("a non‑significant effect on sales", "significant effect on sales"),
        ("a 3-fold rise in sales", "fold rise in sales"),
        ("the COVID-\n19 patients", "19 patients"),
        ("the COVID-19 patients", "the COVID"),
        ("twenty-five percent of it", "five percent of it"),
    ],
    "a sign of a formula": [
        ("where −x is large", "x is large"),
        ("where (-x is large", "x is large"),
        ("so ¬A holds here", "A holds here"),
    ],
}

KEPT = [
    ("这种方法一般有三个步骤", "一般有三个步骤"),
    ("这种方法一般有三个步骤", "这种方法一般"),
    ("共十五万人参加", "共十五万人"),
    ("共十五万人参加", "十五万人参加"),
    ("占百分之五十以上", "百分之五十"),
    ("共有15万人参加", "15万人参加"),
    ("在2010年三月初", "三月初"),
    ("有5人一起参加", "有5人"),
    ("共15人参加", "共15人"),
    ("an increase – 5 points – was seen", "5 points"),
    ("\ufffd 3 patients died", "3 patients died"),
    ("see also\n\uf0b7 3 patients died", "3 patients died"),
    ("in 2010, 345 people", "345 people"),
    ("in 2010 345 people", "345 people"),
    ("Table 1: 30 patients", "30 patients"),
    ("the year 2012.\n5. Smith", "the year 2012"),
    ("some 15 men", "some 15"),
    ("some −5 to −3 points", "−3 points"),
    ("of -5, -3 points", "-3 points"),
    ("where y > 5 holds", "> 5 holds"),
    ("where y<5 holds", "<5 holds"),
    ("some 20 ± 3 cells", "± 3 cells"),
    ("- the first thing", "the first thing"),
    ("− the first thing", "the first thing"),
    ("-the first thing", "the first thing"),
    ("a short- and long run", "and long run"),
    ("they said: ‘buyers can’ and went", "buyers can"),
    ("buyers’ prices rose", "prices rose"),
    ("it is 15 °C or more", "at least 15 °C"[9:]),
    ("he and/or she", "or she"),
    ("written in C++ by us", "written in C++"),
]


@pytest.mark.parametrize(("page", "quote"), [case for cases in REFUSED.values() for case in cases])
def test_a_quote_that_cuts_a_number_or_a_word_is_refused(page: str, quote: str) -> None:
    located = locate_quote(quote, searchable(f"{page} and more"), page=1)
    assert located.status == "not_found", located.places


@pytest.mark.parametrize(("page", "quote"), KEPT)
def test_a_quote_that_cuts_nothing_is_matched(page: str, quote: str) -> None:
    assert locate_quote(quote, searchable(f"{page} and more"), page=1).status == "matched"


@pytest.mark.parametrize(
    ("text", "raised", "quote", "status"),
    [
        ("a factor of 10 5 here", "5", "a factor of 10", "not_found"),
        ("a factor of 10 −5 here", "5−", "a factor of 10", "not_found"),
        ("a factor of 10−5 here", "5−", "a factor of 10", "not_found"),
        ("a factor of 105 here", "5", "a factor of 105 here", "not_found"),
        ("a factor of 105 here", "", "a factor of 105 here", "matched"),
        ("a factor of 105 here", "5", "a factor of 10⁵ here", "matched"),
    ],
)
@pytest.mark.parametrize("turn", [0, 1, 2, 3])
def test_a_power_is_seen_whichever_way_the_text_runs(
    text: str, raised: str, quote: str, status: str, turn: int
) -> None:
    offsets = tuple(text.index(sign) for sign in raised)
    page = SearchablePage.of(made_page(text, raised=offsets, turn=turn))
    located = locate_quote(quote, [page], page=1)
    if turn and "⁵" in quote:
        assert located.status in {status, "not_found"}
    else:
        assert located.status == status


@pytest.mark.parametrize(
    ("text", "raised", "lowered", "quote", "status"),
    [
        ("in protocol7 of it", "7", "", "in protocol", "matched"),
        ("the author Smithb wrote", "b", "", "the author Smith", "matched"),
        ("the energy Qs is high", "", "s", "the energy Q", "not_found"),
        ("the energy Qs is high", "s", "", "the energy Q", "not_found"),
        ("with the weight2 given", "", "2", "with the weight", "not_found"),
        ("an area of 5 m2 here", "2", "", "an area of 5 m", "not_found"),
        ("3Department of it", "3", "", "Department of it", "matched"),
        ("3Department of it", "", "3", "Department of it", "not_found"),
    ],
)
def test_a_footnote_mark_may_be_left_out_and_an_index_may_not(
    text: str, raised: str, lowered: str, quote: str, status: str
) -> None:
    above, below = (
        tuple(text.index(c, 3) if c == "s" else text.index(c) for c in chosen)
        for chosen in (raised, lowered)
    )
    page = SearchablePage.of(made_page(text, raised=above, lowered=below))
    assert locate_quote(quote, [page], page=1).status == status


@pytest.mark.parametrize(
    ("following", "expected"),
    [
        ((0.109, 0.1, 0.117, 0.115), False),  # 12 345: a space groups the digits
        ((0.130, 0.1, 0.138, 0.115), True),  # the next column of the same line
        ((0.020, 0.12, 0.028, 0.135), False),  # a number that a line end breaks
        ((0.098, 0.12, 0.106, 0.135), True),  # the cell below
        ((0.200, 0.12, 0.208, 0.135), True),  # a cell further right
        ((0.098, 0.12, 0.130, 0.125), False),  # turned text: nothing is known
    ],
)
def test_digits_in_two_cells_are_no_number(
    following: tuple[float, float, float, float], *, expected: bool
) -> None:
    assert are_apart(following, (0.098, 0.1, 0.106, 0.115), 0.7) is expected
