"""The child of `documents.isolated.isolation`: reads one request after the other and answers it.

It limits itself too: memory by the operating system, time by an alarm that kills it a little after
the time that its parent grants. And it ends with its parent, whatever it is doing.
"""

import fcntl
import json
import os
import resource
import select
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

Answer = tuple[dict[str, Any], bytes]
Operation = Callable[..., Answer]
GRACE_SECONDS = 5


def main() -> None:
    """Serve until standard input ends."""
    requests, replies = _private_pipes()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    skill, megabytes = sys.argv[1:3]
    alarm = signal.ITIMER_REAL if skill == "text" else signal.ITIMER_PROF
    operations = _operations(skill)
    _limit_memory(int(megabytes))
    _write(replies, {"ready": True}, b"")
    while (request := _read_request(requests)) is not None:
        seconds = float(request.pop("seconds"))
        signal.setitimer(alarm, seconds + GRACE_SECONDS)
        with _ending_with_parent(requests):
            values, payload = _answer(operations[request.pop("operation")], request)
        signal.setitimer(alarm, 0)
        _write(replies, values, payload)


def _operations(skill: str) -> dict[str, Operation]:
    """What a child with this skill can do. Its libraries are loaded here, before the limits."""
    if skill == "layout":
        from documents.engines import layout_operations

        return layout_operations.OPERATIONS
    # Without its layout models the PDF library starts in a third of the time and 80 MB smaller.
    sys.modules["pymupdf.layout"] = None  # type: ignore[assignment]
    if skill == "docling":
        from documents.engines import docling_operations

        return docling_operations.OPERATIONS
    if skill == "ocr":
        from documents.engines import ocr_operations

        return ocr_operations.OPERATIONS
    from documents.isolated import pdf_operations

    return pdf_operations.OPERATIONS


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Our two pipes, with the usual descriptors turned to nowhere: libraries print to them."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    return requests, replies


@contextmanager
def _ending_with_parent(requests: BinaryIO) -> Iterator[None]:
    """In this block the system ends this process, deep inside a library as it may be, when the
    parent is gone.

    Nothing comes through the pipe while a request is worked on. If something happens to it all the
    same, the parent's end was closed, and the system sends SIGIO.
    """
    flags = fcntl.fcntl(requests, fcntl.F_GETFL)
    fcntl.fcntl(requests, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(requests, fcntl.F_SETFL, flags | os.O_ASYNC)
    if select.select([requests], [], [], 0)[0]:  # it was gone before
        sys.exit()
    yield
    fcntl.fcntl(requests, fcntl.F_SETFL, flags)


def _limit_memory(megabytes: int) -> None:
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limit = taken + megabytes * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read_request(requests: BinaryIO) -> dict[str, Any] | None:
    prefix = requests.read(4)
    if len(prefix) < 4:
        return None
    (size,) = struct.unpack("!I", prefix)
    request: dict[str, Any] = json.loads(requests.read(size))
    return request


def _answer(operation: Operation, arguments: dict[str, Any]) -> Answer:
    try:
        return operation(**arguments)
    except MemoryError:
        return {"failure": "out_of_memory"}, b""
    except Exception as error:  # noqa: BLE001 - whatever a hostile file does ends here
        detail = f"{type(error).__name__}: {error}"[:300]
        if "malloc" in detail or "calloc" in detail or "realloc" in detail:
            return {"failure": "out_of_memory", "detail": detail}, b""
        return {"failure": "refused", "detail": detail}, b""


def _write(replies: BinaryIO, values: dict[str, Any], payload: bytes) -> None:
    body = json.dumps({**values, "payload": len(payload)}).encode()
    replies.write(struct.pack("!I", len(body)) + body + payload)
    replies.flush()


if __name__ == "__main__":
    main()
