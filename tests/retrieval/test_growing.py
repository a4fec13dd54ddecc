"""Papers come and go: only what is new is written, merges have a bound, scores stay exact."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.bm25 import Index
from retrieval.growing import MOST_CHUNKS, tidied, wastes_terms, with_added, with_removed
from retrieval.index_files import open_index, save_index
from retrieval.segments import IndexedDocument
from tests.retrieval.test_bm25 import TERMS, oracle

CHUNK = st.lists(TERMS | st.sampled_from(["肢体", "", "p<0.05"]), max_size=9)
STEP = st.one_of(
    st.tuples(st.just("put"), st.integers(0, 9), st.lists(CHUNK, max_size=4)),
    st.tuples(st.just("remove"), st.integers(0, 9), st.none()),
    st.tuples(st.sampled_from(["tidy", "save"]), st.none(), st.none()),
)


@settings(deadline=None, max_examples=60)
@given(steps=st.lists(STEP, max_size=25), query=st.lists(TERMS, min_size=1, max_size=5))
def test_whatever_comes_goes_and_is_replaced_scores_equal_rank_bm25(
    steps: list[tuple[str, int | None, list[list[str]] | None]], query: list[str]
) -> None:
    live: dict[int, list[list[str]]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stored = save_index(Index(), folder, changes=(0, 0))
        index = stored.index
        for edition, (what, document, chunks) in enumerate(steps):
            if document is not None:
                index = with_removed(index, [document])
                live.pop(document, None)
            if document is not None and chunks is not None:
                rows = [(document * 10 + at, terms) for at, terms in enumerate(chunks)]
                index = with_added(index, [IndexedDocument(document, rows, edition)])
                live[document] = chunks
            if what == "tidy":
                index = tidied(index)
            if what == "save":
                stored = save_index(index, folder, changes=(edition, 1), base=stored)
                index = stored.index

        expected = oracle([chunk for chunks in live.values() for chunk in chunks], query)
        np.testing.assert_allclose(index.scores(query), expected, rtol=0, atol=1e-9)
        assert index.documents == live.keys()


def papers(count: int, *, first: int = 0) -> list[IndexedDocument]:
    """Each with 20 chunks of 40 terms, five of which are its own."""
    chance = np.random.default_rng(first)
    return [
        IndexedDocument(
            number,
            [
                (
                    number * 100 + part,
                    [f"common{term}" for term in chance.integers(0, 3000, 35)]
                    + [f"own{number}-{part}-{term}" for term in range(5)],
                )
                for part in range(20)
            ],
        )
        for number in range(first, first + count)
    ]


def sizes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in folder.iterdir()}


def test_a_paper_more_or_less_writes_no_more_than_its_own(tmp_path: Path) -> None:
    stored = save_index(with_added(Index(), papers(300)), tmp_path, changes=(1, 1))
    whole = sum(sizes(tmp_path).values())
    share = whole / 300

    for number in range(300, 306):
        before = sizes(tmp_path)
        index = with_added(stored.index, papers(1, first=number))
        stored = save_index(index, tmp_path, changes=(number, 1), base=stored)
        after = sizes(tmp_path)
        new = sum(after[name] for name in after.keys() - before.keys())
        assert 0 < new < 3 * share

    before = sizes(tmp_path)
    stored = save_index(with_removed(stored.index, [7]), tmp_path, changes=(9, 9), base=stored)
    after = sizes(tmp_path)
    assert after.keys() <= before.keys()
    assert after["current.json"] < share
    assert open_index(tmp_path).index.documents == frozenset(range(306)) - {7}


def test_merges_have_a_bound_and_rewrite_each_chunk_few_times() -> None:
    per_paper, count = 600, 150
    index, rewritten, largest = Index(), 0, 0
    for number in range(count):
        rows = [(number * per_paper + at, ["cell", f"t{at % 7}"]) for at in range(per_paper)]
        grown = with_added(index, [IndexedDocument(number, rows)])
        index = tidied(grown)
        known = {id(segment) for segment in grown.segments}
        for segment in index.segments:
            if id(segment) not in known:
                rewritten += len(segment.chunks)
                largest = max(largest, len(segment.chunks))

    assert index.chunks == per_paper * count > MOST_CHUNKS
    assert largest <= MOST_CHUNKS
    assert rewritten <= 4 * index.chunks
    assert len(index.segments) < 24


def test_a_large_addition_is_cut_into_segments_of_bounded_size() -> None:
    rows = [(at, ["cell"]) for at in range(1000)]
    many = (
        IndexedDocument(number, [(number * 1000 + chunk, terms) for chunk, terms in rows])
        for number in range(120)
    )
    index = with_added(Index(), many)

    assert [len(segment.chunks) for segment in index.segments] == [50_000, 50_000, 20_000]


def test_terms_that_no_paper_has_any_more_are_noticed() -> None:
    index = with_added(Index(), papers(2))
    assert not wastes_terms(index)
    words = [f"gone{number}" for number in range(20_000)]
    index = with_added(index, [IndexedDocument(9, [(9, words)])])
    assert not wastes_terms(index)
    assert wastes_terms(with_removed(index, [9]))


@pytest.mark.parametrize("term", ["", "\x00", "\ud800", "a" * 1_000_000, "🧬", "\u202e"])
def test_any_token_can_be_a_term(term: str) -> None:
    index = with_added(Index(), [IndexedDocument(1, [(1, [term, "cell"]), (2, ["wall"])])])
    [hit] = index.search([term], limit=5)
    assert hit.chunk == 1
