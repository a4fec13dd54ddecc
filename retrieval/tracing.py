"""The record of a search: how each step was done, and what became of each paper. Pure.

`as_json` gives what is stored and shown ("Why not this paper?"): plain values, small.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Literal

By = Literal["model", "rules", "given", "none"]


@dataclass(frozen=True, slots=True)
class StepTrace:
    """Who did a step: the light model, its stand-in, whoever gave the plan, or nobody.

    `failure` says why the model's word did not count; the stand-in did the step then.
    """

    by: By
    failure: str = ""


class Fate(StrEnum):
    """What became of a paper in scope. Chat adds whether what was given was cited."""

    GIVEN = "given"
    NOT_SELECTED = "not_selected"
    """The light model read passages of it and chose others."""
    CUT = "cut"
    NOT_RECALLED = "not_recalled"


class Cut(StrEnum):
    """The bound or rule that kept a chunk or a passage out."""

    CANDIDATES = "candidates"
    """Others ranked before it, and no more are looked at."""
    LIMIT = "limit"
    """Others ranked before it, and no more are given."""
    TOKENS = "tokens"
    """It would have made the evidence longer than the budget."""
    REFERENCE_LIST = "reference_list"
    HEADING = "heading"
    DUPLICATE = "duplicate"
    STRAY_KEYWORDS = "stray_keywords"
    """Only chance hits found it."""
    NOT_SELECTED = "not_selected"


@dataclass
class Cuts:
    """How many chunks or passages were left out, by reason; and by which reason a reading was."""

    counts: Counter[Cut] = field(default_factory=Counter)
    readings: dict[int, Cut] = field(default_factory=dict)

    def cut(self, reading: int, reason: Cut) -> None:
        """The first reason stands for the paper, but what came near to being given counts more."""
        self.counts[reason] += 1
        before = self.readings.get(reading)
        if before is None or is_nearer(reason, before):
            self.readings[reading] = reason


_NEARNESS = (
    Cut.STRAY_KEYWORDS,
    Cut.REFERENCE_LIST,
    Cut.HEADING,
    Cut.DUPLICATE,
    Cut.CANDIDATES,
    Cut.NOT_SELECTED,
    Cut.TOKENS,
    Cut.LIMIT,
)


def is_nearer(one: Cut, other: Cut) -> bool:
    """Whether what was cut by `one` had come nearer to being given."""
    return _NEARNESS.index(one) > _NEARNESS.index(other)


@dataclass(frozen=True, slots=True)
class QueryTrace:
    """A query and how many chunks each leg found for it."""

    text: str
    weight: float
    origin: str
    keywords: int
    stray_keywords: int
    vectors: int
    toward: str = ""

    def as_json(self) -> dict[str, Any]:
        values = asdict(self)
        values["from"] = values.pop("origin")
        if not values["toward"]:
            del values["toward"]
        return values


@dataclass(frozen=True, slots=True)
class PaperTrace:
    """`by` says what cut a paper; `evidence` are the numbers of its passages.

    `named`: the question named it, and `body` whether it got evidence from its body.
    """

    document: str
    file_id: str
    title: str
    status: Fate
    by: Cut | None = None
    evidence: tuple[int, ...] = ()
    named: bool = False
    body: bool = False

    def as_json(self) -> dict[str, Any]:
        values: dict[str, Any] = {
            "document": self.document,
            "file_id": self.file_id,
            "title": self.title,
            "status": str(self.status),
        }
        if self.by:
            values["by"] = str(self.by)
        if self.evidence:
            values["evidence"] = self.evidence[0]
            values["passages"] = list(self.evidence)
        if self.named:
            values |= {"named": True, "body": self.body}
        return values


@dataclass(frozen=True, slots=True)
class SearchTrace:
    """The whole record. `names` is what the question named, and what of it is not clear."""

    plan: StepTrace
    queries: tuple[QueryTrace, ...]
    vectors: str
    fused: int
    cuts: Mapping[Cut, int]
    selection: StepTrace
    expansion: StepTrace
    given: int
    papers: tuple[PaperTrace, ...]
    coverage: str = ""
    names: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {**self.steps_as_json(), "papers": [each.as_json() for each in self.papers]}

    def steps_as_json(self) -> dict[str, Any]:
        """The record without what became of each paper: small, however many papers there are."""
        return {
            "plan": "model" if self.plan.by == "model" else "words",
            "queries": [each.as_json() for each in self.queries],
            "vectors": self.vectors,
            "fused": self.fused,
            "cuts": {str(reason): count for reason, count in self.cuts.items()},
            "coverage": self.coverage,
            "names": dict(self.names),
            "steps": {
                name: {"by": step.by, **({"failure": step.failure} if step.failure else {})}
                for name, step in self._steps().items()
            },
            "given": self.given,
        }

    def _steps(self) -> dict[str, StepTrace]:
        return {"plan": self.plan, "selection": self.selection, "expansion": self.expansion}


@dataclass(frozen=True, slots=True)
class TracedPaper:
    """A paper in scope, by its reading, as the trace names it."""

    reading: int
    document: str
    file_id: str
    title: str


def fates(
    papers: Sequence[TracedPaper],
    *,
    numbers: Mapping[int, Sequence[int]],
    cuts: Cuts,
    strays: Collection[int] = (),
    named: Collection[int] = (),
    with_body: Collection[int] = (),
) -> tuple[PaperTrace, ...]:
    """What became of each paper. All but `papers` go by reading; `numbers` are its evidence."""
    found = []
    for paper in papers:
        status, by = _fate(paper.reading, numbers, cuts, strays)
        found.append(
            PaperTrace(
                paper.document,
                paper.file_id,
                paper.title,
                status,
                by,
                tuple(numbers.get(paper.reading, ())),
                named=paper.reading in named,
                body=paper.reading in with_body,
            )
        )
    return tuple(found)


def _fate(
    reading: int, numbers: Mapping[int, Sequence[int]], cuts: Cuts, strays: Collection[int]
) -> tuple[Fate, Cut | None]:
    if numbers.get(reading):
        return Fate.GIVEN, None
    match cuts.readings.get(reading):
        case Cut.NOT_SELECTED:
            return Fate.NOT_SELECTED, None
        case None:
            stray = reading in strays
            return (Fate.CUT, Cut.STRAY_KEYWORDS) if stray else (Fate.NOT_RECALLED, None)
        case reason:
            return Fate.CUT, reason
