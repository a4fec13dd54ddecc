"""The same scores as rank_bm25's BM25Okapi, whatever came and went before."""

import json
import random
from collections.abc import Sequence
from itertools import islice, starmap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from documents.chunks.tokens import keyword_tokens
from retrieval.bm25 import Index
from retrieval.growing import tidied, with_added, with_removed
from retrieval.segments import IndexedDocument

TERMS = st.sampled_from([f"term{number}" for number in range(12)])
CHUNKS = st.lists(st.lists(TERMS, max_size=20), max_size=12)


def index_of(chunks: Sequence[Sequence[str]], *, first: int = 0) -> Index:
    """One document for each chunk; ids count from `first`."""
    return with_added(Index(), papers_of(chunks, first=first))


def papers_of(chunks: Sequence[Sequence[str]], *, first: int = 0) -> list[IndexedDocument]:
    return [
        IndexedDocument(number, [(number, terms)])
        for number, terms in enumerate(chunks, start=first)
    ]


def oracle(chunks: Sequence[Sequence[str]], query: Sequence[str]) -> np.ndarray:
    if not any(chunks):
        return np.zeros(len(chunks))  # where the package divides by zero
    return np.asarray(BM25Okapi([list(chunk) for chunk in chunks]).get_scores(list(query)))


@given(chunks=CHUNKS, query=st.lists(TERMS | st.just("unknown"), max_size=6))
def test_scores_equal_rank_bm25(chunks: list[list[str]], query: list[str]) -> None:
    np.testing.assert_allclose(
        index_of(chunks).scores(query), oracle(chunks, query), rtol=0, atol=1e-9
    )


@pytest.mark.parametrize(
    "chunks",
    [
        [],
        [[]],
        [["one"]],
        [["one", "one", "two"]],
        [["one"], ["two"]],
        [["one", "two"], ["two"]],
        [["one"], ["one"], ["one"]],
        [["one"], [], ["two", "two"]],
    ],
)
@pytest.mark.parametrize("query", [[], ["one"], ["one", "one"], ["two", "none"]])
def test_tiny_corpora_equal_rank_bm25(chunks: list[list[str]], query: list[str]) -> None:
    np.testing.assert_allclose(
        index_of(chunks).scores(query), oracle(chunks, query), rtol=0, atol=1e-9
    )


@settings(deadline=None)
@given(
    batches=st.lists(CHUNKS, max_size=5),
    query=st.lists(TERMS, max_size=5),
    data=st.data(),
)
def test_adding_removing_and_tidying_never_change_a_score(
    batches: list[list[list[str]]], query: list[str], data: st.DataObject
) -> None:
    index = Index()
    live: dict[int, list[str]] = {}
    for batch in batches:
        first = max(live, default=-1) + 1
        index = with_added(index, papers_of(batch, first=first))
        live |= dict(enumerate(batch, start=first))
        gone = data.draw(st.sets(st.sampled_from(sorted(live)))) if live else set()
        index = with_removed(index, gone)
        live = {number: terms for number, terms in live.items() if number not in gone}
        if data.draw(st.booleans()):
            index = tidied(index)

    expected = oracle(list(live.values()), query)
    np.testing.assert_allclose(index.scores(query), expected, rtol=0, atol=1e-9)
    assert index.documents == live.keys()
    assert index.chunks == len(live)


@given(chunks=CHUNKS, query=st.lists(TERMS, max_size=5), limit=st.integers(1, 15))
def test_the_search_gives_the_best_chunks_that_hold_a_term(
    chunks: list[list[str]], query: list[str], limit: int
) -> None:
    index = index_of(chunks)
    scores = index.scores(query)
    holding = [number for number, chunk in enumerate(chunks) if set(chunk) & set(query)]
    best = sorted(holding, key=lambda number: (-scores[number], number))[:limit]

    hits = index.search(query, limit=limit)

    assert [hit.chunk for hit in hits] == best
    assert [hit.score for hit in hits] == [scores[number] for number in best]


