"""Becomes the command it is given, one that ends when its supervisor does, however that ends.

A plain script that imports nothing of Lito: it runs for a few milliseconds before each process.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    supervisor, command = int(sys.argv[1]), sys.argv[2:]
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != supervisor:  # it ended before the line above
        sys.exit(1)
    os.execv(command[0], command)  # noqa: S606  (a list, and no shell)


if __name__ == "__main__":
    main()
