"""What a model is shown of raised and lowered digits; what it quotes of that is found there."""

import re
from itertools import islice
from pathlib import Path
from string import digits

import pytest

from citations.locating import locate_quote
from citations.raised_digits import passages_spelt, spelt
from citations.searchable_page import SearchablePage
from documents.chunks.sentences import split_sentences
from documents.pages.page_text import Span
from documents.parsing import parse_pages
from tests.citations.made_pages import made_page

SET_APART = re.compile("[0-9][⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉]")
PAPERS = ("en_pair2_hbn.pdf", "zh_pair2_hbn.pdf", "en_policy_southcentre_pb95.pdf")


@pytest.mark.parametrize(
    ("text", "raised", "lowered", "shown"),
    [
        ("about 105 cells", "5 cells", "", "about 10⁵ cells"),
        ("as in 201881 and", "81 and", "", "as in 2018⁸¹ and"),
        ("log210 is", "", "10 is", "log2₁₀ is"),
        ("9 m2 of 10 people", "2 of", "", "9 m2 of 10 people"),
        ("in 2018 81 people", "", "", "in 2018 81 people"),
    ],
)
def test_digits_that_stand_above_or_below_others_are_spelt_so(
    text: str, raised: str, lowered: str, shown: str
) -> None:
    def digits_at(words: str) -> tuple[int, ...]:
        at = text.index(words) if words else 0
        return tuple(range(at, at + len(words) - len(words.lstrip(digits))))

    page = SearchablePage.of(made_page(text, raised=digits_at(raised), lowered=digits_at(lowered)))
    assert spelt(text, page.level) == shown
    assert locate_quote(shown, [page], page=1).status == "matched"


def test_a_sentence_that_was_shown_with_raised_digits_is_found_where_it_stands(
    corpus: Path,
) -> None:
    found = 0
    for name in PAPERS:
        for parsed in islice(parse_pages(corpus / "papers" / name), 8):
            page = SearchablePage.of(parsed)
            shown = spelt(parsed.text, page.level)
            for start, end in split_sentences(parsed.text):
                if SET_APART.search(shown[start:end]) and end - start < 400:
                    located = locate_quote(shown[start:end], [page], page=page.number)
                    assert located.status in {"matched", "ambiguous"}, shown[start:end]
                    found += 1
    assert found >= 10


def test_a_passage_over_two_pages_is_spelt_by_the_boxes_of_each(db: None) -> None:
    from documents.models import ParsedFile
    from documents.stored_pages import store_pages

    texts = ("It grew 105 times, by 105.", "And 106 of 105 people.")
    parsed = ParsedFile.objects.create(sha256="a" * 64, parser="lito-1", page_count=2)
    store_pages(
        parsed,
        [made_page(texts[0], 1, raised=(10,)), made_page(texts[1], 2, raised=(6,))],
    )
    spans = (Span(1, 3, len(texts[0])), Span(2, 0, len(texts[1])))
    (shown,) = passages_spelt([(parsed.pk, spans, f"{texts[0][3:]}\n{texts[1]}")])
    assert shown == "grew 10⁵ times, by 105.\nAnd 10⁶ of 105 people."
