"""A library that can be left at any call: Stop works while sentences are being judged."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ParamSpec, TypeVar

from chat.extractive import Library
from chat.relevance import Measures, Similarity
from chat.toolbox import StoppedError

AT_ONCE = 8
"""Sentences embedded between two looks: together a fraction of a second even on a busy machine."""

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def interruptible(library: Library, cancelled: Callable[[], bool]) -> Library:
    """The same library; each call raises `StoppedError` once `cancelled` says so."""

    def checked(call: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        def check_and_call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            if cancelled():
                raise StoppedError
            return call(*args, **kwargs)

        return check_and_call

    def in_parts(similarity: Similarity) -> Similarity:
        one = checked(similarity)

        def measure(question: str, sentences: Sequence[str]) -> Sequence[float]:
            return [
                cosine
                for start in range(0, len(sentences), AT_ONCE)
                for cosine in one(question, sentences[start : start + AT_ONCE])
            ]

        return measure

    def measured(measures: Measures) -> Measures:
        return replace(
            measures,
            similarity=in_parts(measures.similarity),
            tokens=checked(measures.tokens),
        )

    return replace(
        library,
        page_texts=checked(library.page_texts),
        paper_text=checked(library.paper_text),
        is_matched=checked(library.is_matched),
        measures=measured(library.measures),
        measures_across=measured(library.measures_across),
        prominence=checked(library.prominence),
    )
