"""Which models this process uses. The composition root says so once, at start-up."""

from dataclasses import dataclass
from functools import lru_cache

from llm.openai_compatible import Endpoint, OpenAICompatible
from llm.port import ChatModel


@dataclass(slots=True)
class _Roles:
    main: Endpoint | None = None
    light: Endpoint | None = None


_roles = _Roles()


def set_endpoints(*, main: Endpoint | None, light: Endpoint | None = None) -> None:
    """`main` answers; `light` plans, selects and locates, and is the main one if not given."""
    _roles.main, _roles.light = main, light or main


def main_model() -> ChatModel | None:
    """The model that answers, or None where no endpoint is set."""
    return _model(_roles.main) if _roles.main else None


def light_model() -> ChatModel | None:
    """The model for small judgements, or None where no endpoint is set."""
    return _model(_roles.light) if _roles.light else None


@lru_cache(maxsize=16)
def _model(endpoint: Endpoint) -> OpenAICompatible:
    return OpenAICompatible(endpoint)
