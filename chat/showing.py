"""What a page shows of conversations and runs: from stored rows, or from the stream meanwhile."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from chat.asking import ACTIVE
from chat.events import EvidenceKnown, Noticed, ToolEnded, ToolStarted, event_from_json
from chat.evidence_book import EvidenceBook
from chat.models import Conversation, Run
from chat.scoping import ShownScope, show_scope
from chat.settling import interrupt_if_dead
from chat.showing_sources import (
    ShownPaper,
    papers_of_answer,
    render_answer,
    render_draft,
    streamed_source,
)
from chat.skill_choices import ShownCheck, shown_checks, shown_skill
from chat.streaming import FROM_START, StreamAwayError, read
from chat.transcript import Transcript
from chat.tree import Tree
from chat.wording import ShownStep, error_words, fate_words, notice_words, shown_steps, state_words
from citations.segments import segments_from_json
from projects.models import Project, User

TURNS_AT_ONCE = 6
"""A page shows this many; the earlier ones are a link away."""


@dataclass(frozen=True, slots=True)
class ListedConversation:
    public_id: str
    title: str
    updated_at: datetime
    is_current: bool
    url: str
    rename_url: str
    delete_url: str


@dataclass(frozen=True, slots=True)
class ShownBranches:
    """That this turn is one of several in its place. The addresses show those beside it."""

    number: int
    count: int
    previous_url: str
    next_url: str


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """One question and its answer. `blocks` are safe HTML, one top-level element each."""

    number: int
    question: str
    run_id: str
    state: str
    is_active: bool
    blocks: Sequence[str]
    sources: Sequence[ShownPaper]
    steps: Sequence[ShownStep]
    notices: Sequence[str]
    retention: Sequence[Mapping[str, Any]]
    error_code: str
    error: str
    outcome: str
    events_url: str
    stop_url: str
    retry_url: str
    turn_url: str
    why_not_url: str
    """Where it says what became of each paper; empty where no paper was looked for."""
    edit_url: str
    copy_url: str
    """Where it is had for the clipboard; empty where nothing was answered."""
    word_url: str
    skill: str = ""
    """What the way it worked is called, if not the plain one."""
    checks: Sequence[ShownCheck] = ()
    scope: ShownScope | None = None
    """The papers that it was bound to, if not all."""
    branches: "ShownBranches | None" = None


def listed_conversations(
    project: Project, user: User | AnonymousUser, current: Conversation | None = None
) -> list[ListedConversation]:
    """The reader's own conversations in this project, the latest first."""
    found = Conversation.objects.visible_to(user).filter(project=project)
    return [
        ListedConversation(
            public_id=each.public_id,
            title=each.title,
            updated_at=each.updated_at,
            is_current=current is not None and each.pk == current.pk,
            url=_conversation_url("conversation", project, each),
            rename_url=_conversation_url("rename_conversation", project, each),
            delete_url=_conversation_url("delete_conversation", project, each),
        )
        for each in found[:200]
    ]


def show_turns(conversation: Conversation, *, before: int | None = None) -> list[ShownTurn]:
    """The latest turns of the branch that is shown, or those before the turn with that number."""
    tree = Tree.of(conversation)
    path = tree.path(conversation.leaf_id)
    wanted = path if before is None else path[: max(0, before - 1)]
    runs = _latest_runs(wanted[-TURNS_AT_ONCE:])
    return _with_branches(tree, [runs[turn] for turn in wanted if turn in runs])


def show_turn(run: Run) -> ShownTurn:
    """One turn of the branch that is shown, by its latest run."""
    return _with_branches(Tree.of(run.turn.conversation), [run])[0]


def _with_branches(tree: Tree, runs: Sequence[Run]) -> list[ShownTurn]:
    beside = [tree.beside(run.turn_id) for run in runs]
    others = _latest_runs(turn for turns in beside if len(turns) > 1 for turn in turns)
    return [
        replace(show_run(run), branches=_branches(run.turn_id, turns, others))
        for run, turns in zip(runs, beside, strict=True)
    ]


def _latest_runs(turns: Iterable[int]) -> dict[int, Run]:
    """The latest run of each turn, by the turn's key."""
    found = Run.objects.filter(turn__in=list(turns)).select_related(
        "turn__conversation__project", "turn__answer"
    )
    return {run.turn_id: run for run in found.order_by("pk")}


