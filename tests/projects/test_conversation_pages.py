import re

import pytest
from django.test import Client
from django.urls import reverse

from chat.branches import add_turn
from chat.models import Run
from chat.showing import TURNS_AT_ONCE
from tests.projects.library_rows import Rows


def turns_shown(client: Client, url: str) -> list[int]:
    html = client.get(url).content.decode()
    return [int(number) for number in re.findall(r'id="turn-(\d+)"', html)]


def test_a_long_conversation_shows_its_latest_turns_and_a_way_to_the_others(
    rows: Rows, client: Client, redis: object
) -> None:
    last = TURNS_AT_ONCE + 2
    for number in range(2, last + 1):
        turn = add_turn(rows.conversation, f"Question {number}?")
        Run.objects.create(turn=turn, state=Run.State.DONE, outcome="answered")
    client.force_login(rows.people["viewer"])
    url = reverse("conversation", args=(rows.project.slug, rows.conversation.public_id))
    assert turns_shown(client, url) == list(range(3, last + 1))
    assert turns_shown(client, f"{url}?before=3") == [1, 2]
    assert turns_shown(client, f"{url}?before=nonsense") == list(range(3, last + 1))
    assert b"?before=3" in client.get(url).content
    assert b"?before=" not in client.get(f"{url}?before=3").content


def fate(name: str, number: int) -> dict[str, object]:
    return {
        "fate": name,
        "citation": f"c{number}",
        "claim": "Sellers wait.",
        "title": "A market for lemons",
        "number": number,
        "now": None,
        "now_number": None if name == "dropped" else number,
    }


@pytest.mark.parametrize(
    ("fates", "language", "line", "is_open"),
    [
        (
            "kept kept moved kept " + "dropped " * 3,
            "en",
            "4 of 7 citations kept, 3 dropped",
            True,
        ),
        ("kept merged dropped", "en", "1 of 3 citations kept, 1 merged, 1 dropped", True),
        ("dropped", "en", "0 of 1 citation kept, 1 dropped", True),
        ("kept kept", "en", "2 of 2 citations kept", False),
        ("kept dropped", "zh-hans", "2 条引用中保留了 1 条、删去 1 条", True),
    ],
)
def test_a_rewrite_says_how_many_citations_it_kept_and_opens_the_list_if_any_is_gone(
    rows: Rows, client: Client, redis: object, fates: str, language: str, line: str, is_open: bool
) -> None:
    rows.run.retention = [fate(name, at) for at, name in enumerate(fates.split(), 1)]
    rows.run.save()
    client.force_login(rows.people["viewer"])
    client.cookies["django_language"] = language
    url = reverse("turn", args=(rows.project.slug, rows.run.public_id))
    html = client.get(url).content.decode()
    assert f"<span>{line}</span>" in html
    assert ('<details class="fold retention" open>' in html) == is_open
