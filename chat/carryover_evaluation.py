"""Whether citations survive rewriting: scripted cases, through the whole recipe, over real HTTP.

Bars: every citation accounted for, none that leads to a wrong source or passage, in the stream,
after a refresh and on the reopened page alike.
"""

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from chat.answering import answer_run
from chat.asking import begin_run, start_conversation
from chat.carryover_cases import Case, CaseFileError, Step, read_cases
from chat.carryover_library import CarryoverLibrary, carryover_library
from chat.carryover_model import CaseModel
from chat.carryover_views import cited_ids, views
from chat.evidence_book import EvidenceBook
from chat.models import Conversation, Run
from chat.settling import Ending, settle
from citations.markers import read_markers
from citations.models import Answer, Citation
from citations.restoring import place_of
from llm.configured import set_endpoints
from llm.scripted import ScriptedEndpoint
from retrieval.own_embedder import load_embedder_if_no_service

if TYPE_CHECKING:
    from citations.fates import Place

STAYING = frozenset({"kept", "moved"})


@dataclass(slots=True)
class Tally:
    """What was counted over one case or all of them."""

    citations: int = 0
    accounted: int = 0
    as_expected: int = 0
    tags: int = 0
    wrong_source: int = 0
    views_differ: int = 0
    fates: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        for name in ("citations", "accounted", "as_expected", "tags", "wrong_source"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.views_differ += other.views_differ
        self.fates += other.fates
        self.problems += other.problems


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("cases", type=Path, metavar="DATA")


def run(options: dict[str, Any]) -> dict[str, Any]:
    """Figures over all cases; one line for each case on standard error."""
    try:
        file = read_cases(options["cases"])
    except CaseFileError as error:
        raise CommandError(str(error)) from error
    load_embedder_if_no_service()
    total = Tally()
    by_kind: Counter[str] = Counter()
    with carryover_library(file.papers) as library:
        for number, case in enumerate(file.cases):
            tally = judged(case, library, chunk=1 + number % 9)
            total.add(tally)
            by_kind[case.kind] += 1
            mark = "-" if tally.problems else "+"
            _say(f"{mark} {case.id}  {tally.accounted} of {tally.citations} citations")
            for problem in tally.problems:
                _say(f"    {problem}")
    return {
        "cases": len(file.cases),
        "citations": total.citations,
        "accounted": total.accounted,
        "wrong_source": total.wrong_source,
        "as_expected": total.as_expected,
        "tags": total.tags,
        "views_differ": total.views_differ,
        "fates": dict(total.fates),
        "by_kind": dict(by_kind),
        "failures": total.problems,
    }


def judged(case: Case, library: CarryoverLibrary, *, chunk: int = 7) -> Tally:
    """Play one case. `chunk`: letters a delta of the model's stream."""
    model = CaseModel(library.texts, chunk=chunk)
    with ScriptedEndpoint(model.reply) as server:
        set_endpoints(main=server.endpoint(), judges=False)
        try:
            player = _Player(case, library, model)
            player.play()
        finally:
            set_endpoints(main=None)
            library.restore()
    player.tally.problems += [f"{case.id}: {problem}" for problem in model.problems]
    return player.tally


class _Player:
    """One conversation, from its first answer to its last."""

    def __init__(self, case: Case, library: CarryoverLibrary, model: CaseModel) -> None:
        self.case, self.library, self.model = case, library, model
        self.tally = Tally()
        self.conversation = start_conversation(library.project, library.user, case.first.ask)
        self.places: dict[str, Place] = {}
        self.answer: Answer | None = None
        self.lost: set[str] = set()

    def play(self) -> None:
        first = self.case.first
        if first.search:
            self._ask(first)
        else:
            self._give(first)
        for step in self.case.steps:
            if step.do:
                self.library.change(step.do, step.papers, self._fresh())
            else:
                self._ask(step)

    def _fresh(self) -> Conversation:
        return Conversation.objects.get(pk=self.conversation.pk)

    def _give(self, first: Step) -> None:
        """Store an answer from whole pages, as one that read them in full would be."""
        run = begin_run(self._fresh(), first.ask)
        Run.objects.filter(pk=run.pk).update(state=Run.State.RUNNING)
        book = EvidenceBook()
        numbers = {key: number for number, key in enumerate(dict.fromkeys(first.keys), 1)}
        for key, number in numbers.items():
            paper, _, page = key.partition("#")
            book.carry(number, self.library.page_source(paper, int(page)))
        text = first.answer
        for key, number in numbers.items():
            text = text.replace(f"{{{key}}}", f"[{number}]")
        settle(run, read_markers(text, book), book, Ending(Run.State.DONE, "answered"))
        self._judge(first, run)

    def _ask(self, step: Step) -> None:
        self.model.step = step
        run = begin_run(self._fresh(), step.ask)
        answer_run(run.pk)
        self._judge(step, run)

    def _judge(self, step: Step, asked: Run) -> None:
        run = Run.objects.select_related("turn__answer", "turn__conversation__project").get(
            pk=asked.pk
        )
        before, self_answer = self.answer, run.turn.answer
        if step.fails:
            self._judge_failure(step, run, before)
            return
        if run.state != Run.State.DONE or self_answer is None:
            self._problem(step, f"the run is {run.state} {run.error_code}")
            return
        cited = _citations(self_answer)
        self._learn_places(step, cited)
        self._judge_tags(step, run, cited)
        self._judge_fates(step, run, before, cited)
        self.model.earlier.append(step.result)
        self.answer = self_answer if cited else self.answer  # a rewrite is about what cites

    def _judge_failure(self, step: Step, run: Run, before: Answer | None) -> None:
        """The run had to fail; the answer before it stands with everything that it cited."""
        cited = _citations(before) if before else []
        self.tally.citations += len(cited)
        if run.error_code != step.fails or run.turn.answer is not None:
            self._problem(step, f"the run is {run.state} {run.error_code}, not {step.fails}")
            return
        self.tally.accounted += len(cited)
        self.tally.as_expected += len(cited)

    def _learn_places(self, step: Step, cited: Sequence[Citation]) -> None:
        """Where each key stands, from the first answer that cites it; checked by its words."""
        if len(cited) != len(step.keys):
            return
        for key, citation in zip(step.keys, cited, strict=True):
            if key not in self.places and self._is_at(key, citation):
                self.places[key] = place_of(citation)

    def _is_at(self, key: str, citation: Citation) -> bool:
        paper, separator, page = key.partition("#")
        if separator:
            version = self.library.versions[paper]
            return (citation.source.file_id, citation.source.pdf_page) == (
                version.public_id,
                int(page),
            )
        version = self.library.versions[key.partition(".")[0]]
        excerpt = str(citation.anchor["excerpt"])
        return citation.source.file_id == version.public_id and self.library.texts[key] in excerpt

    def _judge_tags(self, step: Step, run: Run, cited: Sequence[Citation]) -> None:
        """Every tag of every view leads to the passage that the case cites there."""
        by_id = {citation.public_id: citation for citation in cited}
        shown = views(run)
        if not self.case.first.search and step is self.case.first:
            shown = {"reopened": shown["reopened"]}  # it was stored, never streamed
        self.tally.views_differ += len({tuple(blocks) for blocks in shown.values()}) - 1
        for name, blocks in shown.items():
            ids = cited_ids(blocks)
            self.tally.tags += len(ids)
            if len(ids) != len(step.keys):
                self._problem(step, f"{name} shows {len(ids)} tags, not {len(step.keys)}")
                self.tally.wrong_source += abs(len(ids) - len(step.keys))
            for key, public_id in zip(step.keys, ids, strict=False):
                citation = by_id.get(public_id)
                right = citation is not None and place_of(citation) == self.places.get(key)
                if not right:
                    self.tally.wrong_source += 1
                    self._problem(step, f"{name}: a tag for {key} leads elsewhere")

    def _judge_fates(
        self, step: Step, run: Run, before: Answer | None, cited: Sequence[Citation]
    ) -> None:
        if step.expect is None:
            if run.retention:
                self._problem(step, "a question was taken for a rewrite")
            return
        old = _citations(before) if before else []
        self.tally.citations += len(old)
        if len(run.retention) != len(old) or len(step.expect) != len(old):
            self._problem(step, f"{len(run.retention)} fates for {len(old)} citations")
            return
        now = {citation.public_id: citation for citation in cited}
        for citation, told, wanted in zip(old, run.retention, step.expect, strict=True):
            fate, reason = str(told["fate"]), str(told["reason"])
            said = f"{fate}:{reason}" if fate == "dropped" else fate
            self.tally.fates[said] += 1
            is_true = _holds(fate, reason, citation, now.get(str(told["now"])))
            fits = fate == wanted.partition(":")[0] or {fate, wanted} <= STAYING
            self.tally.accounted += is_true and fits
            self.tally.as_expected += is_true and said == wanted
            if not (is_true and said == wanted):
                self._problem(step, f"“{citation.claim}” is {said}, not {wanted}")

    def _problem(self, step: Step, what: str) -> None:
        self.tally.problems.append(f"{self.case.id}, “{step.ask}”: {what}")


def _holds(fate: str, reason: str, citation: Citation, now: Citation | None) -> bool:
    """Whether what is said of a citation is so."""
    if fate == "dropped":
        return now is None and bool(reason)
    if now is None:
        return False
    same_place = place_of(now) == place_of(citation)
    return same_place or (fate == "merged" and now.source.identity == citation.source.identity)


def _citations(answer: Answer) -> list[Citation]:
    found = Citation.objects.filter(answer=answer).select_related("source")
    return list(found.order_by("ordinal"))


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
