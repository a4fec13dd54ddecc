"""The embedded services: started, shared, killed, recovered, refused."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from redis import Redis

from lito.paths import LONGEST_SOCKET_DIRECTORY, ROOT, services_directory, socket_directory
from lito.services import ServiceError, embedded
from lito.services.account import private_directory, service_account
from lito.services.postgres import embedded_postgres
from lito.services.redis_server import embedded_redis

HOLD = "from lito.services import embedded\nwith embedded(): print('in', flush=True); input()"
"""A program that uses the services until its standard input closes."""


def hold() -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", HOLD]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(command, cwd=ROOT, text=True, **pipes)  # type: ignore[call-overload,no-any-return]


def in_use(holder: "subprocess.Popen[str]") -> None:
    assert holder.stdout is not None
    assert holder.stdout.readline() == "in\n"


def let_go(holder: "subprocess.Popen[str]") -> None:
    holder.communicate("\n", timeout=60)
    assert holder.returncode == 0


def write_row(text: str) -> None:
    with embedded_postgres().connect("lito") as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (word text)")
        connection.execute("INSERT INTO kept VALUES (%s)", [text])


def rows() -> list[str]:
    with embedded_postgres().connect("lito") as connection:
        return [word for (word,) in connection.execute("SELECT word FROM kept ORDER BY word")]


def redis_client() -> "Redis":
    return Redis(unix_socket_path=str(embedded_redis().socket))


def postmaster(folder: Path) -> int:
    return int((services_directory() / "postgres" / "postmaster.pid").read_text().split()[0])


def redis_process() -> int:
    with redis_client() as client:
        return int(client.info("server")["process_id"])


def wait_until(condition: object, seconds: float = 20) -> None:
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def test_services_run_inside_the_block_and_not_after_it(data_folder: Path) -> None:
    with embedded():
        assert embedded_postgres().alive()
        assert embedded_redis().alive()
        with embedded_postgres().connect("lito") as connection:
            connection.execute("CREATE EXTENSION vector")
            found = connection.execute("SELECT '[1,2]'::vector <-> '[1,4]'::vector").fetchone()
            assert found == (2.0,)
    assert not embedded_postgres().runs()
    assert not embedded_redis().alive()


def test_rows_and_keys_are_there_at_the_next_start(data_folder: Path) -> None:
    with embedded():
        write_row("first")
        with redis_client() as client:
            client.set("key", "value")
    with embedded():
        assert rows() == ["first"]
        with redis_client() as client:
            assert client.get("key") == b"value"


def test_only_this_user_can_enter_data_and_sockets(data_folder: Path) -> None:
    with embedded():
        for folder in (data_folder / "postgres", data_folder / "redis", data_folder / "run"):
            assert folder.stat().st_mode & 0o777 == 0o700
        with embedded_postgres().connect() as connection:
            assert connection.execute("SHOW listen_addresses").fetchone() == ("",)


def test_committed_rows_survive_a_kill_of_both_servers(data_folder: Path) -> None:
    with embedded():
        write_row("committed")
        with redis_client() as client:
            client.xadd("stream", {"event": "one"})
            time.sleep(1.2)  # the log of Redis is written down once a second
        os.kill(postmaster(data_folder), signal.SIGKILL)
        os.kill(redis_process(), signal.SIGKILL)
        wait_until(lambda: not embedded_redis().alive())
        with embedded():
            assert rows() == ["committed"]
            with redis_client() as client:
                assert client.xlen("stream") == 1


def test_a_lock_file_that_names_a_foreign_process_is_stale(data_folder: Path) -> None:
    with embedded():
        write_row("kept")
        os.kill(postmaster(data_folder), signal.SIGKILL)
        wait_until(lambda: not embedded_postgres().runs())
    pid_file = data_folder / "postgres" / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    foreign = "\n".join([str(os.getpid()), *lines[1:]]) + "\n"
    pid_file.write_text(foreign)
    (data_folder / "run" / ".s.PGSQL.5432.lock").write_text(foreign)
    with embedded():
        assert rows() == ["kept"]


def test_the_last_of_two_commands_stops_what_the_first_started(data_folder: Path) -> None:
    first, second = hold(), hold()
    in_use(first)
    in_use(second)
    let_go(first)
    assert embedded_postgres().alive()
    assert embedded_redis().alive()
    let_go(second)
    wait_until(lambda: not embedded_postgres().runs() and not embedded_redis().alive())


def test_services_of_a_killed_command_do_not_stay_behind(data_folder: Path) -> None:
    holder = hold()
    in_use(holder)
    holder.kill()
    holder.communicate()
    wait_until(lambda: not embedded_postgres().runs() and not embedded_redis().alive())


def test_many_commands_that_start_at_once_share_one_server(data_folder: Path) -> None:
    holders = [hold() for _ in range(4)]
    for holder in holders:
        in_use(holder)
    assert embedded_postgres().alive()
    for holder in holders:
        let_go(holder)
    wait_until(lambda: not embedded_postgres().runs())


def test_a_folder_that_is_no_data_folder_is_refused_and_left_alone(data_folder: Path) -> None:
    account = service_account()
    cluster = private_directory(data_folder / "postgres", account)
    (cluster / "thesis.txt").write_text("precious")
    with pytest.raises(ServiceError, match=r"not a finished PostgreSQL data folder.*thesis\.txt"):
        embedded_postgres().start()
    assert (cluster / "thesis.txt").read_text() == "precious"


def test_a_damaged_data_folder_is_said_in_one_line(data_folder: Path) -> None:
    with embedded(redis=False):
        pass
    (data_folder / "postgres" / "global" / "pg_control").unlink()
    with pytest.raises(ServiceError, match="PostgreSQL did not start") as raised:
        embedded_postgres().start()
    assert "\n" not in str(raised.value)
    assert "postgres.log" in str(raised.value)


@pytest.mark.parametrize("name", ["with space and ünïcode", "x" * 120])
def test_any_path_will_do(data_folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("LITO_HOME", str(data_folder / name))
    try:
        with embedded():
            write_row("there")
            assert rows() == ["there"]
            assert len(os.fsencode(socket_directory())) <= LONGEST_SOCKET_DIRECTORY
    finally:
        if data_folder not in socket_directory().parents:
            shutil.rmtree(socket_directory())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has folders that nobody can enter")
def test_root_may_keep_its_home_where_nobody_can_enter(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = data_folder / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setenv("LITO_HOME", str(closed / "var"))
    elsewhere = services_directory()
    assert closed not in elsewhere.parents
    try:
        with embedded():
            write_row("there")
            assert rows() == ["there"]
        assert closed.stat().st_mode & 0o777 == 0o700
    finally:
        shutil.rmtree(elsewhere)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_an_ordinary_user_needs_no_rights(data_folder: Path) -> None:
    """The same program as user `daemon`, in a folder of its own."""
    if not os.access(sys.executable, os.X_OK) or _closed_to_others(Path(sys.executable)):
        pytest.skip("this Python lies in a folder that only root can enter")
    import pwd

    daemon = pwd.getpwnam("daemon")
    own = data_folder / "own"
    own.mkdir()
    os.chown(own, daemon.pw_uid, daemon.pw_gid)
    done = subprocess.run(
        [sys.executable, "-c", HOLD],
        cwd=ROOT,
        env={**os.environ, "LITO_HOME": str(own), "PYTHONDONTWRITEBYTECODE": "1"},
        input="\n",
        capture_output=True,
        text=True,
        check=False,
        user=daemon.pw_uid,
        group=daemon.pw_gid,
        extra_groups=[],
    )
    assert (done.returncode, done.stdout) == (0, "in\n"), done.stderr
    assert (own / "postgres").stat().st_uid == daemon.pw_uid


def test_a_folder_of_another_user_is_refused_in_one_line(data_folder: Path) -> None:
    account = service_account()
    if account.changes_user:
        (data_folder / "run").mkdir()  # root's, while the services run as nobody
    else:
        (data_folder / "run").symlink_to("/")
    with pytest.raises(ServiceError, match="belongs to another user"):
        private_directory(data_folder / "run", account)


def test_the_database_refuses_a_second_server_on_the_same_folder(data_folder: Path) -> None:
    with embedded(redis=False):
        before = postmaster(data_folder)
        embedded_postgres().start()
        assert postmaster(data_folder) == before
        duplicate = pytest.raises(psycopg.errors.DuplicateDatabase)
        with embedded_postgres().connect() as connection, duplicate:
            connection.execute("CREATE DATABASE lito")


def _closed_to_others(program: Path) -> bool:
    return any(not folder.stat().st_mode & 0o001 for folder in program.resolve().parents)


def test_leaving_the_services_to_others_is_no_forgotten_child(data_folder: Path) -> None:
    code = "from lito.services import embedded\nwith embedded(postgres=False): pass"
    done = subprocess.run(
        [sys.executable, "-W", "always::ResourceWarning", "-c", code],
        cwd=ROOT,
        env={**os.environ, "LITO_HOME": str(data_folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
