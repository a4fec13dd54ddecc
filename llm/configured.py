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


def set_endpoints(
    *, main: Endpoint | None, light: Endpoint | None = None, judges: bool = True
) -> None:
    """`main` answers; `light` plans, selects and locates, and is the main one if not given.

    Without `judges` nobody does: rules do it, so that a measurement is of the answers alone.
    """
    _roles.main = main
    _roles.light = (light or main) if judges else None


def main_model() -> ChatModel | None:
    """The model that answers, or None where no endpoint is set."""
    return _model(_roles.main) if _roles.main else None


def light_model() -> ChatModel | None:
    """The model for small judgements, or None where no endpoint is set."""
    return _model(_roles.light) if _roles.light else None


@lru_cache(maxsize=16)
def _model(endpoint: Endpoint) -> OpenAICompatible:
    return OpenAICompatible(endpoint)
