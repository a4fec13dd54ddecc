"""The embedded Redis: the broker of the workers and the event streams of running answers."""

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from lito.paths import home, services_directory, socket_directory
from lito.services.account import Account, private_directory, service_account
from lito.services.binaries import redis_program
from lito.services.errors import ServiceError
from lito.services.launching import launch, reap

PATIENCE = 60
DATABASES = 64


@dataclass(frozen=True, slots=True)
class RedisServer:
    """One data folder and its server, reachable through a socket alone."""

    data_folder: Path
    socket: Path
    log: Path
    account: Account
    program: Path

    def alive(self) -> bool:
        try:
            return self._ask("ping") is True
        except (redis.exceptions.RedisError, OSError):
            return False

    def start(self) -> None:
        """Returns once the server answers; does nothing if it already does."""
        if self.alive():
            return
        private_directory(self.socket.parent, self.account)
        private_directory(self.data_folder, self.account)
        server = self._launch()
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if self.alive():
                return
            if server.poll() is not None:
                raise ServiceError(f"Redis did not start: {self._last()} (more in {self.log})")
            time.sleep(0.02)
        raise ServiceError(f"Redis did not answer within {PATIENCE} seconds; see {self.log}.")

    def stop(self) -> None:
        """Writes everything down and ends; does nothing if none is running."""
        try:
            pid = int(self._ask("info", "server")["process_id"])
            self._ask("shutdown")
        except (redis.exceptions.RedisError, OSError):
            return
        deadline = time.monotonic() + PATIENCE
        while Path(f"/proc/{pid}/exe").exists() and time.monotonic() < deadline:
            reap()
            time.sleep(0.02)

    def _ask(self, command: str, *arguments: str) -> Any:
        client = redis.Redis(
            unix_socket_path=str(self.socket), socket_timeout=5, retry=Retry(NoBackoff(), 0)
        )
        try:
            return getattr(client, command)(*arguments)
        finally:
            client.close()

    def _launch(self) -> subprocess.Popen[bytes]:
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.data_folder),
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory-policy": "noeviction",
            "databases": str(DATABASES),
        }
        command = [str(self.program)]
        for name, value in options.items():
            command += [f"--{name}", value]
        return launch(command, log=self.log, account=self.account)

    def _last(self) -> str:
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        return lines[-1].strip() if lines else "it said nothing"


def embedded_redis() -> RedisServer:
    """The Redis of this installation's data folder."""
    account = service_account()
    return RedisServer(
        data_folder=services_directory() / "redis",
        socket=socket_directory() / "redis.sock",
        log=home() / "logs" / "redis.log",
        account=account,
        program=redis_program(account),
    )
