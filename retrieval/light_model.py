"""Asking the light model for small judgements: in a schema, or not at all.

A search must never fail, and never wait three times, because a model does.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from llm.port import ChatModel, Message, ModelError

NOT_ASKED_AGAIN = frozenset(
    {
        "unreachable",
        "timeout",
        "rate_limited",
        "unauthorized",
        "no_such_model",
        "server_error",
        "cut_off",
    }
)
"""Failures that the next question would meet too."""
NO_MODEL = "no_model"
TOO_SLOW = "too_slow"
LONGEST_WAIT = 20.0
"""Seconds. After a reply that took longer, rules do the rest: a small model on a small machine may
need minutes to read what a large one reads in a second.
"""


class StrictReply(BaseModel):
    """Nothing is converted, nothing unasked for is taken."""

    model_config = ConfigDict(extra="forbid", strict=True)


Reply = TypeVar("Reply", bound=StrictReply)


@dataclass(slots=True)
class LightModel:
    """The light model of one run, if there is one. `failure` is what ended asking it."""

    model: ChatModel | None = None
    longest_wait: float = LONGEST_WAIT
    failure: str = NO_MODEL

    def __post_init__(self) -> None:
        if self.model is not None:
            self.failure = ""

    def ask(self, instruction: str, material: str, schema: type[Reply]) -> tuple[Reply | None, str]:
        """A valid reply, or None and the code of the failure."""
        if self.model is None or self.failure:
            return None, self.failure
        messages: Sequence[Message] = (Message("system", instruction), Message("user", material))
        asked = time.monotonic()
        try:
            return self.model.complete_json(messages, schema), ""
        except ModelError as error:
            if error.code in NOT_ASKED_AGAIN:
                self.failure = error.code
            return None, error.code
        finally:
            if time.monotonic() - asked > self.longest_wait:
                self.failure = self.failure or TOO_SLOW

    def reason(self, failure: str) -> str:
        """`failure` as the trace tells it: that there is no model is none."""
        return "" if failure == NO_MODEL else failure
