"""Real processes for tests: forked, so that they cost nothing, and killed as a machine kills."""

import os
import signal
import sys
import traceback
from collections.abc import Callable

FILE_OPERATIONS = frozenset({"open", "os.rename", "os.remove", "os.mkdir", "os.scandir"})


def start(work: Callable[[], object]) -> int:
    """The id of a child that does `work` and ends with 0, or with 1 if it raised."""
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
    except BaseException:  # noqa: BLE001 - the child must never go on with its parent's work
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def outcome(pid: int) -> int:
    """The exit status of a child, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def killed_before(number: int, work: Callable[[], object]) -> bool:
    """Do `work` in a child that is killed before its `number`th file operation from 1 on.

    False if it was done before that.
    """

    def counted() -> None:
        seen = 0

        def count(event: str, _arguments: object) -> None:
            nonlocal seen
            if event in FILE_OPERATIONS:
                seen += 1
                if seen == number:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        work()

    ended = outcome(start(counted))
    assert ended in (0, -signal.SIGKILL)
    return ended != 0
