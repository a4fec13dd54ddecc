"""Looks at citations are counted; readers may call a place wrong; admins see rates, no words."""

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from citations.citing import save_answer
from citations.markers import read_markers
from citations.models import Citation, Signal
from citations.signals import Action, call_wrong, is_called_wrong, kind_of, record, report
from tests.citations.conftest import evidence_of

if TYPE_CHECKING:
    from documents.models import Version
    from projects.models import User

pytestmark = pytest.mark.usefixtures("redis")

CONFIRMED = "“The rate fell by 1.5 % in 2010” [1]."
ABSENT = "“A sentence that no page of the paper holds at all” [1]."


def cite(version: "Version", text: str, owner: "User | None" = None) -> Citation:
    evidence = {1: evidence_of(version, 1)}
    answer = save_answer(
        project=version.project, segments=read_markers(text, evidence), evidence=evidence
    )
    answer.owner = owner
    answer.save()
    return answer.citations.select_related("answer", "source__version__document").get()


def url(name: str, citation: Citation) -> str:
    return reverse(name, args=(citation.answer.project.slug, citation.public_id))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (CONFIRMED, "number"),
        (ABSENT, "quote"),
        ("“growth in all” [1].", "short"),
        ("Growth slows where it is warm [1].", "claim"),
    ],
)
def test_events_know_what_had_to_be_looked_for(version: "Version", text: str, kind: str) -> None:
    assert kind_of(cite(version, text)) == kind


def test_a_hover_and_an_opening_are_events_with_what_came_of_them(
    version: "Version", reader: "User", client: Client
) -> None:
    client.force_login(reader)
    citation = cite(version, CONFIRMED)
    client.get(url("citation_card", citation))
    client.get(url("open_citation", citation))
    events = Signal.objects.order_by("pk").values_list("action", "status", "quote_kind")
    assert list(events) == [
        ("locate", "matched", "number"),
        ("hover", "matched", "number"),
        ("open", "matched", "number"),
    ]
    hover = Signal.objects.get(action="hover")
    assert (hover.user, hover.version, hover.project) == (reader, version, version.project)
    assert hover.milliseconds is not None


def test_a_place_is_called_wrong_with_one_click_and_taken_back_with_another(
    version: "Version", reader: "User", client: Client
) -> None:
    client.force_login(reader)
    citation = cite(version, CONFIRMED)
    client.post(url("call_wrong", citation), {"wrong": "1"})
    page = client.post(url("call_wrong", citation), {"wrong": "1"}, follow=True)
    assert "Marked as wrong" in page.content.decode()
    assert Signal.objects.filter(action="wrong").count() == 1
    page = client.post(url("call_wrong", citation), {"wrong": "0"}, follow=True)
    assert "Marked as wrong" not in page.content.decode()
    assert not is_called_wrong(citation, reader)


def test_each_kind_of_event_says_who_what_came_of_it_and_how_long_it_took(
    version: "Version", reader: "User", client: Client
) -> None:
    client.force_login(reader)
    citation = cite(version, CONFIRMED)
    client.get(url("citation_card", citation))
    client.get(url("open_citation", citation))
    client.post(url("call_wrong", citation), {"wrong": "1"})
    events = list(Signal.objects.order_by("pk"))
    assert [event.action for event in events] == ["locate", "hover", "open", "wrong"]
    for event in events:
        assert (event.user, event.citation, event.status) == (reader, citation, "matched")
        assert event.milliseconds is not None


def test_the_card_and_the_reader_each_get_their_own_part_back(
    version: "Version", reader: "User", client: Client
) -> None:
    client.force_login(reader)
    citation = cite(version, CONFIRMED)
    headers = {"HX-Request": "true"}
    card = client.post(url("call_wrong", citation), {"wrong": "1", "on": "card"}, headers=headers)
    strip = client.post(url("call_wrong", citation), {"wrong": "1"}, headers=headers)
    assert "card-body" in card.content.decode()
    assert 'id="evidence"' in strip.content.decode()


def test_nothing_can_be_called_wrong_where_nothing_is_drawn(
    version: "Version", reader: "User", client: Client
) -> None:
    client.force_login(reader)
    card = client.get(url("citation_card", cite(version, ABSENT))).content.decode()
    assert "Wrong?" not in card


def test_rates_count_looks_and_failures_by_week_paper_and_kind(
    version: "Version", reader: "User"
) -> None:
    found, absent = cite(version, CONFIRMED), cite(version, ABSENT)
    for status in ("matched", "matched", "newer_version", "not_found", "removed", "locating"):
        record(Action.HOVER, found, reader, status)
    record(Action.OPEN, absent, reader, "ambiguous")
    record(Action.LOCATE, absent, reader, "not_found", milliseconds=40)
    call_wrong(found, reader, "matched", wrong=True)
    old = timezone.now() - timedelta(weeks=30)
    Signal.objects.filter(status="newer_version").update(at=old)

    seen = report()

    assert (seen.total.looked, seen.total.failed, seen.total.wrong) == (4, 2, 1)
    assert [(w.looked, w.failed, w.wrong) for w in seen.weeks] == [(4, 2, 1)]
    assert [(d.name, d.looked, d.failed) for d in seen.documents] == [("A paper on markets", 4, 2)]
    assert [(k.name, k.looked, k.failed, k.wrong) for k in seen.kinds] == [
        ("number", 3, 1, 1),
        ("quote", 1, 1, 0),
    ]
    assert {s.name: (s.looked, s.failed) for s in seen.statuses} == {
        "matched": (2, 0),
        "not_found": (1, 1),
        "ambiguous": (1, 1),
    }
    assert seen.locating_ms == (40, 40)


def test_admins_see_rates_and_not_a_word_of_answers(
    version: "Version", reader: "User", client: Client
) -> None:
    citation = cite(version, ABSENT, owner=reader)
    record(Action.HOVER, citation, reader, "not_found")
    client.force_login(reader)
    assert client.get(reverse("click_signals")).status_code == 404
    reader.is_staff = True
    reader.save()
    page = client.get(reverse("click_signals")).content.decode()
    assert "A paper on markets" in page
    assert "no page of the paper holds" not in page


def test_the_page_says_so_when_nobody_has_looked_yet(reader: "User", client: Client) -> None:
    reader.is_staff = True
    reader.save()
    client.force_login(reader)
    assert "Nobody has looked" in client.get(reverse("click_signals")).content.decode()
