"""The browsers of `benchmark stream` see a loss, a repetition and a wrong order."""

import pytest

from lito.stream_benchmark import EVENTS, _lost
from lito.stream_clients import Follower, Site


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
