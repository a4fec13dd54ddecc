"""What `make` says on a machine that Lito can't run on, and where it can."""

import pytest

from lito.install import LOCKS, ROOT, unsupported

HERE = ((3, 11), "linux", "x86_64", "glibc")


@pytest.mark.parametrize("version", [(3, 11), (3, 12), (3, 13)])
def test_supported_pythons_are_welcome(version: tuple[int, int]) -> None:
    assert unsupported(version, *HERE[1:]) == ""


@pytest.mark.parametrize(
    ("version", "system", "machine", "libc", "advice"),
    [
        ((3, 10), "linux", "x86_64", "glibc", "this is 3.10: install one of them"),
        ((3, 14), "linux", "x86_64", "glibc", "this is 3.14: install one of them"),
        ((3, 12), "darwin", "arm64", "", "install Docker and run docker compose up"),
        ((3, 12), "linux", "aarch64", "glibc", "install Docker and run docker compose up"),
        ((3, 12), "linux", "x86_64", "musl", "use Debian or the like"),
    ],
)
def test_others_are_told_what_to_do_in_one_line(
    version: tuple[int, int], system: str, machine: str, libc: str, advice: str
) -> None:
    said = unsupported(version, system, machine, libc)
    assert advice in said
    assert "\n" not in said


def test_every_lock_pins_every_package() -> None:
    for locks in LOCKS.values():
        for lock in locks:
            lines = (ROOT / lock).read_text().splitlines()
            packages = [line for line in lines if line and not line.startswith("#")]
            assert packages
            assert [line for line in packages if "==" not in line] == []


def test_the_locks_agree_on_every_version() -> None:
    app, dev, bge = (
        {line for line in (ROOT / lock).read_text().splitlines() if "==" in line}
        for lock in ("requirements.lock", "requirements-dev.lock", "requirements-bge.lock")
    )
    assert app <= dev
    names = {line.split("==")[0].strip() for line in dev}
    shared = {line for line in bge if line.split("==")[0].strip() in names}
    assert {line.split(";")[0].strip() for line in shared} <= {
        line.split(";")[0].strip() for line in dev
    }
