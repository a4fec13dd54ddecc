"""The browsers of `benchmark stream` see a loss, a repetition and a wrong order."""

import asyncio

import pytest

from lito.stream_benchmark import EVENTS, _all_open, _lost
from lito.stream_clients import Follower, Site, StreamRefusedError


def page(*numbers: int) -> Follower:
    words = " ".join(f"W{number}t1000 word" for number in numbers)
    return Follower(Site(1, ""), "/", blocks=[f"<p>{words}</p>"])


WHOLE = tuple(range(EVENTS))


@pytest.mark.parametrize(
    ("seen", "lost"),
    [
        (WHOLE, 0),
        (WHOLE[:-1], 1),
        ((*WHOLE, EVENTS - 1), 1),
        ((1, 0, *WHOLE[2:]), 2),
        ((), EVENTS),
    ],
)
def test_what_a_page_lacks_repeats_or_misplaces_counts_as_lost(
    seen: tuple[int, ...], lost: int
) -> None:
    assert _lost([page(*seen)]) == lost


def test_a_stream_that_is_refused_is_said_at_once() -> None:
    async def refuse(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
        writer.close()

    async def follow() -> None:
        async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
            follower = Follower(Site(server.sockets[0].getsockname()[1], ""), "/gone/")
            await asyncio.wait_for(
                _all_open([follower], [asyncio.create_task(follower.follow())]), 10
            )

    with pytest.raises(StreamRefusedError, match="/gone/ answered 404"):
        asyncio.run(follow())
