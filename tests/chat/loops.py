"""An event loop for one test that leaves no connection open behind it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from django.db import connections

from chat.streaming import let_go

Result = TypeVar("Result")


def in_a_loop(work: Coroutine[Any, Any, Result], *, seconds: float = 60) -> Result:
    """What `work` returns; it is given up after so many seconds."""

    async def run() -> Result:
        try:
            return await asyncio.wait_for(work, seconds)
        finally:
            await let_go()
            await sync_to_async(connections.close_all)()

    return asyncio.run(run())
