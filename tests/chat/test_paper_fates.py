"""What became of each paper of a run: small to keep, and told for every paper in scope."""

import json
from collections.abc import Sequence

import pytest
from django.test import Client

from chat.models import Run
from chat.paper_fates import KeptFates, PaperFate, PaperRecord, keys_of, ranges_of
from chat.why_not import ROWS_PER_PAGE, fate_words, why_not
from documents.models import Version
from llm.scripted import Says
from retrieval.tracing import Cut, Fate, PaperTrace
from tests.chat.libraries import Library, Scripted
from tests.chat.test_answering import QUESTION, search
from tests.retrieval.papers import add_paper, remove_paper


def traced(file_id: str, status: Fate, by: Cut | None = None) -> PaperTrace:
    return PaperTrace(f"d-{file_id}", file_id, f"Paper {file_id}", status, by)


def record_of(*searches: Sequence[PaperTrace], scope: Sequence[str] = "abcdef") -> PaperRecord:
    record = PaperRecord({file_id: place for place, file_id in enumerate(scope, start=1)})
    for papers in searches:
        record.see(papers)
    return record


@pytest.mark.parametrize(
    ("searches", "kept"),
    [
        ([(traced("a", Fate.NOT_RECALLED),)], {}),
        ([(traced("a", Fate.CUT, Cut.LIMIT),)], {"a": "cut:limit"}),
        (
            [(traced("a", Fate.CUT, Cut.LIMIT),), (traced("a", Fate.NOT_SELECTED),)],
            {"a": "not_selected"},
        ),
        (
            [(traced("a", Fate.GIVEN),), (traced("a", Fate.CUT, Cut.LIMIT),)],
            {"a": "given"},
        ),
        (
            [(traced("a", Fate.CUT, Cut.LIMIT),), (traced("a", Fate.CUT, Cut.STRAY_KEYWORDS),)],
            {"a": "cut:limit"},
        ),
        (
            [(traced("a", Fate.CUT, Cut.STRAY_KEYWORDS),), (traced("a", Fate.CUT, Cut.LIMIT),)],
            {"a": "cut:limit"},
        ),
    ],
)
def test_the_best_that_happened_to_a_paper_is_kept(
    searches: list[tuple[PaperTrace, ...]], kept: dict[str, str]
) -> None:
    assert record_of(*searches).as_json(given=(), cited=())["found"] == kept


def test_what_was_cited_counts_more_than_what_was_given() -> None:
    record = record_of([traced("a", Fate.GIVEN), traced("b", Fate.GIVEN)])
    kept = record.as_json(given=("a", "b", "c"), cited=("b",))
    assert kept["found"] == {"a": "given", "b": "cited", "c": "given"}


def test_papers_that_no_search_looked_through_are_told_apart() -> None:
    record = record_of([traced("a", Fate.NOT_RECALLED), traced("b", Fate.GIVEN)], scope="abc")
    fates = KeptFates.from_trace({"papers": record.as_json(given="b", cited=())})
    assert fates is not None
    assert fates.fate(1, "a") == (PaperFate.NOT_RECALLED, "")
    assert fates.fate(2, "b") == (PaperFate.GIVEN, "")
    assert fates.fate(3, "c") == (PaperFate.UNSEARCHED, "")


def test_a_thousand_papers_take_little_room() -> None:
    names = [f"{number:016d}" for number in range(1000)]
    record = PaperRecord({name: 5000 + place for place, name in enumerate(names)})
    found = [traced(name, Fate.CUT, Cut.CANDIDATES) for name in names[:60]]
    record.see([*found, *(traced(name, Fate.NOT_RECALLED) for name in names[60:])])
    kept = record.as_json(given=names[:12], cited=names[:3])
    assert kept["scope"] == [[5000, 5999]]
    assert len(json.dumps(kept)) < 4000


def test_ranges_give_back_their_keys() -> None:
    keys = {1, 2, 3, 7, 9, 10}
    assert keys_of(ranges_of(keys)) == keys
    assert ranges_of([]) == []


@pytest.mark.parametrize("fate", list(PaperFate))
@pytest.mark.parametrize("by", ["", *map(str, Cut), "something new"])
def test_every_fate_has_words(fate: PaperFate, by: str) -> None:
    words = fate_words(fate, by)
    assert words.name
    assert words.sentence


@pytest.fixture
def run(library: Library, scripted: Scripted) -> Run:
    with scripted([search(), Says("They do [1].")]):
        return library.ask(QUESTION)


def test_a_run_tells_what_became_of_each_paper(library: Library, run: Run) -> None:
    page = why_not(run)
    assert page is not None
    assert page.total == 3
    assert sum(each.count for each in page.counts) == 3
    assert page.rows[0].words.name == "cited"
    assert all("papers" not in traced["search"] for traced in run.trace["searches"])


def test_papers_that_came_later_are_not_in_its_scope(library: Library, run: Run) -> None:
    add_paper(library.project, "A later paper", [("text", "Results", "Sellers and prices.")])
    page = why_not(run)
    assert page is not None
    assert "A later paper" not in {row.title for row in page.rows}


def test_a_paper_that_left_is_named_without_a_link(library: Library, run: Run) -> None:
    gone = Version.objects.get(document__title="The market for lemons")
    remove_paper(gone)
    page = why_not(run, query="LEMONS")
    assert page is not None
    (row,) = page.rows
    assert (row.read_url, row.search_url) == ("", "")


def test_many_papers_are_paged_and_looked_up(library: Library, scripted: Scripted) -> None:
    for number in range(ROWS_PER_PAGE + 5):
        add_paper(library.project, f"Otters {number:02d}", [("text", "", f"Otters swim {number}.")])
    with scripted([search(), Says("They do [1].")]):
        run = library.ask(QUESTION)
    first, last = why_not(run), why_not(run, number=99)
    assert first is not None
    assert last is not None
    assert (first.total, len(first.rows), first.following) == (ROWS_PER_PAGE + 8, ROWS_PER_PAGE, 2)
    assert (last.number, len(last.rows), last.following) == (2, 8, None)
    found = why_not(run, query="otters 07")
    assert found is not None
    assert [row.title for row in found.rows] == ["Otters 07"]
    cited = why_not(run, fate="cited")
    assert cited is not None
    assert cited.found == 1


def test_an_answer_without_a_search_has_nothing_to_tell(
    library: Library, scripted: Scripted, client: Client
) -> None:
    with scripted([Says("Hello."), Says("Hello.")]):
        run = library.ask("Hello")
    assert why_not(run) is None
    client.force_login(library.reader)
    url = f"/p/{library.project.slug}/runs/{run.public_id}/papers/"
    assert "Nothing was kept of this" in client.get(url).content.decode()


def test_the_list_is_its_askers_alone(library: Library, run: Run, client: Client) -> None:
    url = f"/p/{library.project.slug}/runs/{run.public_id}/papers/"
    assert client.get(url).status_code == 302
    client.force_login(library.stranger)
    assert client.get(url).status_code == 404
    client.force_login(library.reader)
    page = client.get(url).content.decode()
    assert "The market for lemons" in page
    part = client.get(url, headers={"HX-Request": "true"}).content.decode()
    assert part.strip().startswith('<div class="why-not-papers"')
