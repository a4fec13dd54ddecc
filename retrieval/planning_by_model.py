"""From a need to weighted queries by the light model, in the languages of the library."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from retrieval.light_model import LightModel, StrictReply
from retrieval.planning import Plan, Query, plan_by_rules, queries_across
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
    by_rules = plan_by_rules(need, languages)
    reply, failure = light.ask(INSTRUCTION, _material(need, languages), PlannedQueries)
    if reply is None:
        return by_rules, StepTrace("rules", light.reason(failure))
    added = _usable(reply, need)
    if not added:
        return by_rules, StepTrace("rules", "nothing_planned")
    across = queries_across([need, *(query.text for query in added)], languages)
    return Plan((by_rules.queries[0], *added, *across)), StepTrace("model")


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


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