def test_a_scope_leaves_out_chunks_but_not_their_statistics() -> None:
    chunks = [["cell", "wall"], ["cell"], ["wall"], ["cell", "cell"], ["root"]]
    index = index_of(chunks)
    everywhere = {hit.chunk: hit.score for hit in index.search(["cell"], limit=9)}

    hits = index.search(["cell"], limit=9, documents=[1, 3, 77])

    assert [hit.chunk for hit in hits] == [3, 1]
    assert {hit.chunk: hit.score for hit in hits} == {1: everywhere[1], 3: everywhere[3]}


def test_a_hit_knows_how_much_of_the_query_it_holds() -> None:
    chunks = [["cell", "wall"], ["cell"], ["root"], ["leaf"], ["stem"]]
    hits = {hit.chunk: hit.share for hit in index_of(chunks).search(["cell", "wall"], limit=9)}

    assert hits[0] == pytest.approx(1)
    assert 0 < hits[1] < 0.5  # of the two, "wall" is rarer

    [stray] = index_of(chunks).search(["root", "未知", "的词"], limit=9)
    assert stray.share < 0.4


def test_one_of_two_chunks_scores_zero_and_is_still_a_hit() -> None:
    [hit] = index_of([["one"], ["two"]]).search(["one"], limit=5)

    assert (hit.chunk, hit.score) == (0, 0)


def test_many_small_segments_become_few_and_dead_ones_go() -> None:
    index = Index()
    for number in range(20):
        index = tidied(with_added(index, papers_of([[f"term{number % 5}"]], first=number)))
    assert len(index.segments) < 8

    index = tidied(with_removed(index, range(0, 20, 2)))
    assert not any(segment.dead for segment in index.segments)
    assert index.chunks == 10


def test_several_chunks_of_a_document_go_together() -> None:
    papers = [(7, [(70, ["cell"]), (71, ["wall"])]), (8, []), (9, [(90, ["cell"])])]
    index = with_added(Index(), starmap(IndexedDocument, papers))
    assert index.documents == {7, 8, 9}
    left = with_removed(index, [7])
    assert [hit.chunk for hit in left.search(["cell", "wall"], limit=5)] == [90]
    assert left.documents == {8, 9}


def test_four_short_chinese_lines_and_a_query_of_two_characters() -> None:
    lines = ["今天天气很好", "深度学习改变图像分割", "经济增长放缓", "蝾螈的肢体再生"]
    index = index_of([keyword_tokens(line) for line in lines])
    for number, query in enumerate(["天气", "分割", "放缓", "蝾螈"]):
        [hit] = index.search(keyword_tokens(query), limit=4)
        assert hit.chunk == number
        assert hit.score > 0


def test_real_abstracts_equal_rank_bm25(corpus: Path) -> None:
    folder = corpus / "qa" / "scifact"
    with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
        chunks = [keyword_tokens(json.loads(line)["text"]) for line in islice(lines, 400)]
    with (folder / "queries_train.jsonl").open(encoding="utf-8") as lines:
        queries = [keyword_tokens(json.loads(line)["text"]) for line in islice(lines, 20)]
    kept = [chunk for number, chunk in enumerate(chunks) if number % 3]

    index = with_removed(index_of(chunks), range(0, len(chunks), 3))

    for query in queries:
        np.testing.assert_allclose(index.scores(query), oracle(kept, query), rtol=0, atol=1e-9)


def test_a_large_random_corpus_is_bit_equal_when_nothing_was_removed() -> None:
    chance = random.Random(7)
    chunks = [
        [f"t{int(chance.paretovariate(0.6))}" for _ in range(chance.randint(1, 60))]
        for _ in range(2000)
    ]
    query = ["t1", "t2", "t17", "t17", "t403"]

    assert np.array_equal(index_of(chunks).scores(query), oracle(chunks, query))
