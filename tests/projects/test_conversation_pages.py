import re

from django.test import Client
from django.urls import reverse

from chat.models import Run, Turn
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
        turn = Turn.objects.create(
            conversation=rows.conversation, number=number, question=f"Question {number}?"
        )
        Run.objects.create(turn=turn, state=Run.State.DONE, outcome="answered")
    client.force_login(rows.people["viewer"])
    url = reverse("conversation", args=(rows.project.slug, rows.conversation.public_id))
    assert turns_shown(client, url) == list(range(3, last + 1))
    assert turns_shown(client, f"{url}?before=3") == [1, 2]
    assert turns_shown(client, f"{url}?before=nonsense") == list(range(3, last + 1))
    assert b"?before=3" in client.get(url).content
    assert b"?before=" not in client.get(f"{url}?before=3").content
