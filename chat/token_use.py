"""A run's tokens, written down for its person and its project; and whether it may begin."""

import structlog
from django.db import DatabaseError

from chat.models import Run
from llm.port import ModelError, Usage
from projects.models import ModelEndpoint, TokenUse
from projects.token_counts import cost_of, over_budget

log = structlog.get_logger(__name__)


def check_budget(run: Run) -> None:
    """Raises `ModelError` if this month's budget of the project or the person is used up."""
    conversation = run.turn.conversation
    if whose := over_budget(conversation.project, conversation.user):
        raise ModelError(f"{whose}_budget", "The budget of this month is used up.")


def count_tokens(run: Run, usage: Usage, *, is_estimate: bool) -> None:
    """Once for each run. A failure here takes nothing from the answer: it is logged."""
    if not (usage.prompt_tokens or usage.completion_tokens):
        return
    conversation = run.turn.conversation
    endpoint = ModelEndpoint.objects.chosen(conversation.project_id, ModelEndpoint.Role.MAIN)
    try:
        TokenUse.objects.create(
            project_id=conversation.project_id,
            user_id=conversation.user_id,
            run=run.public_id,
            model=run.model,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            is_estimate=is_estimate,
            cost=cost_of(endpoint, usage.prompt_tokens, usage.completion_tokens),
        )
    except DatabaseError:  # such as a project that was deleted meanwhile
        log.exception("tokens_not_counted", run=run.public_id)
