"""Reading a slow network in a thread of its own, so that whoever waits can look up and leave."""

import queue
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar, cast

from llm.port import Waiting

Item = TypeVar("Item")

LOOK_UP_SECONDS = 0.2
_END = object()


def with_waiting(
    open_stream: Callable[[], Iterator[Item]], *, close: Callable[[], None]
) -> Iterator[Item | Waiting]:
    """Yield what the opened stream yields, and `Waiting` while it is silent.

    When the consumer leaves early, `close` is called to break the network read, and the thread
    ends at the latest with the read's time limit. An error in the thread is raised here.
    """
    arrived: queue.SimpleQueue[object] = queue.SimpleQueue()
    left = threading.Event()

    def read() -> None:
        try:
            _put_all(open_stream(), arrived, left)
        except Exception as problem:  # noqa: BLE001 - handed to the consumer, which raises it
            arrived.put(_Raised(problem))
        finally:
            if left.is_set():
                close()

    threading.Thread(target=read, name="model-stream", daemon=True).start()
    try:
        while True:
            part = _next_of(arrived)
            if part is _END:
                return
            if isinstance(part, _Raised):
                raise part.problem
            yield cast("Item | Waiting", part)
    finally:
        left.set()
        close()


def _put_all(
    stream: Iterator[Item], arrived: "queue.SimpleQueue[object]", left: threading.Event
) -> None:
    for part in stream:
        if left.is_set():
            return
        arrived.put(part)
    arrived.put(_END)


def _next_of(arrived: "queue.SimpleQueue[object]") -> object:
    try:
        return arrived.get(timeout=LOOK_UP_SECONDS)
    except queue.Empty:
        return Waiting()


class _Raised:
    def __init__(self, problem: Exception) -> None:
        self.problem = problem
