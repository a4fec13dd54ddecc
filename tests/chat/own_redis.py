"""A Redis that a test may kill."""

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chat import streaming
from lito.paths import socket_directory
from lito.services.account import service_account
from lito.services.binaries import redis_program
from tests.waiting import until


class OwnRedis:
    """A Redis that a test may kill, without any data kept."""

    def __init__(self, socket_path: Path) -> None:
        self._socket = socket_path
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        program = str(redis_program(service_account()))
        command = [program, "--port", "0", "--unixsocket", str(self._socket), "--save", ""]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        until(self._answers, 20, every=0.05)

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(str(self._socket)) == 0

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


@contextmanager
def own_redis(settings: Any) -> Iterator[OwnRedis]:
    path = socket_directory() / f"killed-{os.getpid()}.sock"  # not that of a process beside us
    server = OwnRedis(path)
    server.start()
    settings.REDIS_URL = f"unix://{path}"
    streaming._redis.cache_clear()
    try:
        yield server
    finally:
        streaming._redis().close()
        server.kill()
        path.unlink(missing_ok=True)
        streaming._redis.cache_clear()
