"""Many open streams on a whole running Lito: none is lost, none holds a database connection."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from tests.live import LiveStack

STREAMS = 130
"""More than PostgreSQL's usual hundred connections."""
EVENTS = 20
PASSWORD = "a-long-password-for-tests"

MAKE_RUN = """
from chat.asking import begin_run, start_conversation
from chat.models import Run
from projects.models import Membership, Project, User
user = User.objects.create_user("streamer", password={password!r})
project = Project.objects.create(slug="streams", name="Streams")
Membership.objects.create(project=project, user=user)
run = begin_run(start_conversation(project, user, "Streams?"), "Streams?")
from django.utils import timezone
Run.objects.filter(pk=run.pk).update(state="running", heartbeat_at=timezone.now())
print(run.public_id)
"""
PUBLISH = """
import time
from django.db import connection
from chat.events import RunEnded, TextAdded
from chat.streaming import publish
from citations.segments import TextSegment
with connection.cursor() as cursor:
    cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
    print(cursor.fetchone()[0])
for number in range({events}):
    publish({run!r}, TextAdded((TextSegment(f"word{{number}} "),)))
    time.sleep(0.05)
publish({run!r}, RunEnded("done"))
"""


@pytest.mark.live
@pytest.mark.slow
def test_more_streams_than_database_connections_lose_nothing(live_stack: LiveStack) -> None:
    run = live_stack.python(MAKE_RUN.format(password=PASSWORD)).split()[-1]
    connections, texts = asyncio.run(_follow_all(live_stack, run))
    assert connections < STREAMS // 2
    whole = " ".join(f"word{number}" for number in range(EVENTS))
    assert texts == [whole] * STREAMS


async def _follow_all(stack: LiveStack, run: str) -> tuple[int, list[str]]:
    limits = httpx2.Limits(max_connections=STREAMS + 5)
    async with httpx2.AsyncClient(base_url=stack.address, limits=limits, timeout=60) as client:
        await _sign_in(client)
        opened = asyncio.Semaphore(0)
        following = [
            asyncio.create_task(_text_of_stream(client, run, opened)) for _ in range(STREAMS)
        ]
        for _ in range(STREAMS):
            await asyncio.wait_for(opened.acquire(), 60)
        said = await asyncio.to_thread(stack.python, PUBLISH.format(run=run, events=EVENTS))
        return int(said.split()[-1]), list(await asyncio.gather(*following))


async def _sign_in(client: httpx2.AsyncClient) -> None:
    page = await client.get("/sign-in/")
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert token is not None
    form = {"username": "streamer", "password": PASSWORD, "csrfmiddlewaretoken": token[1]}
    answer = await client.post("/sign-in/", data=form, headers={"Referer": str(page.url)})
    assert answer.status_code == 302


async def _text_of_stream(client: httpx2.AsyncClient, run: str, opened: asyncio.Semaphore) -> str:
    blocks: list[str] = []
    async with client.stream("GET", f"/p/streams/runs/{run}/events/") as response:
        assert response.status_code == 200
        opened.release()
        async for name, value in _events(response):
            if name == "answer":
                blocks[value["from"] :] = value["blocks"]
            if name == "done":
                break
    return re.sub(r"<[^>]+>", "", "".join(blocks)).strip()


async def _events(response: httpx2.Response) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    name = ""
    async for line in response.aiter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
