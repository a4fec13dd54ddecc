"""Waits until nobody uses the embedded services any more, then stops them.

Ordinarily the last user stops them on leaving. The keeper is there for users that were killed: the
kernel drops their locks, and no server stays behind.
"""

import fcntl
import os
import signal
import sys
from io import FileIO

from lito.paths import home


def main() -> None:
    """Runs with the lock that makes it the only keeper inherited as the given descriptor."""
    keeping = int(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    users = FileIO(home() / "services.users", "a")
    fcntl.flock(users, fcntl.LOCK_EX)
    # Imported only now: for most of its life a keeper should weigh next to nothing.
    from lito.services.running import stop_all

    stop_all()
    os.close(keeping)  # before the other lock, so that whoever comes next brings a keeper again
    users.close()


if __name__ == "__main__":
    main()
