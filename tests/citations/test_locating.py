"""Where quotes stand: what carries meaning, where a match may end, what is never drawn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.locating import locate_quote
from citations.searchable_page import SearchablePage
from documents.pages.page_text import Block, BlockKind, PageState
from tests.citations.made_pages import made_page, searchable

PAGE = (
    "The growth rate was 1.5 % in 2010, and p < 0.05 in both groups.\n"
    "A mean of -0.3 (range 3-5) was seen; 10 of 15 % agreed with 1,000 others.\n"
    "Values of 1 000 and 20 ± 3 at 25 °C were kept. COVID-\n19 patients were"
    " well-\nknown and com-\n"
    "piled. The m2 area and protocol7 of IL-6 stay."
)


@pytest.mark.parametrize(
    "quote",
    [
        "The growth rate was 1.5 % in 2010",
        "growth rate was 1.5% in 2010, and p<0.05",
        "THE GROWTH RATE WAS 1.5 %",
        "A mean of −0.3 (range 3–5) was seen",
        "-0.3 (range 3-5)",
        "p < 0.05 in both groups.",
        "agreed with 1,000 others",
        "Values of 1 000 and 20 ± 3 at 25 °C",
        "COVID-19 patients",
        "COVID19 patients",
        "were well-known and compiled",
        "were wellknown and com-piled",
        "The m2 area",
        "“protocol7 of IL-6 stay.”",
        "10 of 15 %",
        "10 of 15 % agreed",
    ],
)
def test_what_typesetting_changed_is_matched(quote: str) -> None:
    assert locate_quote(quote, searchable(PAGE), page=1).status == "matched"


@pytest.mark.parametrize(
    "quote",
    [
        "growth rate was 15 % in 2010",
        "growth rate was 1.5 in 2010",
        "growth rate was 1.5 ‰ in 2010",
        "p > 0.05 in both groups",
        "p = 0.05 in both groups",
        "p 0.05 in both groups",
        "p < 0.5 in both groups",
        "A mean of 0.3 (range 3-5)",
        "0.3 (range",
        "(range 35)",
        "(range 3 5)",
        "with 1000 others",
        "with 1.000 others",
        "Values of 1000 and",
        "20 3 at 25",
        "25 C were kept",
        "5 % agreed",
        "The growth rate was 1.5",
        "owth rate was",
        "growth ra",
        "known and compiled",
        "of -0.3 (range 3-",
        "000 others",
        "IL6 stay",
        "mean of --0.3",
        "in 2010 and p",
    ],
)
def test_what_carries_meaning_is_never_ignored(quote: str) -> None:
    located = locate_quote(quote, searchable(PAGE), page=1)
    assert located.status == "not_found", located.places
    assert located.places == ()


def test_a_raised_digit_after_a_digit_is_another_number() -> None:
    text = "about 105 cells and 10 m2 of land7 here"
    raised = (text.index("5"), text.index("m2") + 1, text.index("7"))
    page = [SearchablePage.of(made_page(text, raised=raised))]
    assert locate_quote("about 105 cells", page, page=1).status == "not_found"
    assert locate_quote("about 10⁵ cells", page, page=1).status == "matched"
    assert locate_quote("about 10^5 cells", page, page=1).status == "matched"
    assert locate_quote("10 m2 of land7 here", page, page=1).status == "matched"
    assert locate_quote("10 m² of land", page, page=1).status == "matched"
    assert locate_quote("and 10 m", page, page=1).status == "not_found"


def test_a_plain_number_is_not_a_power() -> None:
    page = searchable("about 105 cells")
    assert locate_quote("about 10⁵ cells", page, page=1).status == "not_found"
    assert locate_quote("about 105 cells", page, page=1).status == "matched"


def test_twins_are_ambiguous_and_all_are_listed() -> None:
    pages = searchable("Team Alpha shipped late in May.", "Team Beta shipped late in May.")
    located = locate_quote("shipped late in May", pages)
    assert located.status == "ambiguous"
    assert [place.regions[0].page for place in located.places] == [1, 2]
    assert locate_quote("shipped late in May", pages[:1]).status == "matched"
    assert locate_quote("shipped late in May", pages, page=2).places[0].regions[0].page == 2


def test_a_quote_on_another_page_is_not_found_on_the_given_one() -> None:
    pages = searchable("Nothing here at all.", "Team Beta shipped late in May.")
    assert locate_quote("shipped late in May", pages, page=1).status == "not_found"


@pytest.mark.parametrize("quote", ["", " ", "…", "a", "7", "“”", "!?", "a."])
def test_less_than_two_letters_is_no_quote(quote: str) -> None:
    assert locate_quote(quote, searchable("a b c 7"), page=1).status == "missing_quote"


def test_one_chinese_character_is_a_quote() -> None:
    assert locate_quote("雨", searchable("今天有雨。"), page=1).status == "matched"
    assert locate_quote("雨", searchable("雨后有雨。"), page=1).status == "ambiguous"


def test_chinese_needs_no_word_border_but_latin_inside_it_does() -> None:
    page = searchable("我们使用BERT模型，共20千米。增长5%，见表2。")
    assert locate_quote("使用BERT模型", page, page=1).status == "matched"
    assert locate_quote("BERT", page, page=1).status == "matched"
    assert locate_quote("BER", page, page=1).status == "not_found"
    assert locate_quote("模型，共20千米", page, page=1).status == "matched"
    assert locate_quote("共2", page, page=1).status == "not_found"
    assert locate_quote("增长5％", page, page=1).status == "matched"
    assert locate_quote("增长5", page, page=1).status == "not_found"


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("It fell by −16.55% then.", "−16.55%", "−16.55%"),
        ("It fell by −16.55% then.", "-16.55%", "−16.55%"),
        ("It fell by − 16.55% then.", "−16.55%", "− 16.55%"),
        ("Those ≤q75 were kept.", "≤q75", "≤q75"),
        ("Those with >110 mmHg left.", ">110 mmHg", ">110 mmHg"),
        ("Shares (up to 80 %), as said.", "(up to 80 %),", "(up to 80 %),"),
        ("见图（最大值）所示。", "(最大值)", "（最大值）"),
        ("He said: prices fell.", "“prices fell”", "prices fell"),
        ("He said:\n(prices) fell.", ": (prices)", "(prices)"),
        ("[12] Prices fell.", "Prices fell.", "Prices fell."),
        ("The doi (10.1093/eurpub/) is", "10.1093/eurpub/)", "10.1093/eurpub/)"),
        ("See Abukari & Mwalyosi (2004).", "Abukari &", "Abukari &"),
        ("The price (fell", "price ,", "price"),
    ],
)
def test_the_signs_around_a_quote_are_drawn_with_it(text: str, quote: str, found: str) -> None:
    [page] = searchable(text)
    [place] = locate_quote(quote, [page]).places
    assert place.text == found
    [region] = place.regions
    assert region.rects[0][0] == pytest.approx(
        page.boxes[text.index(found) : text.index(found) + 1][0][0], abs=1e-3
    )


def test_a_tilde_before_a_number_is_part_of_what_is_said() -> None:
    page = searchable("A slope of ~1.073 for 2024 and 1.5 for 3~5 of them, A ~ B.")
    assert locate_quote("slope of ~1.073", page).status == "matched"
    assert locate_quote("slope of ∼1.073", page).status == "matched"
    assert locate_quote("slope of 1.073", page).status == "not_found"
    assert locate_quote("for ~2024 and", page).status == "not_found"
    assert locate_quote("and ~1.5", page).status == "not_found"
    assert locate_quote("for 2024 and ~1.5 for", page).status == "not_found"
    assert locate_quote("2014;~19", searchable("Youth 2014;19:139")).status == "not_found"
    assert locate_quote("3∼5 of them, A B", page).status == "matched"


def test_a_unit_that_opens_a_quote_is_that_of_the_page() -> None:
    page = searchable("It was 15% since then, and 15 % of all.")
    assert locate_quote("% since then", page).status == "matched"
    assert locate_quote("° since then", page).status == "not_found"
    assert locate_quote("‰ of all", page).status == "not_found"


def test_columns_beside_a_page_break_do_not_make_one_number() -> None:
    pages = searchable("Of all the many", "goods sold 20      116 were new")
    assert locate_quote("the many goods sold 20", pages).status == "matched"
    closer = searchable("Of all the many", "goods sold 20 116 were new")
    assert locate_quote("the many goods sold 20", closer).status == "not_found"


def test_an_ellipsis_joins_two_spans_in_order() -> None:
    page = searchable(
        "Prices fell in the first year.\nThen nothing happened.\nThey rose again later."
    )
    located = locate_quote("Prices fell in the first year ... They rose again", page, page=1)
    assert located.status == "matched"
    assert located.places[0].texts == ("Prices fell in the first year", "They rose again")
    assert locate_quote("They rose again […] Prices fell", page, page=1).status == "not_found"
    assert locate_quote("Prices fell … They sank", page, page=1).status == "not_found"


def test_an_ellipsis_never_joins_a_span_that_stands_twice() -> None:
    page = searchable("They rose again.\nPrices fell at first.\nThen they rose again.")
    located = locate_quote("Prices fell at first ... rose again", page, page=1)
    assert located.status == "ambiguous"
    assert [place.text for place in located.places] == ["rose again", "rose again"]


def test_a_written_ellipsis_is_found_as_it_stands() -> None:
    page = searchable("Well ... maybe so, he said.")
    located = locate_quote("Well ... maybe so", page, page=1)
    assert located.status == "matched"
    assert len(located.places[0].spans) == 1


def test_sic_is_the_writers_own() -> None:
    page = searchable("They was there at noon.")
    assert locate_quote("They was [sic] there", page, page=1).status == "matched"


def test_a_quote_over_a_page_break_is_drawn_on_both_pages() -> None:
    one = "Intro text here.\nThe treated group com-\n3"
    two = "Journal of Tests\npared well with the others. End."
    pages = [
        SearchablePage.of(
            made_page(one, 1, blocks=(Block(BlockKind.MARGIN, one.rindex("3"), len(one)),))
        ),
        SearchablePage.of(made_page(two, 2, blocks=(Block(BlockKind.MARGIN, 0, two.index("\n")),))),
    ]
    for page in (None, 1, 2):
        located = locate_quote("The treated group compared well with the others", pages, page=page)
        assert located.status == "matched"
        assert [region.page for region in located.places[0].regions] == [1, 2]
        assert all(region.rects for region in located.places[0].regions)


@pytest.mark.parametrize(
    ("first", "second", "third", "status"),
    [
        ("was\n17", "J. Tests 2020\nseen", "J. Tests 2021\nAnd.\n19", "matched"),
        ("was\n1", "seen", "And.", "matched"),
        ("was\n- 17 -", "seen to improve. End.\n- 18 -", "And.", "matched"),
        ("was\nJ. Tests", "seen to improve. End.\nJ. Tests", "And.", "matched"),
        ("was\n17", "seen", "And.", "not_found"),
        ("was\nnot at all", "seen", "And.", "not_found"),
        ("was", "never\nseen", "And.", "not_found"),
        ("was\nnot", "seen", "not\nAnd.", "not_found"),
    ],
)
def test_only_proven_furniture_is_skipped_at_a_page_break(
    first: str, second: str, third: str, status: str
) -> None:
    rest = "" if "improve" in second else " to improve. End."
    pages = searchable(f"Intro text here.\nThe treated group {first}", second + rest, third)
    located = locate_quote("The treated group was seen to improve", pages)
    assert located.status == status
    if status == "matched":
        assert [region.page for region in located.places[0].regions] == [1, 2]
        assert located.places[0].texts[0].endswith("group was")
        assert located.places[0].texts[1].startswith("seen")


def test_a_footnote_between_two_columns_is_skipped() -> None:
    text = "The treated group\n1 A footnote that stands at the foot.\nwas seen to improve."
    note = Block(BlockKind.FOOTNOTE, text.index("1 A"), text.index("was seen") - 1)
    page = [SearchablePage.of(made_page(text, blocks=(note,)))]
    located = locate_quote("The treated group was seen to improve", page, page=1)
    assert located.status == "matched"
    assert len(located.places[0].spans) == 2
    assert locate_quote("A footnote that stands at the foot", page, page=1).status == "matched"


@pytest.mark.parametrize(
    ("state", "text", "status"),
    [
        (PageState.NO_TEXT, "", "no_text"),
        (PageState.FAILED, "", "no_text"),
        (PageState.UNSUPPORTED_ROTATION, "Team Beta shipped late.", "unsupported_rotation"),
        (PageState.GARBLED, "Ôƒ Team Beta shipped late.", "matched"),
        (PageState.GARBLED, "Ôƒ)a¨ ...", "no_text"),
        (PageState.OCR, "Team Beta shipped late.", "matched"),
    ],
)
def test_the_state_of_a_page_decides(state: PageState, text: str, status: str) -> None:
    page = [SearchablePage.of(made_page(text, state=state, reason="why"))]
    for number in (1, None):
        located = locate_quote("Team Beta shipped late", page, page=number)
        assert located.status == status
        if status != "matched":
            assert located.places == ()
            assert located.reason


def test_a_near_miss_is_offered_as_text_and_never_drawn() -> None:
    located = locate_quote("The growth rate was 1.6 % in 2010", searchable(PAGE), page=1)
    assert located.status == "not_found"
    assert located.places == ()
    assert located.nearest is not None
    assert "1.5 %" in located.nearest.text


def test_rectangles_lie_on_the_lines_of_the_quote() -> None:
    located = locate_quote("piled. The m2 area", searchable(PAGE), page=1)
    assert located.status == "not_found"
    located = locate_quote("A mean of -0.3", searchable(PAGE), page=1)
    ((x0, y0, x1, y1),) = located.places[0].regions[0].rects
    assert x0 == pytest.approx(0, abs=0.01)
    assert x1 == pytest.approx(0.14, abs=0.01)
    assert y0 >= 1 / 60 - 0.004
    assert y1 <= 2 / 60


WORDS = st.lists(
    st.text(st.sampled_from("abcdefgh"), min_size=2, max_size=6),
    min_size=12,
    max_size=30,
    unique=True,
)


@given(WORDS, st.data())
def test_any_run_of_whole_words_is_found_where_it_stands(
    words: list[str], data: st.DataObject
) -> None:
    text = "\n".join(" ".join(words[at : at + 5]) for at in range(0, len(words), 5))
    start = data.draw(st.integers(0, len(words) - 4))
    end = data.draw(st.integers(start + 3, len(words)))
    quote = " ".join(words[start:end])
    located = locate_quote(quote.upper(), searchable(text), page=1)
    assert located.status in {"matched", "ambiguous"}
    texts = [place.text for place in located.places]
    assert quote in texts


@given(
    st.text(st.sampled_from("ab 015.,-%<>=±\n"), min_size=3, max_size=30),
    st.text(st.sampled_from("ab 015.,-%<>=±"), min_size=2, max_size=8),
)
def test_a_match_has_the_digits_and_signs_of_the_quote(text: str, quote: str) -> None:
    located = locate_quote(quote, searchable(text), page=1)
    for place in located.places:
        found = place.text
        assert [c for c in found if c.isalnum()] == [c for c in quote if c.isalnum()]
        assert [c for c in found.strip("<>=±-%., ") if c in "<>=±"] == [
            c for c in quote.strip("<>=±-%., ") if c in "<>=±"
        ]


def test_of_very_many_places_a_hundred_are_given_and_that_there_are_more_is_said() -> None:
    line = "The growth rate rose again in every year.\n"
    for times, reason in [(99, ""), (100, ""), (101, "more_places")]:
        located = locate_quote("The growth rate rose again", searchable(line * times))
        assert (located.status, located.reason) == ("ambiguous", reason)
        assert len(located.places) == min(times, 100)
        assert located.as_json().get("reason", "") == reason


def test_of_very_many_places_of_a_part_that_there_are_more_is_said_too() -> None:
    text = "It began in spring, they say.\n" + "The growth rate rose again in every year.\n" * 101
    located = locate_quote("It began in spring ... The growth rate rose again", searchable(text))
    assert (located.status, located.reason) == ("ambiguous", "more_places")
    assert len(located.places) == 100


def test_a_quote_in_more_parts_than_a_place_can_join_says_so() -> None:
    page = searchable(
        "One thing rose here. Two things fell here. Three things stood here. Four ended."
    )
    three = locate_quote("One thing rose ... Two things fell ... Three things stood", page)
    assert (three.status, len(three.places[0].spans)) == ("matched", 3)
    four = locate_quote(
        "One thing rose ... Two things fell ... Three things stood ... Four ended", page
    )
    assert (four.status, four.places, four.reason) == ("not_found", (), "too_many_parts")


@pytest.mark.parametrize(
    "note",
    [
        "[sic]",
        "(sic!)",
        "[emphasis added]",
        "（原文如此）",
        "[italics in the original]",
        "[...]",
        "[…]",
    ],
)
def test_what_a_quoting_writer_adds_is_looked_for_nowhere(note: str) -> None:
    page = searchable("The growth rate rose again in every year.")
    located = locate_quote(f"The growth rate {note} rose again {note}", page)
    assert located.status == "matched"
    assert " ".join(located.places[0].texts) == "The growth rate rose again"


@pytest.mark.parametrize("note", ["[did not]", "[of the UK]", "(not)", "[0.5]"])
def test_what_a_quoting_writer_puts_in_place_of_words_is_never_skipped(note: str) -> None:
    page = searchable("The growth rate rose again in every year.")
    assert locate_quote(f"The growth rate {note} rose again", page).status == "not_found"
