"""Many open streams, and how soon a reader sees the first word, a stop, and what a crash left.

On a Lito of its own, with a model that speaks the real protocol from a script.
"""

import asyncio
import json
import os
import re
import secrets
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from lito.paths import ROOT
from lito.stream_clients import ConnectionLostError, Follower, Site
from llm.scripted import Call, Request, Says, ScriptedEndpoint, Step

STREAMS = 200
EVENTS = 60
EVERY = 0.2
"""Seconds between two events of one stream."""
DISTURBED = 50
"""Streams that are followed while pages are refreshed and the web server is killed."""
ASKED = 9
PATIENCE = 120.0
FOREIGN = ("DATABASE_URL", "REDIS_URL", "LITO_EMBEDDING_IN_PROCESS", "LITO_TEST_REDIS")
WEB, CHAT = b"lito.web", b"chat@"
"""What tells the processes apart on their command lines."""
_EVENTS_URL = re.compile(r'data-events="([^"]+)"')
_RUN = re.compile(r'data-run="([^"]+)"')
PROJECT = "streams"
PAPER = ROOT / "documents" / "demo" / "stinson-2006-invasive-plant.pdf"
"""The one paper of the project, so that a question is answered from something."""
SLOW = "The seedlings went on growing badly, month after month, and nobody knew why. " * 60


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--streams", type=int, default=STREAMS)


def run(options: dict[str, Any]) -> dict[str, Any]:
    with ScriptedEndpoint(_model) as endpoint, _stage(endpoint.endpoint().base_url) as stage:
        return asyncio.run(_measured(stage, options["streams"]))


def _model(request: Request) -> Step:
    """A search, then an answer that goes on for a while."""
    last = request["messages"][-1]
    if last["role"] == "tool":
        return Says(SLOW, chunk=12, delay=0.05)
    return Says(calls=(Call("search", {"query": str(last["content"])[:60]}),))


class Stage:
    """The other Lito, by its lines."""

    def __init__(self, process: "subprocess.Popen[str]", port: int) -> None:
        self._process, self.port = process, port

    def do(self, what: str, **arguments: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": what, **arguments}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the Lito that is measured ended; its reasons stand above")
        return json.loads(line)


