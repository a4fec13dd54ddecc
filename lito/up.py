"""Runs everything from one terminal: `python -m lito.up`, which is what `make up` does."""

import errno
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from lito.environment import read_environment_file
from lito.paths import ROOT, home, services_directory
from lito.processes import lito_processes
from lito.services import ServiceError, running_services
from lito.services.watching import ServiceWatch
from lito.supervising import Supervisor, kill_leftovers

ROUND = 0.2
"""Seconds between two looks at the processes."""
LEAST_FREE = 500 * 1024 * 1024
"""Bytes: with less, PostgreSQL may not be able to write its log and stops."""
PATIENCE = 90
"""Seconds after which a silent web server is worth a line."""
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104  (recognised here, not listened on)


class StartError(Exception):
    """Lito can't start; the message is one line that says what to do."""


def main() -> None:
    read_environment_file()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)  # SIGINT too: a shell's background jobs ignore it
    try:
        with _the_only_one():
            _check_disk()
            _check_port()
            if kill_leftovers(home()):
                say("ended processes that an earlier start had left behind")
            _run()
    except (StartError, ServiceError) as error:
        sys.exit(f"lito: {error}")
    except KeyboardInterrupt:
        say("stopped")


def say(line: str) -> None:
    print(f"lito: {line}", flush=True)


def address() -> str:
    """Where a browser on this machine finds Lito."""
    host, port = _host_and_port()
    shown = "127.0.0.1" if host in EVERYWHERE else host
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}"


def _run() -> None:
    if services_directory() != home():
        say(f"PostgreSQL and Redis keep their data in {services_directory()}")
    with running_services(migrate=False):
        _prepare()
        supervisor = Supervisor(lito_processes(), home=home(), root=ROOT, report=say)
        try:
            _watch(supervisor)
        finally:
            say("stopping …")
            supervisor.stop()


def _watch(supervisor: Supervisor) -> None:
    services = ServiceWatch(say)
    announced, deadline = False, time.monotonic() + PATIENCE
    while True:
        supervisor.check()
        services.check()
        if not announced and _answers():
            say(f"ready at {address()}  (Ctrl-C stops everything; logs are in {home() / 'logs'})")
            announced = True
        elif not announced and time.monotonic() > deadline:
            say(f"the web server does not answer yet; see {home() / 'logs' / 'web.log'}")
            deadline = float("inf")
        time.sleep(ROUND)


def _prepare() -> None:
    """Tables, static files, first admin, demo: in a process that then gives its memory back."""
    command = [sys.executable, str(ROOT / "manage.py"), "prepare"]
    environment = {**os.environ, "LITO_HOME": str(home())}
    prepared = subprocess.run(command, cwd=ROOT, env=environment, check=False)
    if prepared.returncode:
        raise StartError("could not prepare the database and the files; the reason stands above.")


@contextmanager
def _the_only_one() -> Iterator[None]:
    """Only one `make up` for a data folder. The kernel lets go of the lock, however it ends."""
    try:
        home().mkdir(parents=True, exist_ok=True)
        lock = (home() / "up.lock").open("a+")
    except OSError as error:
        raise StartError(
            f"the data folder {home()} can't be written ({error.strerror}): "
            "choose another one with LITO_HOME."
        ) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise StartError(f"already running from this folder ({lock.read().strip()}).") from None
        lock.truncate(0)
        lock.write(f"{address()}, process {os.getpid()}")
        lock.flush()
        yield


def _check_disk() -> None:
    free = shutil.disk_usage(home()).free
    if free < LEAST_FREE:
        raise StartError(
            f"only {free // 2**20} MB are free where the data lies ({home()}): "
            "make room, or choose another place with LITO_HOME."
        )


def _check_port() -> None:
    host, port = _host_and_port()
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise StartError(_port_trouble(error, host, port)) from None


def _port_trouble(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        free = port + 1
        return f"port {port} is taken by another program: choose another, LITO_PORT={free} make up."
    if error.errno == errno.EACCES:
        return f"port {port} needs more rights: choose one above 1023 with LITO_PORT."
    return f"can't listen on {host}:{port} ({error.strerror}): check LITO_HOST and LITO_PORT."


def _host_and_port() -> tuple[str, int]:
    given = os.environ.get("LITO_PORT") or "8000"
    if not given.isdecimal() or not 0 < int(given) < 65536:
        raise StartError(f"LITO_PORT is “{given}”: it has to be a number from 1 to 65535.")
    return os.environ.get("LITO_HOST") or "127.0.0.1", int(given)


def _answers() -> bool:
    try:
        with urllib.request.urlopen(f"{address()}/healthz", timeout=2) as response:  # noqa: S310
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
