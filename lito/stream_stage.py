"""A Lito of its own for `benchmark stream`: web server and chat worker, told what to do by lines.

Each line on standard input is a JSON object with `do`; its answer is one JSON line. It ends with
its input. Everything lies in the folder LITO_HOME, which nobody else uses.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from lito.paths import ROOT, home
from lito.processes import lito_processes
from lito.services import running_services
from lito.supervising import Supervisor

NEEDED = ("embedding", "chat", "web")
ROUND = 0.1
HEARTBEAT = 5.0
PARAGRAPH = 8
"""Events a paragraph of a published answer."""
CITED = 4
"""Every so many events cite something."""


def main() -> None:
    with running_services():
        processes = [each for each in lito_processes() if each.name in NEEDED]
        supervisor = Supervisor(
            processes, home=home(), root=ROOT, report=lambda line: print(line, file=sys.stderr)
        )
        over = threading.Event()
        lines = threading.Thread(target=_obey, args=(over,), daemon=True)
        lines.start()
        try:
            while not over.wait(ROUND):
                supervisor.check()
        finally:
            supervisor.stop()


def _obey(over: threading.Event) -> None:
    known: Mapping[str, Callable[..., Any]] = {
        "make": make,
        "publish": publish,
        "connections": connections,
        "stored": stored,
    }
    try:
        for line in sys.stdin:
            asked = json.loads(line)
            answer = known[asked.pop("do")](**asked)
            print(json.dumps(answer), flush=True)
    finally:
        over.set()


def make(runs: int, *, active: bool) -> dict[str, Any]:
    """A reader with a session, and conversations; with `active`, each with a run that goes on."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore
    from django.utils import timezone

    from chat.asking import begin_run, start_conversation
    from chat.models import Run
    from projects.models import Membership, Project, User

    user, _ = User.objects.get_or_create(username="stream-reader")
    project, _ = Project.objects.get_or_create(slug="streams", defaults={"name": "Streams"})
    Membership.objects.get_or_create(project=project, user=user)
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    conversations = [start_conversation(project, user, "Streams?") for _ in range(runs)]
    begun = [begin_run(each, "Streams?") for each in conversations] if active else []
    keys = [run.pk for run in begun]
    Run.objects.filter(pk__in=keys).update(state="running", heartbeat_at=timezone.now())
    return {
        "session": session.session_key,
        "conversations": [each.public_id for each in conversations],
        "runs": [run.public_id for run in begun],
    }


def publish(runs: list[str], events: int, every: float) -> int:
    """Each run gets an event every so many seconds, evenly spread; how many there were in all.

    An event is a word that says its place and the milliseconds at which it was sent.
    """
    from chat import streaming
    from chat.events import EvidenceKnown, RunEnded, TextAdded

    for run in runs:
        streaming.publish(run, EvidenceKnown({1: _source("one"), 2: _source("two")}))
    begun = alive = time.monotonic()
    for number in range(events):
        for place, run in enumerate(runs):
            due = begun + number * every + place * every / len(runs)
            time.sleep(max(0.0, due - time.monotonic()))
            streaming.publish(run, TextAdded(_words(number)))
        if time.monotonic() - alive > HEARTBEAT:
            alive = time.monotonic()
            _give_sign_of_life(runs)
    for run in runs:
        streaming.publish(run, RunEnded("done"))
    return events * len(runs)


def _words(number: int) -> tuple[Any, ...]:
    from citations.segments import CiteSegment, TextSegment

    gap = "\n\n" if number and number % PARAGRAPH == 0 else ""
    filler = "and so the price of it rose again "
    text = TextSegment(f"{gap}W{number}t{int(time.time() * 1000)} {filler}")
    return (text, CiteSegment(1 + number % 2)) if number % CITED == 0 else (text,)


def _source(name: str) -> dict[str, Any]:
    return {"file_id": f"file{name}", "title": f"Paper {name}", "pdf_page": None, "page": 1}


def _give_sign_of_life(runs: list[str]) -> None:
    from django.utils import timezone

    from chat.models import Run

    Run.objects.filter(public_id__in=runs).update(heartbeat_at=timezone.now())


def connections() -> int:
    """Open connections to the database, this one included."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        return int(cursor.fetchone()[0])


def stored(run: str) -> dict[str, Any]:
    """The run as the database has it."""
    from chat.models import Run
    from chat.showing import show_run

    found = Run.objects.select_related("turn__answer", "turn__conversation__project").get(
        public_id=run
    )
    return {"state": found.state, "blocks": list(show_run(found).blocks)}


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lito.settings")
    main()
