"""A conversation shared inside its project: read by members through a link, by nobody otherwise."""

import pytest
from django.test import Client
from django.urls import reverse

from chat import sharing
from chat.answering import answer_run
from chat.asking import begin_run
from chat.branches import show_branch
from chat.models import Conversation, Run
from citations.models import Answer
from projects.models import Membership, User
from tests.chat.libraries import Library
from tests.chat.test_answering import QUESTION, citations_of

CARDS = ("citation_card", "citation_evidence", "open_citation")


def url(name: str, *args: str) -> str:
    return reverse(name, args=("library", *args))


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def first(library: Library) -> Run:
    return library.ask(QUESTION)


@pytest.fixture
def asker(library: Library) -> Client:
    return signed_in(library.reader)


@pytest.fixture
def member(library: Library) -> Client:
    user = User.objects.create(username="member")
    Membership.objects.create(project=library.project, user=user, role=Membership.Role.VIEWER)
    return signed_in(user)


def link(conversation: Conversation) -> str:
    conversation.refresh_from_db()
    assert conversation.shared_id
    return url("shared_conversation", conversation.shared_id)


def statuses(client: Client, run: Run) -> set[int]:
    """What the cards, places and evidence of the run's citations answer."""
    found = citations_of(run)
    assert found
    return {client.get(url(name, one.public_id)).status_code for one in found for name in CARDS}


def test_members_read_it_by_its_link_until_that_is_taken_back(
    library: Library, first: Run, asker: Client, member: Client
) -> None:
    conversation = first.turn.conversation
    assert statuses(member, first) == {404}
    asker.post(url("share_conversation", conversation.public_id))
    address = link(conversation)
    page = member.get(address).content.decode()
    assert "premium of 8.1 %" in page
    assert library.reader.username in page
    assert statuses(member, first) == {200}
    assert address in asker.get(url("conversation", conversation.public_id)).content.decode()
    asker.post(url("unshare_conversation", conversation.public_id))
    assert member.get(address).status_code == 404
    assert statuses(member, first) == {404}
    asker.post(url("share_conversation", conversation.public_id))
    assert link(conversation) != address


def test_people_outside_the_project_find_nothing(
    library: Library, first: Run, member: Client
) -> None:
    sharing.share(first.turn.conversation)
    address = link(first.turn.conversation)
    stranger = signed_in(library.stranger)
    assert stranger.get(address).status_code == 404
    assert statuses(stranger, first) == {404}
    assert Client().get(address).status_code == 302
    Membership.objects.filter(user__username="member").delete()
    assert member.get(address).status_code == 404
    assert statuses(member, first) == {404}


def test_what_is_shared_ends_when_its_asker_leaves_the_project(
    library: Library, first: Run, member: Client
) -> None:
    sharing.share(first.turn.conversation)
    Membership.objects.filter(user=library.reader).delete()
    assert member.get(link(first.turn.conversation)).status_code == 404
    assert statuses(member, first) == {404}


def test_nobody_but_its_asker_can_change_or_export_it(
    library: Library, first: Run, member: Client
) -> None:
    conversation = first.turn.conversation
    sharing.share(conversation)
    page = member.get(link(conversation)).content.decode()
    for forbidden in ("data-ask", "data-edit", "hx-post", "<form", url("turn", first.public_id)):
        assert forbidden not in page.partition('id="turns"')[2].partition("</main>")[0].replace(
            f'data-turn-url="{url("turn", first.public_id)}"', ""
        )
    name = conversation.public_id
    for path in (
        url("ask_follow_up", name),
        url("rename_conversation", name),
        url("delete_conversation", name),
        url("share_conversation", name),
        url("unshare_conversation", name),
        url("ask_beside", first.public_id),
        url("show_branch", first.public_id),
        url("retry_run", first.public_id),
    ):
        assert member.post(path, {"question": "?", "title": "!"}).status_code == 404, path
    for path in (
        url("conversation", name),
        url("turn", first.public_id),
        url("go_to_turn", first.public_id),
        url("export_conversation", name, "md"),
        url("export_answer", first.public_id, "docx"),
    ):
        assert member.get(path).status_code == 404, path


def test_only_the_branch_that_is_shown_is_shared(
    library: Library, first: Run, member: Client
) -> None:
    conversation = first.turn.conversation
    sharing.share(conversation)
    fresh = begin_run(conversation, "储藏温度对蓝莓花青素有什么影响？", beside=first.turn)
    assert statuses(member, first) == {404}
    assert "8.1" not in member.get(link(conversation)).content.decode()
    answer_run(fresh.pk)
    berries = Run.objects.select_related("turn__answer").get(pk=fresh.pk)
    assert statuses(member, berries) == {200}
    show_branch(conversation, first.turn)
    assert statuses(member, berries) == {404}
    assert statuses(member, first) == {200}
    assert "蓝莓" not in member.get(link(conversation)).content.decode().partition('id="turns"')[2]


def test_what_is_asked_later_is_shared_once_it_is_answered(
    library: Library, first: Run, member: Client
) -> None:
    conversation = first.turn.conversation
    sharing.share(conversation)
    begun = library.queued("储藏温度对蓝莓花青素有什么影响？", conversation)
    assert "蓝莓" not in member.get(link(conversation)).content.decode().partition('id="turns"')[2]
    answer_run(begun.pk)
    later = Run.objects.select_related("turn__answer").get(pk=begun.pk)
    assert "turn-2" in member.get(link(conversation)).content.decode()
    assert statuses(member, later) == {200}


def test_sharing_twice_keeps_the_link_and_others_stay_as_they_are(
    library: Library, first: Run
) -> None:
    other = library.ask(QUESTION)
    conversation = first.turn.conversation
    sharing.share(conversation)
    address = link(conversation)
    sharing.share(conversation)
    assert link(conversation) == address
    assert set(Answer.objects.filter(shared=True)) == {first.turn.answer}
    assert other.turn.answer
    sharing.unshare(conversation)
    sharing.unshare(conversation)
    assert not Answer.objects.filter(shared=True).exists()