@contextmanager
def _stage(model_url: str) -> Iterator[Stage]:
    with tempfile.TemporaryDirectory(prefix="lito-streams-") as folder, socket.socket() as probe:
        Path(folder).chmod(0o755)
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
        probe.close()
        inherited = {name: value for name, value in os.environ.items() if name not in FOREIGN}
        own = {
            "LITO_HOME": folder,
            "LITO_PORT": str(port),
            "LITO_DEMO": "false",
            "LITO_LLM_BASE_URL": model_url,
            "LITO_LLM_MODEL": "scripted",
            "LITO_ENV_FILE": os.devnull,
            "LITO_SECRET_KEY": secrets.token_urlsafe(40),
        }
        environment = {**inherited, **own}
        for command in (
            ("migrate", "-v", "0"),
            ("collectstatic", "-v", "0", "--no-input"),
            ("ingest", str(PAPER), "--project", PROJECT, "--create"),
        ):
            subprocess.run(
                [sys.executable, "manage.py", *command],
                cwd=ROOT,
                env=environment,
                check=True,
                stdout=sys.stderr,
            )
        process = subprocess.Popen(
            [sys.executable, "-m", "lito.stream_stage"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            yield Stage(process, port)
        finally:
            if process.stdin is not None:
                process.stdin.close()
            process.wait(60)


async def _measured(stage: Stage, streams: int) -> dict[str, Any]:
    made = stage.do("make", runs=1, active=False)
    site = Site(stage.port, made["session"])
    await _until_up(site)
    conversation = made["conversations"][0]
    asked = [await _asked(site, conversation) for _ in range(ASKED)]
    many = await _many(stage, site, streams)
    _say(f"{streams} streams: {many}")
    resumed = {
        "refresh_and_web_restart": await _disturbed(stage, site),
        "worker_kill": await _killed_worker(stage, site, conversation),
    }
    first, stop = [each[0] for each in asked], [each[1] for each in asked]
    return {
        **many,
        "first_event_ms": round(statistics.median(first), 1),
        "first_event_worst_ms": round(max(first), 1),
        "stop_ms": round(statistics.median(stop), 1),
        "stop_worst_ms": round(max(stop), 1),
        "resumed": resumed,
        "load": round(os.getloadavg()[0], 1),
    }


async def _until_up(site: Site) -> None:
    async def answers() -> bool:
        try:
            return (await site.get("/healthz")).status == 200
        except ConnectionLostError:
            return False

    await _until(answers, "the web server does not answer")


async def _until(holds: Callable[[], Awaitable[bool]], problem: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not await holds():
        if time.monotonic() > deadline:
            raise RuntimeError(problem)
        await asyncio.sleep(0.1)


async def _asked(site: Site, conversation: str) -> tuple[float, float]:
    """Milliseconds from sending a question to the first event, and from Stop to the end."""
    sent = time.monotonic()
    run, follower = await _ask(site, conversation)
    following = asyncio.create_task(follower.follow())

    async def has_text() -> bool:
        return len("".join(follower.blocks)) > 100

    await _until(has_text, "no answer came")
    pressed = time.monotonic()
    await site.post(f"/p/{PROJECT}/runs/{run}/stop/")
    answered = time.monotonic()
    await asyncio.wait_for(following, PATIENCE)
    ended = max(answered, follower.ended_at)
    return (follower.first_seen - sent) * 1000, (ended - pressed) * 1000


async def _ask(site: Site, conversation: str) -> tuple[str, Follower]:
    path = f"/p/{PROJECT}/conversations/{conversation}/ask/"
    reply = await site.post(path, question="Why do seedlings grow badly there?")
    url, run = _EVENTS_URL.search(reply.body), _RUN.search(reply.body)
    if reply.status != 200 or url is None or run is None:
        raise RuntimeError(f"the question was refused: {reply.status}")
    return run[1], Follower(site, url[1].replace("&amp;", "&"))


async def _many(stage: Stage, site: Site, streams: int) -> dict[str, Any]:
    """All streams open at once, each with its own run."""
    runs = stage.do("make", runs=streams, active=True)["runs"]
    followers = [Follower(site, f"/p/{PROJECT}/runs/{run}/events/") for run in runs]
    following = [asyncio.create_task(each.follow()) for each in followers]
    await _all_open(followers, following)
    held, used = stage.do("connections"), _web_seconds(stage.port)
    events = await asyncio.to_thread(stage.do, "publish", runs=runs, events=EVENTS, every=EVERY)
    await asyncio.wait_for(asyncio.gather(*following), PATIENCE)
    used = _web_seconds(stage.port) - used
    delays = [delay for each in followers for delay in each.delays.values()]
    return {
        "streams": streams,
        "events": events,
        "lost": _lost(followers),
        "added_delay_p50_ms": round(statistics.median(delays), 1),
        "added_delay_p95_ms": round(statistics.quantiles(delays, n=20)[-1], 1),
        "database_connections": held,
        "web_cpu_ms_per_event": round(used * 1000 / events, 2),
    }


async def _all_open(
    followers: Sequence[Follower], following: Sequence["asyncio.Task[None]"]
) -> None:
    """Raises at once what a stream failed with, instead of waiting for it to open."""
    deadline = time.monotonic() + PATIENCE
    while not all(each.opened.is_set() for each in followers):
        for task in following:
            if task.done():
                task.result()
        if time.monotonic() > deadline:
            raise RuntimeError(f"not all of {len(followers)} streams opened")
        await asyncio.sleep(0.05)


def _web_seconds(port: int) -> float:
    """Processor seconds that the web server has used."""
    ticks = 0
    for folder in _processes(port, WEB):
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _lost(followers: Sequence[Follower]) -> int:
    """Events that a page does not show at its end, or not in their place."""
    wanted = list(range(EVENTS))
    return sum(
        sum(seen != number for seen, number in zip(each.words, wanted, strict=False))
        + abs(EVENTS - len(each.words))
        for each in followers
    )


async def _disturbed(stage: Stage, site: Site) -> bool:
    """Pages that are refreshed, and a web server that is killed: nothing is missing or twice."""
    runs = stage.do("make", runs=DISTURBED, active=True)["runs"]
    followers = [Follower(site, f"/p/{PROJECT}/runs/{run}/events/") for run in runs]
    following = [asyncio.create_task(_with_a_refresh(each)) for each in followers]
    publishing = asyncio.to_thread(stage.do, "publish", runs=runs, events=EVENTS, every=EVERY)
    published = asyncio.ensure_future(publishing)
    await asyncio.sleep(EVENTS * EVERY / 2)
    _kill(stage.port, WEB)
    await published
    await asyncio.gather(*following)
    return _lost(followers) == 0 and all(each.ended == "done" for each in followers)


async def _with_a_refresh(follower: Follower) -> None:
    await follower.follow(until=lambda seen: len(seen.words) >= EVENTS // 4)
    await follower.follow_through(patience=PATIENCE)


def _kill(port: int, name: bytes) -> None:
    """End a process as the kernel does when memory runs out."""
    for folder in _processes(port, name):
        os.kill(int(folder.name), signal.SIGKILL)


def _processes(port: int, name: bytes) -> list[Path]:
    """The folders in /proc of a process of the Lito on this port, told by its command line."""
    wanted = f"LITO_PORT={port}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if not folder.name.isdecimal() or name not in (folder / "cmdline").read_bytes():
                continue
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(folder)
    return found


async def _killed_worker(stage: Stage, site: Site, conversation: str) -> bool:
    """The run is interrupted with the text so far; one click brings a whole answer."""
    run, follower = await _ask(site, conversation)
    following = asyncio.create_task(follower.follow_through(patience=PATIENCE))

    async def has_text() -> bool:
        return len("".join(follower.blocks)) > 400

    await _until(has_text, "no answer came")
    _kill(stage.port, CHAT)
    await following
    kept = stage.do("stored", run=run)
    is_kept = follower.ended == kept["state"] == "interrupted" and kept["blocks"] == follower.blocks
    if not is_kept:
        _say(f"{follower.ended} for its reader, {kept['state']} in the database")
        _say(f"read: {follower.blocks}\nkept: {kept['blocks']}")
    again = await site.post(f"/p/{PROJECT}/runs/{run}/retry/")
    url = _EVENTS_URL.search(again.body)
    if url is None:
        return False
    anew = Follower(site, url[1].replace("&amp;", "&"))
    await anew.follow_through(patience=PATIENCE)
    _say(f"asked again: {anew.ended}, {len(''.join(anew.blocks))} letters")
    return is_kept and anew.ended == "done" and len("".join(anew.blocks)) > len(SLOW) * 0.9


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
