"""`make up`, as far as it says why it can't, and a whole running Lito."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from lito.paths import ROOT
from lito.processes import lito_processes
from tests.live import LiveStack, free_port


def up(folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """`python -m lito.up` to its end."""
    given = {"LITO_HOME": str(folder), "LITO_PORT": str(free_port()), "LITO_DEMO": "false"}
    return subprocess.run(
        [sys.executable, "-m", "lito.up"],
        cwd=ROOT,
        env={**os.environ, **given, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def refusal(done: "subprocess.CompletedProcess[str]") -> str:
    """The one line that it ended with."""
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr.strip()


def test_a_taken_port_is_said_with_the_way_out(data_folder: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        said = refusal(up(data_folder, LITO_PORT=str(port)))
    assert f"port {port} is taken" in said
    assert f"LITO_PORT={port + 1} make up" in said


@pytest.mark.parametrize("port", ["http", "0", "70000", "-1"])
def test_a_port_that_is_none_is_said(data_folder: Path, port: str) -> None:
    assert f"LITO_PORT is “{port}”" in refusal(up(data_folder, LITO_PORT=port))


def test_a_data_folder_that_cannot_be_is_said(data_folder: Path) -> None:
    (data_folder / "file").write_text("not a folder")
    assert "choose another one with LITO_HOME" in refusal(up(data_folder / "file" / "var"))


def test_a_second_start_on_the_same_folder_is_refused(live_stack: LiveStack) -> None:
    said = refusal(up(live_stack.home))
    assert "already running from this folder" in said
    assert live_stack.address in said


def test_a_running_lito_is_healthy(live_stack: LiveStack) -> None:
    with urllib.request.urlopen(f"{live_stack.address}/healthz") as response:
        assert json.load(response) == {"healthy": True, "database": True, "redis": True}


def test_the_first_admin_gets_a_password_that_works_once(live_stack: LiveStack) -> None:
    said = (live_stack.home / "up.txt").read_text()
    found = re.search(r"“admin” with the one-time password  (\S+)", said)
    assert found is not None
    admin = (
        "from projects.models import User; admin = User.objects.get(username='admin'); "
        f"print(admin.check_password({found[1]!r}), admin.must_change_password)"
    )
    assert live_stack.python(admin).split() == ["True", "True"]
    assert found[1] not in live_stack.manage("prepare"), "a later start prints no password"


def test_every_queue_has_a_worker(live_stack: LiveStack) -> None:
    deadline = time.monotonic() + 60
    for queue in ("parse", "index", "chat", "locate"):
        while " ready." not in live_stack.log(queue):
            assert time.monotonic() < deadline, live_stack.log(queue)
            time.sleep(0.2)


@pytest.mark.parametrize("service", ["postgres", "redis-server"])
def test_a_service_that_dies_comes_back(live_stack: LiveStack, service: str) -> None:
    dying = _server(service, live_stack.home)
    assert dying is not None
    os.kill(dying, signal.SIGKILL)
    deadline = time.monotonic() + 90
    while not (_server(service, live_stack.home) not in (None, dying) and _healthy(live_stack)):
        assert time.monotonic() < deadline, (live_stack.home / "up.txt").read_text()
        time.sleep(0.5)
    assert "ended, starting it again" in (live_stack.home / "up.txt").read_text()


def test_a_worker_that_is_killed_comes_back(live_stack: LiveStack) -> None:
    [command] = [process.command for process in lito_processes() if process.name == "locate"]
    wanted = "\0".join(command).encode()
    [dying] = [
        pid
        for pid in _processes()
        if wanted in _read(pid, "cmdline")
        and str(live_stack.home).encode() in _read(pid, "environ")
    ]
    os.kill(dying, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while live_stack.log("locate").count(" ready.") < 2:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert "locate ended (killed by SIGKILL)" in (live_stack.home / "up.txt").read_text()


def _healthy(stack: LiveStack) -> bool:
    try:
        with urllib.request.urlopen(f"{stack.address}/healthz", timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def _processes() -> list[int]:
    return [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdecimal()]


def _server(name: str, home: Path) -> int | None:
    """The id of the server of this data folder, None while there is none."""
    if name == "postgres":
        lock = home / "postgres" / "postmaster.pid"
        pid = int(lock.read_text().split()[0]) if lock.exists() else 0
        return pid if _read(pid, "comm") else None
    told = str(home / "run" / "redis.sock").encode()
    servers = (pid for pid in _processes() if _read(pid, "comm").strip() == name.encode())
    return next((pid for pid in servers if told in _read(pid, "cmdline")), None)


def _read(pid: int, what: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{what}").read_bytes()
    except OSError:
        return b""
