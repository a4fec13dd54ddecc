"""Beginning a run: a question becomes a turn, and its run goes to the `chat` queue."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

import structlog
from celery import current_app
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from chat.branches import add_turn
from chat.models import Conversation, Run, Turn
from chat.skills.built_in import DEFAULT
from chat.skills.choosing import skill_named, skills_in
from projects.models import Project, User

ANSWER_TASK = "chat.tasks.answer"
"""By name: the task imports the recipe, which imports this module."""
LONGEST_QUESTION = 8_000
LONGEST_TITLE = 90
DEAD_AFTER = timedelta(seconds=30)
"""A run whose worker has not been heard of for so long is interrupted."""
ACTIVE = (Run.State.QUEUED, Run.State.RUNNING)

log = structlog.get_logger(__name__)


class ConversationBusyError(Exception):
    """The conversation's latest run is still going on."""


def start_conversation(project: Project, user: User, question: str) -> Conversation:
    title = " ".join(question.split())
    shortened = title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1].rstrip() + "…"
    return Conversation.objects.create(project=project, user=user, title=shortened)


@transaction.atomic
def begin_run(
    conversation: Conversation,
    question: str,
    *,
    after: Turn | None = None,
    beside: Turn | None = None,
    document_ids: Sequence[str] | None = None,
    whole: bool | None = None,
    skill: str | None = None,
) -> Run:
    """Store the question as a turn with its queued run. Raises `ConversationBusyError`.

    It follows what is shown, or the turn `after` which it was asked; or it stands `beside` one, as
    another question in its place. From now on the conversation is bound to the papers
    `document_ids`, to all if there are none, and reads them `whole` or not; without a word on it,
    as before. The `skill` is that of the turn beside, else that for any question, if none is named.
    Raises `UnknownSkillError` if the project does not have it.
    """
    skill = skill or _skill_of(beside, conversation.project)
    skill_named(skill, conversation.project)
    locked = Conversation.objects.select_for_update().get(pk=conversation.pk)
    _refuse_if_busy(locked)
    if document_ids is not None:
        locked.document_ids = list(document_ids)
    if whole is not None:
        locked.reads_whole = whole
    locked.save(update_fields=["document_ids", "reads_whole"])
    turn = add_turn(locked, question, after=after, beside=beside)
    return Run.objects.create(
        turn=turn,
        skill=skill,
        document_ids=locked.document_ids,
        reads_whole=locked.reads_whole,
    )


def start_run(
    conversation: Conversation,
    question: str,
    user: User,
    *,
    after: Turn | None = None,
    beside: Turn | None = None,
    document_ids: Sequence[str] | None = None,
    whole: bool | None = None,
    skill: str | None = None,
) -> Run:
    """Begin a run and hand it to a worker. `user` must own the conversation."""
    assert conversation.user_id == user.pk
    with transaction.atomic():
        run = begin_run(
            conversation,
            question,
            after=after,
            beside=beside,
            document_ids=document_ids,
            whole=whole,
            skill=skill,
        )
        _enqueue(run)
    return run


def _skill_of(turn: Turn | None, project: Project) -> str:
    """The skill by which the turn was answered, if the project still has it."""
    run = turn.runs.first() if turn else None
    return run.skill if run and run.skill in skills_in(project) else DEFAULT


def retry_run(run: Run) -> Run:
    """A new run of the same turn. The answer so far stays until a new one is stored."""
    with transaction.atomic():
        locked = Conversation.objects.select_for_update().get(pk=run.turn.conversation_id)
        _refuse_if_busy(locked)
        fresh = Run.objects.create(
            turn=run.turn,
            skill=run.skill,
            document_ids=run.document_ids,
            reads_whole=run.reads_whole,
        )
        _enqueue(fresh)
    return fresh


def _enqueue(run: Run) -> None:
    transaction.on_commit(partial(send_to_worker, run.pk))


def send_to_worker(run_id: int) -> None:
    """Put the run in the queue. If that fails now, the watch over queued runs does it later."""
    try:
        current_app.send_task(ANSWER_TASK, (run_id,))
    except OperationalError:
        log.exception("run_waits_for_the_queue", run_id=run_id)


def _refuse_if_busy(conversation: Conversation) -> None:
    active = Run.objects.filter(turn__conversation=conversation, state__in=ACTIVE)
    if any(not is_dead(run) for run in active):
        raise ConversationBusyError


def is_dead(run: Run) -> bool:
    """Whether a worker took the run and was not heard of since."""
    if run.state != Run.State.RUNNING or run.heartbeat_at is None:
        return False
    return timezone.now() - run.heartbeat_at > DEAD_AFTER
