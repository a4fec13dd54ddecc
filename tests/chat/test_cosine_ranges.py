"""Bars that hold in any embedding space: measured, through the client of outside servers."""

import zlib
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from pytest_django import Settings

from chat.cosine_ranges import CosineRange, cosine_range, positions, range_of
from chat.reference_pairs import CHINESE, ENGLISH
from documents.chunks.tokens import keyword_tokens
from documents.pages.languages import is_han
from documents.vectors import embedding
from tests.chat.libraries import Library, new_library
from tests.chat.test_answering import citations_of
from tests.llm.embedding_server import EmbeddingServerDouble

ANSWERED = "Do buyers pay a premium to sellers with a good reputation?"
REFUSED = "Which convolutional network segments brain tumours best?"


def words_embedded(text: str, dimensions: int, *, common: float) -> NDArray[np.float32]:
    """A bag of hashed words, not knowing Chinese. All texts share `common`: it lifts cosines.

    As with a real model, a text of which no word is known has a vector all the same.
    """
    vector = np.zeros(dimensions, np.float32)
    for token in keyword_tokens(text):
        if not is_han(token):
            seed = zlib.crc32(token.encode())
            vector += np.random.default_rng(seed).normal(size=dimensions).astype(np.float32)
    if not vector.any():
        vector[-1] = 1.0
    vector /= float(np.linalg.norm(vector))
    vector[0] += common
    return vector


@pytest.fixture(params=[0.0, 3.0], ids=["low", "high"])
def outside(request: pytest.FixtureRequest, settings: Settings) -> Iterator[EmbeddingServerDouble]:
    """An outside server whose cosines begin at about 0, or lie above .9 altogether."""
    embed = partial(words_embedded, common=request.param)
    with EmbeddingServerDouble(dimensions=512, embed=embed) as server:
        settings.LITO_EMBEDDER = "openai"
        settings.LITO_EMBEDDING_BASE_URL = server.base_url
        settings.LITO_EMBEDDING_MODEL = f"words-{request.param}"
        embedding._embedder.cache_clear()
        yield server
    embedding._embedder.cache_clear()


@pytest.fixture
def elsewhere(outside: EmbeddingServerDouble, transactional_db: None, redis: object) -> Library:
    return new_library()


def test_both_ranges_of_the_outside_server_are_far_from_the_bundled_models(
    outside: EmbeddingServerDouble, request: pytest.FixtureRequest, transactional_db: None
) -> None:
    found = cosine_range(asked_in_chinese=False, answered_in_chinese=False)
    high = "high" in request.node.callspec.id
    assert found.is_clear
    assert (found.unrelated > 0.9) is high
    assert (found.related < 0.6) is not high


def test_an_outside_embedder_answers_and_refuses_as_the_bundled_one_does(
    elsewhere: Library, outside: EmbeddingServerDouble
) -> None:
    answered = elsewhere.ask(ANSWERED)
    assert answered.outcome == "answered"
    assert citations_of(answered)[0].source.title == "Reputation in online markets"
    assert elsewhere.ask(REFUSED).outcome == "not_found"


def test_the_yardstick_is_embedded_once_for_a_space(
    outside: EmbeddingServerDouble, transactional_db: None
) -> None:
    positions(ANSWERED, ["Buyers pay more."])
    before = len(outside.requests)
    positions(ANSWERED, ["Sellers leave the market."])
    assert len(outside.requests) - before == 1  # the sentence: the question is still known


def test_a_language_that_the_embedder_does_not_know_is_left_to_the_words(
    outside: EmbeddingServerDouble, transactional_db: None
) -> None:
    assert positions("蓝莓中的花青素", ["蓝莓中的花青素含量升高。", "水温很高。"]) == [0, 0]
    assert positions("蓝莓中的花青素", ["Blueberries are blue."], across=True) == [0]


@pytest.mark.django_db
@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize("answered", [False, True])
def test_the_bundled_model_tells_answers_within_and_across_languages(
    asked: bool, answered: bool
) -> None:
    found = cosine_range(asked_in_chinese=asked, answered_in_chinese=answered)
    assert found.is_clear
    assert 0.6 < found.unrelated < found.related < 0.95


@pytest.mark.django_db
def test_answers_lie_near_one_and_unrelated_sentences_near_nought() -> None:
    near = positions(ENGLISH[0].question, [pair.answer for pair in ENGLISH])
    assert near[0] == max(near) > 0.6
    assert abs(float(np.mean(near[1:]))) < 0.4
    assert positions(ENGLISH[0].question, []) == []


def test_the_diagonal_of_the_square_holds_the_answers() -> None:
    assert range_of(np.asarray([[0.75, 0.25], [0.5, 0.25]])) == CosineRange(0.375, 0.125, 0.5)


def test_a_range_without_a_gap_tells_nothing() -> None:
    assert not range_of(np.full((3, 3), 0.5)).is_clear
    assert not CosineRange(unrelated=0.5, spread=0.1, related=0.6).is_clear
    assert CosineRange(unrelated=0.2, spread=0.1, related=0.6).is_clear
    assert CosineRange(0.25, 0.1, 0.75).positions(np.asarray([0.25, 0.5, 1.0])) == [0, 0.5, 1.5]


def test_both_languages_have_the_same_pairs() -> None:
    assert len(ENGLISH) == len(CHINESE)
    assert all(is_han(pair.question + pair.answer) for pair in CHINESE)
    assert not any(is_han(pair.question + pair.answer) for pair in ENGLISH)
