"""The conversation page: lost streams, other tabs, refused questions, long questions."""

from collections.abc import Callable

from django.utils import timezone
from playwright.sync_api import Page, expect

from chat.models import Run, Turn
from tests.browser.visiting import Site, box_of

Visit = Callable[..., Page]
LOOK_AGAIN = "setTimeout(() => dispatchEvent(new Event('focus')), 1100)"
LOST = "Connection lost, trying again…"


def new_turn(site: Site, question: str, state: str) -> Run:
    turn = Turn.objects.create(conversation=site.rows.conversation, number=2, question=question)
    return Run.objects.create(turn=turn, state=state, heartbeat_at=timezone.now())


def finish(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(state=Run.State.DONE, outcome="answered")


def test_a_lost_stream_is_said_calmly_and_comes_back_by_itself(visit: Visit, site: Site) -> None:
    run = new_turn(site, "And then?", Run.State.RUNNING)
    page = visit(site.url("library"))
    page.route("**/events/**", lambda route: route.abort("connectionfailed"))
    page.goto(site.conversation)
    expect(page.get_by_text(LOST)).to_be_visible(timeout=15_000)
    finish(run)
    page.unroute("**/events/**")
    expect(page.locator("#turn-2.is-done")).to_be_visible(timeout=20_000)
    expect(page.get_by_text(LOST)).to_have_count(0)


def test_a_second_tab_learns_of_a_question_asked_in_the_first(visit: Visit, site: Site) -> None:
    page = visit(site.conversation)
    expect(page.locator(".turn")).to_have_count(1)
    new_turn(site, "Asked elsewhere?", Run.State.DONE)
    page.evaluate(LOOK_AGAIN)
    expect(page.locator("#turn-2 .question")).to_have_text("Asked elsewhere?")
    page.evaluate(LOOK_AGAIN)
    page.wait_for_timeout(1500)
    expect(page.locator(".turn")).to_have_count(2)


def test_still_being_answered_goes_away_once_it_is_answered(visit: Visit, site: Site) -> None:
    page = visit(site.conversation)
    run = new_turn(site, "Asked elsewhere?", Run.State.RUNNING)
    page.fill("#question", "And here?")
    page.keyboard.press("Enter")
    expect(page.locator("#ask-error")).to_contain_text("still being answered")
    finish(run)
    expect(page.locator("#ask-error")).to_have_count(0, timeout=20_000)
    expect(page.locator("#question")).to_have_value("And here?")


def test_a_very_long_question_is_folded(visit: Visit, site: Site) -> None:
    new_turn(site, "Why do markets fail? " * 200, Run.State.DONE)
    page = visit(site.conversation)
    folded = box_of(page.locator("#turn-2 .question"))["height"]
    assert folded < 300
    page.click("#turn-2 .show-all")
    assert box_of(page.locator("#turn-2 .question"))["height"] > 2 * folded
