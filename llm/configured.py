"""Which models this process uses. The composition root says so once, at start-up."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from llm.openai_compatible import Endpoint, OpenAICompatible
from llm.port import ChatModel


@dataclass(slots=True)
class _Roles:
    main: Endpoint | None = None
    light: Endpoint | None = None
    choose: "Choose | None" = None


Role = Literal["main", "light"]
Choose = Callable[[int | None, str], Endpoint | None]
"""The endpoint of a role, `main` or `light`, for an owner (None: for anyone), if one is chosen."""

_roles = _Roles()


def set_chooser(choose: Choose | None) -> None:
    """Ask `choose` at each use, before the endpoints that were set for good."""
    _roles.choose = choose


def set_endpoints(
    *, main: Endpoint | None, light: Endpoint | None = None, judges: bool = True
) -> None:
    """`main` answers; `light` plans, selects and locates, and is the main one if not given.

    Without `judges` nobody does: rules do it, so that a measurement is of the answers alone. From
    now on nobody is asked to choose others.
    """
    _roles.choose = None
    _roles.main = main
    _roles.light = (light or main) if judges else None


def main_model(owner: int | None = None) -> ChatModel | None:
    """The model that answers, or None where no endpoint is set. `owner` may have its own."""
    return _of_role("main", owner)


def light_model(owner: int | None = None) -> ChatModel | None:
    """The model for small judgements, or None where no endpoint is set."""
    return _of_role("light", owner)


def endpoint_in_use(role: Role, owner: int | None = None) -> Endpoint | None:
    """Where the model of this role is, for `owner`."""
    chosen = _roles.choose(owner, role) if _roles.choose else None
    return chosen or (_roles.main if role == "main" else _roles.light)


def _of_role(role: Role, owner: int | None) -> ChatModel | None:
    endpoint = endpoint_in_use(role, owner)
    return _model(endpoint) if endpoint else None


@lru_cache(maxsize=16)
def _model(endpoint: Endpoint) -> OpenAICompatible:
    return OpenAICompatible(endpoint)
