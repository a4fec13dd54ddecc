"""Fixtures for runs: a library, and a main model that follows a script. Imports wait for Django."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from llm.configured import set_endpoints
from llm.scripted import ScriptedEndpoint, Step

if TYPE_CHECKING:
    from redis import Redis

    from tests.chat.libraries import Library, Scripted


@pytest.fixture
def library(transactional_db: None, redis: "Redis") -> "Library":
    from tests.chat.libraries import new_library

    set_endpoints(main=None)
    return new_library()


@pytest.fixture
def scripted() -> "Iterator[Scripted]":
    """Within its block the main model is an endpoint that follows the script."""

    @contextmanager
    def use(steps: Sequence[Step]) -> Iterator[ScriptedEndpoint]:
        with ScriptedEndpoint(steps) as server:
            set_endpoints(main=server.endpoint(), judges=False)
            yield server

    yield use
    set_endpoints(main=None)
