"""A process for the supervisor's tests: says what it is told to and does what it is told to.

Not a test; run as `python -m tests.lito.spoken WHAT`.
"""

import json
import os
import subprocess
import sys
import time


def main(what: str) -> None:
    if what == "fail":
        sys.exit("the disk is on fire")
    if what == "warn":
        print(json.dumps({"level": "info", "event": "all is well"}), flush=True)
        print(json.dumps({"level": "warning", "event": "a model is slow", "error": "timeout"}))
        print("plain words", flush=True)
    if what == "parent":
        grandchild = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        print(grandchild.pid, flush=True)
    print(os.environ["LITO_HOME"], flush=True)
    time.sleep(600)


if __name__ == "__main__":
    main(sys.argv[1])
