"""A whole Lito as `make up` runs it, on a port and in a data folder of its own."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 180
"""Seconds: the whole of it may have to start on a busy machine with two cores."""
FOREIGN = ("DATABASE_URL", "REDIS_URL", "LITO_EMBEDDING_IN_PROCESS", "LITO_TEST_REDIS")
"""Settings of the test process that the running Lito must not inherit."""


@dataclass(frozen=True, slots=True)
class LiveStack:
    """Where it answers, and how to look inside it."""

    address: str
    home: Path
    environment: dict[str, str] = field(repr=False)

    def manage(self, *arguments: str) -> str:
        """Standard output of a command run against this Lito's database and workers."""
        command = [sys.executable, str(ROOT / "manage.py"), *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{arguments}: {done.stderr[-3000:]}"
        return done.stdout

    def python(self, code: str) -> str:
        """What `code` prints, run with Django set up; all models are imported."""
        return self.manage("shell", "-v", "0", "-c", code)

    def create_user(self, username: str, password: str) -> None:
        """An ordinary user who need not change the password first."""
        self.python(
            "from projects.models import User; "
            f"User.objects.create_user({username!r}, password={password!r})"
        )

    def log(self, name: str) -> str:
        """Everything that one process has said."""
        file = self.home / "logs" / f"{name}.log"
        return file.read_text(errors="replace") if file.exists() else ""


@contextmanager
def running_lito(home: Path, **environment: str) -> Iterator[LiveStack]:
    """Starts it, waits until it answers, and ends it as Ctrl-C would."""
    home.mkdir(parents=True, exist_ok=True)
    port = free_port()
    own = {"LITO_HOME": str(home), "LITO_PORT": str(port), "LITO_DEMO": "false", **environment}
    inherited = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    stack = LiveStack(f"http://127.0.0.1:{port}", home, {**inherited, **own})
    with (home / "up.txt").open("wb") as said:
        up = subprocess.Popen(
            [sys.executable, "-m", "lito.up"],
            cwd=ROOT,
            env=stack.environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
        )
    try:
        _wait_until_ready(stack, up)
        yield stack
    finally:
        up.send_signal(signal.SIGINT)
        try:
            up.wait(60)
        except subprocess.TimeoutExpired:
            up.kill()
            up.wait()
            raise


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(stack: LiveStack, up: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    output = stack.home / "up.txt"
    embedder = _sockets(stack) / "embedding.sock"
    while time.monotonic() < deadline and up.poll() is None:
        if "keeps ending" in output.read_text(errors="replace"):
            break
        if answers(stack.address) and embedder.exists():
            return
        time.sleep(0.2)
    said = output.read_text(errors="replace")
    raise AssertionError(f"Lito did not start:\n{said[-3000:]}")


def _sockets(stack: LiveStack) -> Path:
    """Not always in the data folder: root's services keep away from folders only root can enter."""
    asked = "from lito.paths import socket_directory; print(socket_directory())"
    command = [sys.executable, "-c", asked]
    return Path(
        subprocess.check_output(command, cwd=ROOT, env=stack.environment, text=True).strip()
    )


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/healthz", timeout=2) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False
