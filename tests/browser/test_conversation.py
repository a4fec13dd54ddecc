"""The conversation page: lost streams, other tabs, refused questions, long questions."""

from collections.abc import Callable

from django.utils import timezone
from playwright.sync_api import Page, expect

from chat.branches import add_turn, show_branch
from chat.models import Run
from documents.models import Document
from llm.configured import set_endpoints
from llm.scripted import ScriptedEndpoint
from tests.browser.visiting import Site, box_of

Visit = Callable[..., Page]
LOOK_AGAIN = "setTimeout(() => dispatchEvent(new Event('focus')), 1100)"
LOST = "Connection lost, trying again…"


def new_turn(site: Site, question: str, state: str) -> Run:
    turn = add_turn(site.rows.conversation, question)
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


def test_questions_are_changed_in_their_place_and_branches_are_a_click_apart(
    visit: Visit, site: Site
) -> None:
    new_turn(site, "And then?", Run.State.DONE)
    page = visit(site.conversation)
    page.fill("#question", "half a thought")
    page.hover("#turn-1")
    page.click("#turn-1 .edit > summary")
    page.fill("#edit-1", "Why do markets for lemons fail?")
    page.keyboard.press("Escape")
    expect(page.locator("#turn-1 .question")).to_be_visible()
    page.click("#turn-1 .edit > summary")
    expect(page.locator("#edit-1")).to_have_value("Why do markets fail?")
    page.fill("#edit-1", "Why do markets for lemons fail?")
    page.keyboard.press("Enter")
    expect(page.locator(".turn")).to_have_count(1)
    expect(page.locator("#turn-1 .question")).to_have_text("Why do markets for lemons fail?")
    expect(page.locator("#turn-1 .branches")).to_contain_text("2 / 2")
    expect(page.locator("#question")).to_have_value("half a thought")
    page.focus("#previous-branch-1")
    page.keyboard.press("Enter")
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator("#turn-1 .branches")).to_contain_text("1 / 2")
    expect(page.locator("#previous-branch-1")).to_be_focused()
    expect(page.locator("#turn-1 a.cite")).to_have_count(1)


def test_what_another_tab_shows_by_now_takes_the_place_of_the_branch_here(
    visit: Visit, site: Site
) -> None:
    finish(new_turn(site, "And then?", Run.State.DONE))
    page = visit(site.conversation)
    expect(page.locator(".turn")).to_have_count(2)
    other = add_turn(site.rows.conversation, "Who sells lemons?", beside=site.rows.turn)
    Run.objects.create(turn=other, state=Run.State.DONE, outcome="answered")
    page.evaluate(LOOK_AGAIN)
    expect(page.locator(".turn")).to_have_count(1)
    expect(page.locator("#turn-1 .question")).to_have_text("Who sells lemons?")
    show_branch(site.rows.conversation, site.rows.turn)
    page.evaluate(LOOK_AGAIN)
    expect(page.locator("#turn-2 .question")).to_have_text("And then?")
    expect(page.locator("#turn-1 .question")).to_have_text("Why do markets fail?")


def test_papers_are_chosen_with_the_keyboard_and_go_along_with_the_question(
    visit: Visit, site: Site
) -> None:
    for title in ("Peaches and plums", "Used cars"):
        Document.objects.create(project=site.rows.project, title=title).versions.create(
            project=site.rows.project, sha256=title, file_name=title, size=1
        )
    page = visit(site.conversation)
    chip = page.locator("#ask [data-scope-words]")
    expect(chip).to_have_text("All papers")
    page.focus("[data-scope-open]")
    page.keyboard.press("Enter")
    expect(page.locator(".scope-papers li")).to_have_count(3)
    page.keyboard.type("used")
    expect(page.locator(".scope-papers li")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    expect(chip).to_have_text("1 of 3 papers")
    page.fill("#scope-q", "market")
    expect(page.locator(".scope-papers li")).to_contain_text("A market for lemons")
    page.check(".scope-papers [name=paper]")
    page.fill("#scope-q", "")
    page.check(".scope-find [name=only]")
    expect(page.locator(".scope-papers li")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(chip).to_have_text("2 of 3 papers")
    page.fill("#question", "And cars?")
    page.keyboard.press("Enter")
    expect(page.locator("#turn-2 .turn-scope")).to_have_text("2 of 3 papers")
    expect(chip).to_have_text("2 of 3 papers")
    page.click("#ask [data-scope-clear]")
    expect(chip).to_have_text("All papers")


def test_what_is_chosen_below_goes_along_when_a_question_is_answered_once_more(
    visit: Visit, site: Site
) -> None:
    page = visit(f"{site.conversation}?paper={site.rows.document.public_id}")
    page.click("#turn-1 .turn-actions form button")
    expect(page.locator("#turn-1 .branches")).to_contain_text("2 / 2")
    expect(page.locator("#turn-1 .turn-scope")).to_have_text("1 of 1 papers")


def test_an_answer_is_copied_with_its_citations(visit: Visit, site: Site) -> None:
    page = visit(site.conversation, permissions=["clipboard-read", "clipboard-write"])
    page.click("[data-copy-answer]")
    expect(page.locator("[data-copy-answer] span")).to_have_text("Copied")
    text = page.evaluate("navigator.clipboard.readText()")
    assert "Markets for lemons fail" in text
    assert f"({site.citation})" in text
    assert "G. Akerlof. A market for lemons." in text.replace("\\", "")
    kinds = page.evaluate("navigator.clipboard.read().then((all) => all[0].types)")
    assert set(kinds) == {"text/plain", "text/html"}


def test_what_is_chosen_below_stays_for_the_next_question(visit: Visit, site: Site) -> None:
    with ScriptedEndpoint([]) as server:
        set_endpoints(main=server.endpoint(), judges=False)
        page = visit(site.conversation)
        page.check("#ask [name=whole]")
        page.fill("#question", "And cars?")
        page.keyboard.press("Enter")
        expect(page.locator("#turn-2")).to_be_attached()
        expect(page.locator("#question")).to_have_value("")
        expect(page.locator("#ask [name=whole]")).to_be_checked()
        set_endpoints(main=None)


def test_a_way_of_working_is_chosen_for_one_question(visit: Visit, site: Site) -> None:
    page = visit(site.conversation)
    title = page.locator("#ask [data-skill-title]")
    plain = title.text_content() or ""
    page.click("#ask .skills > summary")
    page.click("#ask .skill:has([value=review])")
    expect(title).to_have_text("Review")
    expect(page.locator("#ask .skills > fieldset")).to_be_hidden()
    page.fill("#question", "What is known of lemons?")
    page.keyboard.press("Enter")
    expect(page.locator("#turn-2 .turn-skill")).to_have_text("Review")
    expect(title).to_have_text(plain)
