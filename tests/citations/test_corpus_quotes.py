"""Quotes that people and models copied out of real papers stand in the page text that was read."""

import json
from collections import defaultdict
from pathlib import Path

from citations.normalizing import normalize
from documents.parsing import parse_pages


def quotes_by_file(corpus: Path) -> dict[str, list[tuple[int, str]]]:
    """By file, page and words of every quote that is to be found."""
    found: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for line in (corpus / "locate" / "cases.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        if case["expect"] == "matched":
            found[case["file"]].append((case["page"], case["quote"]))
    return found


def test_every_quote_of_the_corpus_stands_in_the_text_of_its_page(corpus: Path) -> None:
    missing: list[tuple[str, int, str]] = []
    files = quotes_by_file(corpus)
    for name, quotes in files.items():
        texts = {
            page.number: normalize(page.text).text for page in parse_pages(corpus / "papers" / name)
        }
        missing += [
            (name, number, quote)
            for number, quote in quotes
            if normalize(quote.rstrip(".")).text not in texts[number]
        ]
    assert sum(map(len, files.values())) > 200
    assert missing == []
