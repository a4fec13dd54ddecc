"""Looking after many open streams at once: whether readers may still follow, how their runs stand.

Every look of its own would cost a thread and a connection, and keep the events of others waiting.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Mapping
from weakref import WeakKeyDictionary

from asgiref.sync import sync_to_async
from django.db import connections

from chat.models import Run
from chat.settling import interrupt_if_dead
from projects.models import User

GATHER = 0.2
"""Seconds for which streams that want a look are gathered."""
Watched = tuple[int, str]
"""A reader's id and the public id of the run that they follow."""


async def look(user_id: int, run_id: str) -> str | None:
    """The run's state as it really is; None if its reader may not see it any more."""
    loop = asyncio.get_running_loop()
    if loop not in _rounds:
        empty = set[Watched]()
        _rounds[loop] = loop.create_task(_round(empty)), empty
    task, wanted = _rounds[loop]
    wanted.add((user_id, run_id))
    return (await asyncio.shield(task)).get((user_id, run_id))


_rounds: WeakKeyDictionary[
    asyncio.AbstractEventLoop, tuple[asyncio.Task[Mapping[Watched, str]], set[Watched]]
] = WeakKeyDictionary()
"""The round that is gathering now."""


async def _round(wanted: set[Watched]) -> Mapping[Watched, str]:
    await asyncio.sleep(GATHER)
    del _rounds[asyncio.get_running_loop()]
    return await sync_to_async(_states, thread_sensitive=False)(wanted)


def _states(wanted: Collection[Watched]) -> Mapping[Watched, str]:
    runs_of = defaultdict[int, list[str]](list)
    for user_id, run_id in wanted:
        runs_of[user_id].append(run_id)
    try:
        return {
            (user_id, run.public_id): str(run.state)
            for user_id, run_ids in runs_of.items()
            for run in _seen_by(user_id, run_ids)
        }
    finally:
        connections.close_all()


def _seen_by(user_id: int, run_ids: Collection[str]) -> list[Run]:
    visible = Run.objects.visible_to(User(pk=user_id))
    reading = visible.filter(turn__conversation__user__is_active=True)
    runs = list(reading.filter(public_id__in=run_ids).only("public_id", "state", "heartbeat_at"))
    for run in runs:
        interrupt_if_dead(run)
    return runs
