"""Looks for many open streams at once: each is told of its own run, if it may see it."""

import asyncio
from datetime import timedelta

from asgiref.sync import sync_to_async
from django.utils import timezone

from chat.asking import DEAD_AFTER
from chat.looking import look
from chat.models import Run
from projects.models import Membership
from tests.chat.libraries import Library
from tests.chat.loops import in_a_loop
from tests.chat.test_answering import QUESTION


def looked(*wanted: tuple[int, str]) -> list[str | None]:
    async def together() -> list[str | None]:
        return await asyncio.gather(*(look(*each) for each in wanted))

    return in_a_loop(together())


def test_each_stream_is_told_of_its_own_run_alone(library: Library) -> None:
    running, queued = library.queued(QUESTION), library.queued(QUESTION)
    Run.objects.filter(pk=running.pk).update(state="running", heartbeat_at=timezone.now())
    reader, stranger = library.reader.pk, library.stranger.pk
    found = looked(
        (reader, running.public_id),
        (stranger, running.public_id),
        (reader, queued.public_id),
        (reader, running.public_id),
        (reader, "unknown"),
    )
    assert found == ["running", None, "queued", "running", None]


def test_a_run_whose_worker_died_is_ended_by_a_look(library: Library) -> None:
    run = library.queued(QUESTION)
    silent = timezone.now() - DEAD_AFTER - timedelta(seconds=1)
    Run.objects.filter(pk=run.pk).update(state="running", heartbeat_at=silent)
    assert looked((library.reader.pk, run.public_id)) == ["interrupted"]


def test_access_is_asked_anew_in_every_round(library: Library) -> None:
    run, reader = library.queued(QUESTION), library.reader

    async def twice() -> tuple[str | None, str | None]:
        before = await look(reader.pk, run.public_id)
        await sync_to_async(Membership.objects.filter(user=reader).delete)()
        return before, await look(reader.pk, run.public_id)

    assert in_a_loop(twice()) == ("queued", None)


def test_a_stream_that_leaves_takes_nothing_from_the_others(library: Library) -> None:
    run, reader = library.queued(QUESTION), library.reader.pk

    async def one_leaves() -> str | None:
        leaving = asyncio.create_task(look(reader, run.public_id))
        staying = asyncio.create_task(look(reader, run.public_id))
        await asyncio.sleep(0)
        leaving.cancel()
        return await staying

    assert in_a_loop(one_leaves()) == "queued"
