"""From a queued run to a stored answer: the recipe that the `chat` worker runs."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from chat.agent import Agent
from chat.asking import is_dead, retry_run, start_run
from chat.events import AgentEvent, Noticed
from chat.evidence_book import EvidenceBook
from chat.extractive import MOST_OF_A_BRIEF, MOST_SENTENCES, EarlierAnswer, ExtractiveAnswerer
from chat.history import History, prepare_history
from chat.interruptible import interruptible
from chat.local_library import local_library
from chat.models import Conversation, Run
from chat.one_part import Part, put_back, taken_out
from chat.paper_fates import PaperRecord, version_keys
from chat.prompts import nudges
from chat.recording import Recorder
from chat.rewriting import read_request
from chat.settling import interrupt_if_dead
from chat.skills.built_in import BRIEF, BY_PAPER, REWRITE
from chat.skills.choosing import skill_of
from chat.skills.looking import looked_at
from chat.skills.reading import Skill
from chat.streaming import PAUSE, stop_requested
from chat.token_use import Spending, check_budget
from chat.toolbox import Limits
from chat.tools import LibraryTools
from chat.whole_papers import WholePapers, read_whole, with_papers
from llm.configured import light_model, main_model
from llm.metered import Metered
from llm.port import ChatModel, ModelError
from projects.token_counts import over_budget
from retrieval.evidence import Scope
from retrieval.light_model import LightModel
from retrieval.scope import project_scope

__all__ = ["answer_run", "interrupt_if_dead", "retry_run", "start_run"]

STOP_CHECK = 0.25
"""Seconds between two looks whether the reader pressed Stop."""
READINGS = 4
"""How often a model may be given papers whole within the tokens of one run."""

log = structlog.get_logger(__name__)


def answer_run(run_id: int) -> None:
    """Answer the run with this key. Called twice, or for a run that is taken, it does nothing."""
    run = _claimed(run_id)
    if run is None:
        return
    with Recorder(run) as recorder:
        try:
            _answer(run, recorder)
        except ModelError as problem:
            recorder.fail(problem.code, str(problem))
        except Exception:
            log.exception("run_failed", run=run.public_id)
            connection.close_if_unusable_or_obsolete()
            recorder.fail("internal", "")
            raise


def _claimed(run_id: int) -> Run | None:
    """The run, now ours; None if it is done, taken, or gone. A dead worker's run is interrupted."""
    with transaction.atomic():
        run = (
            Run.objects.select_for_update(of=("self",))
            .select_related("turn__conversation__project", "turn__conversation__user")
            .filter(pk=run_id)
            .first()
        )
        if run is None or (run.state != Run.State.QUEUED and not is_dead(run)):
            return None
        if run.state == Run.State.QUEUED:
            run.state, run.heartbeat_at = Run.State.RUNNING, timezone.now()
            run.save(update_fields=["state", "heartbeat_at"])
            return run
    interrupt_if_dead(run)
    return None


def _answer(run: Run, recorder: Recorder) -> None:
    conversation = run.turn.conversation
    if not Conversation.objects.visible_to(conversation.user).filter(pk=conversation.pk).exists():
        recorder.fail("no_access", "")
        return
    scope = project_scope(conversation.project, document_ids=run.document_ids or None)
    skill = skill_of(run)
    history = prepare_history(run.turn, scope, recorder.book, skill)
    tools = LibraryTools(
        scope,
        recorder.book,
        papers=PaperRecord(version_keys(scope)),
        light=LightModel(_light(run, recorder.light)),
        question=run.turn.question,
        shown_numbers=history.latest.shown_numbers if history.latest else None,
        skill=skill,
        must_read=_must_read(run, skill, history),
    )
    stopped = stop_checker(run.public_id)

    def cancelled() -> bool:
        return recorder.is_over() or stopped()

    model = _model(run, history, recorder.book, scope, cancelled)
    recorder.begin(model.name, tools, history.latest)
    recorder.is_language_model = not isinstance(model, ExtractiveAnswerer)
    recorder.is_about_part = history.part is not None
    if isinstance(model, ExtractiveAnswerer):
        recorder.cuts = model.cuts
    whole = _whole(run, model, scope, recorder.book)
    if whole.trace:
        tools.traces.append(dict(whole.trace))
    for notice in (*history.notices, *whole.notices):
        recorder.see(notice)
    agent = Agent(
        model=model,
        toolbox=tools,
        messages=with_papers(history.messages, whole),
        new_parser=recorder.new_parser,
        nudges=nudges(run.turn.question),
        cancelled=cancelled,
        limits=Limits(tokens=Limits().tokens + READINGS * whole.tokens),
    )
    with _short_memory_told(whole):
        for event in _events(agent, history.part, model):
            recorder.see(event)
    outcome = "rewritten" if _is_taken_out(history) else outcome_of(model, recorder)
    recorder.leaves_earlier = outcome == "cannot"
    if skill.checks and recorder.cites():
        recorder.checks = looked_at(
            run,
            skill,
            recorder.transcript.segments,
            scope=scope,
            book=recorder.book,
            traces=tools.traces,
        )
    recorder.finish(outcome)


