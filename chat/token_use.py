"""A run's tokens, written down for its person and its project; and whether it may begin."""

import threading
from dataclasses import dataclass, field

from chat.models import Run
from llm.port import ModelError, Usage
from projects.models import ModelEndpoint
from projects.token_counts import over_budget, record_use


@dataclass(slots=True)
class Spending:
    """What one role's model was asked for in a run. Any thread may add to it."""

    role: str
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    is_estimate: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def spent(self, usage: Usage, *, is_estimate: bool) -> None:
        with self._lock:
            self.usage += usage
            self.is_estimate = self.is_estimate or is_estimate

    def __bool__(self) -> bool:
        return bool(self.usage.prompt_tokens or self.usage.completion_tokens)


def main_spending() -> Spending:
    return Spending(ModelEndpoint.Role.MAIN)


def light_spending() -> Spending:
    return Spending(ModelEndpoint.Role.LIGHT)


def check_budget(run: Run) -> None:
    """Raises `ModelError` if this month's budget of the project or the person is used up."""
    conversation = run.turn.conversation
    if whose := over_budget(conversation.project, conversation.user):
        raise ModelError(f"{whose}_budget", "The budget of this month is used up.")


def count_tokens(run: Run, spending: Spending) -> None:
    """Once for each run and role."""
    if not spending:
        return
    conversation = run.turn.conversation
    record_use(
        project_id=conversation.project_id,
        user_id=conversation.user_id,
        run=run.public_id,
        role=spending.role,
        model=spending.model,
        prompt_tokens=spending.usage.prompt_tokens,
        completion_tokens=spending.usage.completion_tokens,
        is_estimate=spending.is_estimate,
    )


def usage_as_json(main: Spending, light: Spending) -> dict[str, int | bool]:
    """Tokens of a run; those of the light model are among them, and told apart as well."""
    total = main.usage + light.usage
    told: dict[str, int | bool] = {
        "prompt_tokens": total.prompt_tokens,
        "completion_tokens": total.completion_tokens,
    }
    if light:
        told["light_prompt_tokens"] = light.usage.prompt_tokens
        told["light_completion_tokens"] = light.usage.completion_tokens
    if main.is_estimate or light.is_estimate:
        told["estimated"] = True
    return told
