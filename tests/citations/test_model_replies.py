"""How models answer when they choose the text of a page: what is drawn of it, and what never is."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from django.db import connections

from citations import placing, tasks
from citations.citing import save_answer
from citations.locating import Located
from citations.markers import read_markers
from citations.models import Citation, Location
from citations.placing import place_citation
from citations.selecting import select_on_page
from llm.configured import light_model, set_endpoints
from llm.port import ModelError
from llm.scripted import Says, ScriptedEndpoint
from tests.citations.conftest import evidence_of
from tests.citations.made_pages import searchable

if TYPE_CHECKING:
    from documents.models import Version
    from projects.models import User

pytestmark = pytest.mark.usefixtures("redis", "db")

PAGE = (
    "Warming slows growth in all regions [12]. The rate fell by 1.5 % in 2010,\nas com-\nputed by"
    " hand. It was so. It was so. 变暖减缓了所有地区的增长。Prices rose by -0.3 points."
)
GROWTH, RATE, COMPUTED = (
    "Warming slows growth in all regions",
    "The rate fell by 1.5 % in 2010",
    "as computed by hand",
)


@pytest.fixture(autouse=True)
def no_model() -> Iterator[None]:
    set_endpoints(main=None)
    yield
    set_endpoints(main=None)


def spans(*texts: str) -> str:
    return json.dumps({"spans": texts}, ensure_ascii=False)


@pytest.mark.parametrize(
    ("reply", "drawn"),
    [
        (spans(GROWTH), [GROWTH]),
        (spans(GROWTH + "."), [GROWTH]),
        (spans(RATE, GROWTH), [GROWTH, RATE]),
        (spans(GROWTH, RATE, COMPUTED), [GROWTH, RATE, "as com- puted by hand"]),
        (spans(GROWTH, GROWTH), [GROWTH]),
        (spans(GROWTH, "slows growth in all"), [GROWTH]),
        (spans("Warming slows growth", "slows growth in all regions"), [GROWTH]),
        (spans("变暖减缓了所有地区的增长"), ["变暖减缓了所有地区的增长"]),
        (spans("rose by -0.3 points"), ["rose by -0.3 points"]),
        (spans(f"“{GROWTH}”"), [GROWTH]),
        (spans(f"{GROWTH} [12]"), [f"{GROWTH} [12"]),
        (f"```json\n{spans(GROWTH)}\n```", [GROWTH]),
        (f"```\n{spans(GROWTH)}\n```\nI hope this helps!", [GROWTH]),
        (f"Sure! Here is the JSON:\n\n{spans(GROWTH)}", [GROWTH]),
        (f"Source [1] says so: {spans(GROWTH)}", [GROWTH]),
        (f"<think>The claim {{is}} about growth.</think>\n{spans(GROWTH)}", [GROWTH]),
        ("{" + spans(GROWTH) + "}", [GROWTH]),
        (json.dumps({"spans": GROWTH}), [GROWTH]),
        (json.dumps([GROWTH, RATE]), [GROWTH, RATE]),
        (json.dumps({"spans": [{"text": GROWTH}]}), [GROWTH]),
        (json.dumps({"spans": [{"span": GROWTH, "why": "it says so"}]}), [GROWTH]),
        (json.dumps({"quotes": [GROWTH]}), [GROWTH]),
        (json.dumps({"spans": [GROWTH], "confidence": 0.9, "page": 7}), [GROWTH]),
        (json.dumps({"spans": [GROWTH, "", None]}), [GROWTH]),
        (spans(f"{GROWTH} ... as computed by hand"), [GROWTH, "as com- puted by hand"]),
    ],
)
def test_what_a_model_means_is_understood(reply: str, drawn: list[str]) -> None:
    located, asked = select(reply)
    assert located.status == "matched"
    assert [text.rstrip(".,。]") for text in located.places[0].texts] == drawn
    assert asked == 1
    rects = [rect for region in located.places[0].regions for rect in region.rects]
    assert len(set(rects)) == len(rects)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (spans(), "none_chosen"),
        ('{"spans": null}', "none_chosen"),
        ('{"spans": ""}', "none_chosen"),
        ("[]", "none_chosen"),
        (spans("N/A"), "not_confirmed"),
        (spans("The page does not state this."), "not_confirmed"),
        (spans("Warming"), "not_confirmed"),
        (spans("It was so"), "not_confirmed"),
        (spans("The rate fell by 15 % in 2010"), "not_confirmed"),
        (spans("rose by 0.3 points"), "not_confirmed"),
        (spans("Warming slows the growth in all regions"), "not_confirmed"),
        (spans("变暖加快了所有地区的增长"), "not_confirmed"),
        (spans(GROWTH, "The rate rose by 1.5 % in 2010"), "not_confirmed"),
        (spans(GROWTH, RATE, COMPUTED, "rose by -0.3 points"), "not_confirmed"),
        (spans(f"{GROWTH} ... {RATE}", COMPUTED, "rose by -0.3 points"), "not_confirmed"),
        (spans(f"{RATE} ... {GROWTH}"), "not_confirmed"),
        (spans("Old words of the page before"), "not_confirmed"),
        (spans("Warming slows growth in all regions . . . by hand"), "not_confirmed"),
    ],
)
def test_what_cannot_be_confirmed_is_never_drawn(reply: str, reason: str) -> None:
    located, asked = select(reply)
    assert (located.status, located.reason, located.places) == ("unsupported_claim", reason, ())
    assert asked == 1


@pytest.mark.parametrize(
    "reply",
    [
        "I could not find a passage.",
        "{'spans': ['" + GROWTH + "']}",
        '{"spans": ["' + GROWTH,
        '{"spans": [1, 2]}',
        '{"spans": {"a": {"b": 1}}}',
        "true",
        '{"answer": "yes"}',
    ],
)
def test_a_reply_without_sense_is_asked_for_once_more_and_then_fails(reply: str) -> None:
    located, asked = select(reply, spans(GROWTH))
    assert (located.status, asked) == ("matched", 2)
    with pytest.raises(ModelError) as failed:
        select(reply, reply)
    assert failed.value.code == "bad_reply"


def select(*replies: str) -> tuple[Located, int]:
    """What comes of these replies over real HTTP, and how many requests were made."""
    pages = searchable("Old words of the page before.", PAGE)
    with ScriptedEndpoint([Says(reply) for reply in replies]) as endpoint:
        set_endpoints(main=endpoint.endpoint())
        model = light_model()
        assert model is not None
        located = select_on_page("A claim", pages, page=2, model=model)
        return located, len(endpoint.requests)


def claims_about(version: "Version", count: int) -> list[Citation]:
    evidence = {1: evidence_of(version, 1)}
    text = " ".join(f"Claim number {number} holds [1]." for number in range(count))
    answer = save_answer(
        project=version.project, segments=read_markers(text, evidence), evidence=evidence
    )
    return list(answer.citations.select_related("source__version__document"))


def test_one_user_can_only_have_so_many_requests_waiting(
    reader: "User", version: "Version"
) -> None:
    from projects.models import User

    most = placing.MOST_WAITING_PER_USER
    citations = claims_about(version, most + 2)
    other = User.objects.create_user("bo", password="right horse")
    with ScriptedEndpoint([]) as endpoint:
        set_endpoints(main=endpoint.endpoint())
        found = [place_citation(each, reader).status for each in citations]
        assert found == ["locating"] * most + ["busy"] * 2
        assert place_citation(citations[0], reader).status == "locating"  # it waits already
        assert place_citation(citations[-1], other).status == "locating"
        Location.objects.filter(user=reader).first().delete()  # type: ignore[union-attr]
        assert place_citation(citations[-1], reader).status == "locating"


def test_all_users_together_can_only_have_so_many_requests_waiting(
    reader: "User", version: "Version"
) -> None:
    from projects.models import User

    others = User.objects.bulk_create(User(username=f"u{n}") for n in range(placing.MOST_WAITING))
    rows = [Location(user=u, key="k", sha256="", status="locating") for u in others]
    Location.objects.bulk_create(rows)
    (citation,) = claims_about(version, 1)
    with ScriptedEndpoint([]) as endpoint:
        set_endpoints(main=endpoint.endpoint())
        assert place_citation(citation, reader).status == "busy"
        Location.objects.filter(user=others[0]).update(status="matched")
        assert place_citation(citation, reader).status == "locating"


@pytest.mark.django_db(transaction=True)
def test_requests_that_come_at_once_keep_to_the_bound(reader: "User", version: "Version") -> None:
    most = placing.MOST_WAITING_PER_USER
    citations = claims_about(version, most + 6)

    def hover(citation: Citation) -> str:
        try:
            return place_citation(citation, reader).status
        finally:
            connections.close_all()

    with ScriptedEndpoint([]) as endpoint, ThreadPoolExecutor(most + 6) as pool:
        set_endpoints(main=endpoint.endpoint())
        found = sorted(pool.map(hover, citations))
    assert found == ["busy"] * 6 + ["locating"] * most


@pytest.mark.django_db(transaction=True)
def test_one_claim_that_is_asked_for_at_once_costs_one_request(
    reader: "User", version: "Version"
) -> None:
    (citation,) = claims_about(version, 1)

    def hover(_: int) -> int:
        try:
            return place_citation(citation, reader).pk
        finally:
            connections.close_all()

    with ScriptedEndpoint([Says(spans("Warming slows growth"))]) as endpoint:
        set_endpoints(main=endpoint.endpoint())
        with ThreadPoolExecutor(8) as pool:
            rows = set(pool.map(hover, range(8)))
        (pk,) = rows
        for _ in range(3):
            tasks.locate_claim(pk, citation.pk)
        assert place_citation(citation, reader).status == "matched"
        assert len(endpoint.requests) == 1
