"""From a need to weighted queries by the light model, in the languages of the library."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from documents.language_shift import is_han
from retrieval.light_model import LightModel, StrictReply
from retrieval.planning import Plan, Query, plan_without_model
from retrieval.tracing import StepTrace

MOST_QUERIES = 5
"""Of the model, beside the user's own words."""
LONGEST_QUERY = 300
"""Code points. What is longer answers the question instead of searching for the answer."""
LEAST_WEIGHT = 0.5
MODEL_WEIGHT = 0.9
"""What a query of the model may count at most beside the user's own words: its best hit comes
seventh behind theirs. In the fusion half of that would come behind fifty of theirs.
"""
ACROSS_WEIGHT = 0.8
LONGEST_NEED = 2_000

INSTRUCTION = """\
You turn what a researcher needs to know into search queries for a library of papers.
Do not answer the question. Do not add facts, names or numbers that it does not have.
- "semantic" queries are short sentences or phrases of what a paper would say on the matter.
- "keywords" queries are the few terms that such a passage must contain, with usual synonyms.
- Write queries in every language that the library has, translating the terms of the field.
- Weights are from 0.5 (may help) to 1 (exactly the need). Give two to five queries."""


class PlannedQuery(StrictReply):
    text: str = Field(min_length=1, max_length=2_000)
    kind: Literal["semantic", "keywords"]
    weight: float = Field(gt=0, le=1)


class PlannedQueries(StrictReply):
    queries: list[PlannedQuery] = Field(max_length=20)


def plan_need(need: str, *, languages: Sequence[str], light: LightModel) -> tuple[Plan, StepTrace]:
    """The plan, and who made it. The user's own words are always the first query."""
    plain = plan_without_model(need)
    by_rule = Plan((*plain.queries, *_not_covered([need], need, languages)))
    reply, failure = light.ask(INSTRUCTION, _material(need, languages), PlannedQueries)
    if reply is None:
        return by_rule, StepTrace("rules", light.reason(failure))
    added = _usable(reply, need)
    if not added:
        return by_rule, StepTrace("rules", "nothing_planned")
    across = _not_covered([need, *(query.text for query in added)], need, languages)
    return Plan((*plain.queries[:1], *added, *across)), StepTrace("model")


def languages_of(papers: Sequence[str]) -> tuple[str, ...]:
    """The languages of papers (ISO 639-1), the commonest first."""
    counted = Counter(language[:2] for language in papers if language)
    return tuple(language for language, _ in counted.most_common())


def _material(need: str, languages: Sequence[str]) -> str:
    known = ", ".join(languages) or "unknown"
    return f"Languages of the library: {known}\n\nThe need:\n{need[:LONGEST_NEED]}"


def _usable(reply: PlannedQueries, need: str) -> list[Query]:
    """The model's queries, each once and bounded, best first; none that repeats the need."""
    seen = {_folded(need)}
    queries = []
    for each in sorted(reply.queries, key=lambda each: -each.weight):
        text = " ".join(each.text.split())
        if not text or len(text) > LONGEST_QUERY or _folded(text) in seen:
            continue
        seen.add(_folded(text))
        weight = MODEL_WEIGHT * max(each.weight, LEAST_WEIGHT)
        semantic = each.kind == "semantic"
        queries.append(Query(text, weight, "model", keyword=not semantic, semantic=semantic))
    return queries[:MOST_QUERIES]


def _not_covered(texts: Sequence[str], need: str, languages: Sequence[str]) -> list[Query]:
    """The need's vector carried over to each script of the library that no query is written in."""
    written = {is_han(text) for text in texts}
    missing = {language == "zh": language for language in reversed(languages)}
    return [
        Query(" ".join(need.split()), ACROSS_WEIGHT, "user", keyword=False, toward=language)
        for han, language in missing.items()
        if han not in written
    ]


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