def _branches(turn: int, beside: Sequence[int], runs: Mapping[int, Run]) -> ShownBranches | None:
    """Nothing where a turn stands alone. After the last comes the first."""
    if len(beside) < 2:
        return None
    place = beside.index(turn)
    return ShownBranches(
        number=place + 1,
        count=len(beside),
        previous_url=run_url("show_branch", runs[beside[place - 1]]),
        next_url=run_url("show_branch", runs[beside[(place + 1) % len(beside)]]),
    )


def show_run(run: Run) -> ShownTurn:
    """The run as it stands: while it goes on from its stream, afterwards from stored rows alone."""
    interrupt_if_dead(run)
    if run.state in ACTIVE:
        return _show_active(run)
    steps = [event_from_json(step) for step in run.trace.get("steps", [])]
    notices = [event_from_json(notice) for notice in run.trace.get("notices", [])]
    answer = run.turn.answer
    return _shown(
        run,
        blocks=render_answer(run, answer) if answer else [],
        sources=papers_of_answer(run, answer) if answer else [],
        steps=[step for step in steps if isinstance(step, ToolStarted | ToolEnded)],
        notices=[notice for notice in notices if isinstance(notice, Noticed)],
        after=FROM_START,
    )


def _show_active(run: Run) -> ShownTurn:
    after = FROM_START
    try:
        entries = read(run.public_id)
    except StreamAwayError:
        transcript = _drafted(run)
    else:
        transcript = Transcript.of(entry.event for entry in entries)
        after = entries[-1].id if entries else FROM_START
    blocks, sources = render_draft(run, transcript)
    return _shown(
        run,
        blocks=blocks,
        sources=sources,
        steps=transcript.steps,
        notices=transcript.notices,
        after=after,
    )


def _drafted(run: Run) -> Transcript:
    """What the worker stored a moment ago: enough to read on while the stream is away."""
    draft = run.draft or {}
    cited = EvidenceBook.from_json(draft.get("evidence", {})).cited()
    transcript = Transcript(segments=list(segments_from_json(draft.get("segments", []))))
    transcript.add(EvidenceKnown({n: streamed_source(each) for n, each in cited.items()}))
    for told in draft.get("trace", {}).get("steps", []):
        transcript.add(event_from_json(told))
    return transcript


def _shown(
    run: Run,
    *,
    blocks: Sequence[str],
    sources: Sequence[ShownPaper],
    steps: Sequence[ToolStarted | ToolEnded],
    notices: Sequence[Noticed],
    after: str,
) -> ShownTurn:
    words = [notice_words(notice) for notice in notices]
    if all(notice.code != "earlier_stands" for notice in notices):
        words.append(state_words(run.state))
    return ShownTurn(
        number=run.turn.number,
        question=run.turn.question,
        run_id=run.public_id,
        state=run.state,
        is_active=run.state in ACTIVE,
        blocks=blocks,
        sources=sources,
        steps=shown_steps(steps),
        notices=[each for each in words if each],
        retention=[{**fate, "sentence": fate_words(fate)} for fate in run.retention],
        error_code=run.error_code,
        error=error_words(run.error_code),
        outcome=run.outcome,
        events_url=f"{run_url('run_events', run)}?after={after}",
        stop_url=run_url("stop_run", run),
        retry_url=run_url("retry_run", run),
        turn_url=run_url("turn", run),
        why_not_url=run_url("why_not", run) if run.trace.get("papers") else "",
        edit_url=run_url("ask_beside", run),
        copy_url=run_url("copy_answer", run) if run.turn.answer_id else "",
        word_url=_word_url(run) if run.turn.answer_id else "",
        skill=shown_skill(run),
        checks=shown_checks(run),
        scope=show_scope(run.turn.conversation.project, run.document_ids)
        if run.document_ids
        else None,
    )


def _word_url(run: Run) -> str:
    slug = run.turn.conversation.project.slug
    return reverse("export_answer", args=(slug, run.public_id, "docx"))


def run_url(name: str, run: Run) -> str:
    return reverse(name, args=(run.turn.conversation.project.slug, run.public_id))


def _conversation_url(name: str, project: Project, conversation: Conversation) -> str:
    return reverse(name, args=(project.slug, conversation.public_id))
