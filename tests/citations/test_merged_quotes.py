"""Quotes put together from pieces of several sentences stand nowhere, unless by their own words."""

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from citations.locating import locate_quote
from citations.normalizing import normalize
from citations.searchable_page import SearchablePage
from documents.chunks.sentences import split_sentences
from documents.pages.line_ends import flowing
from documents.parsing import parse_pages

PAIRS = 40


def merged(one: str, other: str) -> Iterator[str]:
    joint = " " if " " in one else ""
    first, second = (text.split(" ") if joint else list(text) for text in (one, other))
    middle, centre = len(first) // 2, len(second) // 2
    yield joint.join(first[:middle] + second[centre:])
    yield joint.join(first[middle:] + second[:centre])
    yield joint.join(first[middle:] + first[:middle])
    yield f"{one} {other}"
    yield f"{one} {one}"


@pytest.mark.parametrize("name", ["en_acl2020_207", "zh_pair1_decarbonization"])
def test_pieces_of_several_sentences_are_no_quote(corpus: Path, name: str) -> None:
    read = list(islice(parse_pages(corpus / "papers" / f"{name}.pdf"), 5))
    pages = [SearchablePage.of(page) for page in read]
    sentences = [
        (page.number, flowing(page.text[start:end]))
        for page in read
        for start, end in split_sentences(page.text)
        if 40 < end - start < 300
    ]
    pick = random.Random(name)
    tried = 0
    for _ in range(PAIRS):
        (number, one), (_, other) = pick.sample(sentences, 2)
        for quote in merged(one, other):
            located = locate_quote(quote, pages, page=number)
            tried += 1
            if located.status == "matched":
                found = "".join(located.places[0].texts)
                assert normalize(found).text == normalize(quote).text
            else:
                assert located.places == ()
    assert tried == 5 * PAIRS