def _must_read(run: Run, skill: Skill, history: History) -> bool:
    """Whether a language model has to read papers first: not to change what was said already."""
    is_rewrite = history.part is not None or read_request(run.turn.question) is not None
    has_model = main_model(run.turn.conversation.project_id) is not None
    return skill.must_read and has_model and not is_rewrite


def _light(run: Run, spending: Spending) -> ChatModel | None:
    """The model for small judgements, whose tokens count too; none when a budget is used up."""
    conversation = run.turn.conversation
    model = light_model(conversation.project_id)
    if model is None or over_budget(conversation.project, conversation.user):
        return None
    spending.model = model.name
    return Metered(model, spending.spent)


def _whole(run: Run, model: ChatModel, scope: Scope, book: EvidenceBook) -> WholePapers:
    if not run.reads_whole:
        return WholePapers()
    if isinstance(model, ExtractiveAnswerer):
        return WholePapers(notices=[Noticed("whole_needs_model")])
    most_tokens: int = settings.LITO_LLM_WHOLE_TOKENS
    return read_whole(run.turn.question, scope, book, most_tokens=most_tokens)


@contextmanager
def _short_memory_told(whole: WholePapers) -> Iterator[None]:
    """If the papers are too long for the model, say that it is them."""
    try:
        yield
    except ModelError as problem:
        if problem.code == "context_too_long" and whole.tokens:
            raise ModelError("whole_too_long", str(problem)) from problem
        raise


def _is_taken_out(history: History) -> bool:
    return history.part is not None and history.part.is_unwanted


def _events(agent: Agent, part: Part | None, model: ChatModel) -> Iterator[AgentEvent]:
    if part is None:
        return agent.run()
    if part.is_unwanted:
        return taken_out(part)
    return agent.run() if isinstance(model, ExtractiveAnswerer) else put_back(agent.run(), part)


def _model(
    run: Run,
    history: History,
    book: EvidenceBook,
    scope: Scope,
    cancelled: Callable[[], bool],
) -> ChatModel:
    if configured := main_model(run.turn.conversation.project_id):
        check_budget(run)
        return configured
    earlier = history.latest
    return ExtractiveAnswerer(
        question=run.turn.question,
        book=book,
        library=interruptible(local_library(scope), cancelled),
        changes_earlier=run.skill == REWRITE,
        is_by_paper=run.skill in BY_PAPER,
        most_sentences=MOST_OF_A_BRIEF if run.skill == BRIEF else MOST_SENTENCES,
        earlier=EarlierAnswer(
            earlier.question,
            earlier.segments,
            earlier.shown_numbers,
            only_part=history.part is not None,
        )
        if earlier
        else None,
    )


def outcome_of(model: ChatModel, recorder: Recorder) -> str:
    """answered, not_found, cannot, rewritten; for a language model by what it cited."""
    if isinstance(model, ExtractiveAnswerer):
        return model.outcome
    searched = recorder.searched()
    if recorder.is_rewrite() and (recorder.cites() or not searched):
        return "rewritten"
    return "answered" if recorder.cites() or not searched else "not_found"


def stop_checker(run_id: str) -> Callable[[], bool]:
    """Whether the reader pressed Stop; asks Redis a few times a second at most."""
    next_look, stopped = 0.0, False

    def check() -> bool:
        nonlocal next_look, stopped
        if not stopped and time.monotonic() >= next_look:
            asked = stop_requested(run_id)
            next_look = time.monotonic() + (STOP_CHECK if asked is not None else PAUSE)
            stopped = bool(asked)
        return stopped

    return check
