"""The processes that make a running Lito: the web server, the embedder, one worker per queue.

docker-compose.yml runs the same commands, one in each container; a test compares them.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

THREADS = 16
"""Of the `chat` and `locate` workers each: their tasks wait for models and sockets."""


@dataclass(frozen=True, slots=True)
class Process:
    """A command that has to run all the time. `module` and `arguments` are for `python -m`."""

    name: str
    module: str
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", self.module, *self.arguments]


def worker(queue: str, *options: str, pool: int = 0) -> Process:
    """A Celery worker of one queue. On SIGTERM it gives unfinished tasks back to the queue."""
    environment = {"REMAP_SIGTERM": "SIGQUIT"}
    if pool:
        environment["LITO_DATABASE_POOL"] = str(pool)
    quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    named = ("--queues", queue, "--hostname", f"{queue}@%h")
    return Process(
        name=queue,
        module="celery",
        arguments=("-A", "lito", "worker", *named, *options, *quiet),
        environment=environment,
    )


def lito_processes() -> tuple[Process, ...]:
    """In the order in which they start; they end in the reverse order."""
    parsers = str(max(1, min(2, os.cpu_count() or 1)))
    threads = ("--pool", "threads", "--concurrency", str(THREADS))
    recycled = ("--max-tasks-per-child", "50", "--max-memory-per-child", "700000")
    embedding = (Process("embedding", "documents.vectors.embedding_service"),)
    return (
        *(() if _embeds_elsewhere() else embedding),
        worker("parse", "--pool", "prefork", "--concurrency", parsers, *recycled),
        worker("index", "--pool", "prefork", "--concurrency", "1", *recycled),
        worker("background", "--pool", "prefork", "--concurrency", "1", *recycled),
        worker("chat", *threads, pool=THREADS + 4),
        worker("locate", *threads, pool=THREADS + 4),
        Process("web", "lito.web", environment={"LITO_DATABASE_POOL": "20"}),
    )


def _embeds_elsewhere() -> bool:
    """An outside server needs the service still: for papers whose vectors a model here has made."""
    outside = os.environ.get("LITO_EMBEDDER") == "openai"
    return bool(os.environ.get("LITO_EMBEDDING_BASE_URL")) and not outside
