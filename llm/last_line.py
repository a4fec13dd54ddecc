"""Whether a stream of server-sent events came to the end that its server meant."""

from collections.abc import Iterator

import httpx2

_END = b"data: [DONE]"
_KEPT = 64


class WatchedBody(httpx2.SyncByteStream):
    """The body of a response that remembers how it ended."""

    def __init__(self, body: httpx2.SyncByteStream) -> None:
        self._body = body
        self._last = b""

    @property
    def is_done(self) -> bool:
        """Whether the last line is `[DONE]`: some servers end so without a `finish_reason`."""
        return self._last.rstrip().replace(b"data:[", b"data: [").endswith(_END)

    def __iter__(self) -> Iterator[bytes]:
        for part in self._body:
            self._last = (self._last + part)[-_KEPT:]
            yield part

    def close(self) -> None:
        self._body.close()
