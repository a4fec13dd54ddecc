"""What a card marks: the confirmed words where they stand, and no other words that look alike."""

from typing import TYPE_CHECKING, Any

import pytest

from citations.citing import save_answer
from citations.markers import read_markers
from citations.models import Location
from citations.placing import place_citation
from citations.showing import show
from llm.configured import set_endpoints
from tests.citations.conftest import evidence_of

if TYPE_CHECKING:
    from documents.models import Version
    from projects.models import User

pytestmark = pytest.mark.usefixtures("redis")


LAST = "New sellers accept lower"


def card(version: "Version", location: Any, *pages: int, text: str = "A claim [1].") -> str:
    """The card's excerpt with the marked words in brackets."""
    evidence = {1: evidence_of(version, *pages)}
    answer = save_answer(
        project=version.project, segments=read_markers(text, evidence), evidence=evidence
    )
    citation = answer.citations.select_related("source__version__document").get()
    shown = show(citation, location(citation), slug=version.project.slug)
    return "".join(f"[{p.text}]" if p.marked else p.text for p in shown.pieces)


def placed(text: str, *spans: list[int]) -> Any:
    texts = text.split("|")
    regions = [{"page": page, "rects": []} for page in dict.fromkeys(s[0] for s in spans)]
    place = {"text": text, "texts": texts, "spans": list(spans), "regions": regions}
    return lambda _: Location(status="matched", places=[place])


@pytest.mark.parametrize(
    ("location", "pages", "expected"),
    [
        (
            placed("It was so.", [2, 48, 58]),
            (2,),
            "Buyers pay a premium for reputation. It was so. [It was so.] New sellers accept lower",
        ),
        (
            placed("pay|for", [2, 7, 10], [2, 21, 24]),
            (2,),
            f"Buyers [pay] a premium [for] reputation. It was so. It was so. {LAST}",
        ),
        (placed("a", [2, 1, 2]), (2,), "[a]"),
        (placed("It was so.", [1, 48, 58]), (2,), "[It was so.]"),
        (placed("lower", [2, 80, 85]), (2,), "[lower]"),
        (
            placed("lower", [2, 78, 83]),
            (2,),
            "Buyers pay a premium for reputation. It was so. It was so. New sellers accept [lower]",
        ),
    ],
)
def test_marks_lie_on_the_confirmed_spans(
    version: "Version", location: Any, pages: tuple[int, ...], expected: str
) -> None:
    assert card(version, location, *pages) == expected


def test_a_place_that_is_not_confirmed_marks_nothing(version: "Version") -> None:
    def ambiguous(citation: Any) -> Location:
        return Location(
            status="ambiguous", places=placed("It was so.", [2, 48, 58])(citation).places
        )

    assert "[" not in card(version, ambiguous, 2)


def test_a_located_quote_is_marked_in_its_evidence(reader: "User", version: "Version") -> None:
    set_endpoints(main=None)
    text = "“New sellers accept lower prices than old ones” [1]."
    shown = card(version, lambda c: place_citation(c, reader), 2, 3, text=text)
    assert "[New sellers accept lower] [prices than old ones]" in shown


def test_the_words_quoted_from_a_removed_paper_are_shown_and_not_marked(
    version: "Version",
) -> None:
    evidence = {1: evidence_of(version, 2)}
    answer = save_answer(
        project=version.project,
        segments=read_markers("“New sellers accept lower” [1].", evidence),
        evidence=evidence,
    )
    citation = answer.citations.select_related("source__version__document").get()
    shown = show(citation, Location(status="removed"), slug=version.project.slug)
    for pieces in (shown.pieces, shown.passage):
        assert [p.text for p in pieces if p.quoted] == ["New sellers accept lower"]
        assert not any(p.marked for p in pieces)
