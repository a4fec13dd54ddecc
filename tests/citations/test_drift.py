"""Papers are read anew by another parser: every anchor leads to the same characters, or says not.

The other parser gives each character its box, so that a carried span is judged by where it is on
the page and not by how it reads.
"""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from citations.anchoring import Anchor
from citations.citing import CitedEvidence, save_answer
from citations.drift import follow_anchors
from citations.following import follow_documents
from citations.models import Answer, Citation, Location
from citations.placing import place_citation
from citations.segments import CiteSegment, Segment, TextSegment
from citations.showing import show
from documents import ingestion
from documents.chunks.chunk_text import text_of
from documents.models import Chunk, Page, ParsedFile, Version
from documents.pages.page_text import ParsedPage
from documents.parsing import PARSER
from documents.reading_labels import reading_label
from documents.readings import swap
from documents.rereading import WayOfReading, reread
from documents.stored_pages import page_texts
from documents.uploads import add_file
from projects.models import AuditEvent, Project, User
from tests.documents.other_parser import NAME, OTHER, other_pages
from tests.documents.pdf_making import make_pdf
from tests.documents.scans import write_scan

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]

SAMPLE: tuple[str, ...] = (
    "en_joss_aorsf.pdf",
    "en_joss_lifetimeRisk.pdf",
    "en_arxiv_0908.0054.pdf",
    "zh_pair2_hbn.pdf",
    "zh_paper_poems.pdf",
)
"""One and two columns, English and Chinese: some 200 passages. All papers take much longer:
`LITO_WHOLE_CORPUS=1 make test TESTS=tests/citations/test_drift.py`.
"""
CORPUS = Path("../shared/corpus/papers")
PAPERS = SAMPLE
if os.environ.get("LITO_WHOLE_CORPUS") and CORPUS.is_dir():
    PAPERS = tuple(sorted(path.name for path in CORPUS.glob("*.pdf")))
HYPHENS = "-\u00ad\u2010\u2011"
LEAST_CARRIED = 0.9
"""Of the sample. What is not carried is formulas, mostly: cut between their blocks, their bits are
all alike."""

State = Version.State
Drift = Citation.Drift


def ingested(project: Project, path: Path) -> Version:
    version = add_file(project, path_or_upload=path, file_name=path.name, user=None).version
    assert ingestion.parse_version(version.pk) is ingestion.Outcome.DONE
    assert ingestion.index_version(version.pk) is ingestion.Outcome.DONE
    version.refresh_from_db()
    return version


def evidence_of(version: Version) -> dict[int, CitedEvidence]:
    """Every chunk as a passage that a run was handed."""
    reading = version.parsed
    assert reading is not None
    chunks = list(reading.chunks.order_by("ordinal"))
    texts = page_texts(reading, (span for chunk in chunks for span in chunk.span_list()))
    return {
        number: CitedEvidence(
            version.public_id,
            version.document.title,
            Anchor(
                version.document.public_id,
                version.sha256,
                reading.parser,
                chunk.span_list(),
                text_of(chunk.span_list(), texts),
            ),
        )
        for number, chunk in enumerate(chunks, start=1)
    }


def cite(version: Version, evidence: dict[int, CitedEvidence], quote: str = "") -> Answer:
    segments: list[Segment] = []
    for number in evidence:
        said = f"“{quote}” " if quote else f"Passage {number} says so. "
        segments += [TextSegment(said), CiteSegment(number)]
    return save_answer(project=version.project, segments=segments, evidence=evidence)


def characters(reading: ParsedFile, anchor: dict[str, list[list[int]]]) -> Counter[object]:
    """The characters of an anchor, each with its page and its box; once where spans overlap."""
    found: Counter[object] = Counter()
    covered = {(page, at) for page, *span in anchor["spans"] for at in range(*span)}
    for number in {page for page, _ in covered}:
        page = Page.objects.get(parsed=reading, number=number)
        boxes = page.boxes()
        for at in (at for on, at in covered if on == number):
            if page.text[at].strip() and page.text[at] not in HYPHENS:
                found[number, page.text[at], tuple(boxes[at].tolist())] += 1
    return found


@pytest.mark.parametrize("name", PAPERS)
def test_anchors_in_a_paper_lead_to_the_same_characters_or_say_that_they_do_not(
    name: str, project: Project, corpus: Path
) -> None:
    version = ingested(project, corpus / "papers" / name)
    old = version.parsed
    assert old is not None
    answer = cite(version, evidence_of(version))
    before = {each.pk: each.anchor for each in answer.citations.all()}
    assert reread(version.pk, way=OTHER) is ingestion.Outcome.DONE
    follow_documents(project)

    version.refresh_from_db()
    new = version.parsed
    assert new is not None
    assert new.parser == NAME
    kinds = Counter(answer.citations.values_list("drift", flat=True))
    assert kinds.total() == len(before) > 10
    assert set(kinds) <= {Drift.CARRIED, Drift.DRIFTED}
    assert name not in SAMPLE or kinds[Drift.CARRIED] >= LEAST_CARRIED * len(before)
    assert (version.carried_anchors, version.drifted_anchors) == (
        kinds[Drift.CARRIED],
        kinds[Drift.DRIFTED],
    )
    for citation in answer.citations.all():
        if citation.drift == Drift.DRIFTED:
            assert citation.anchor == before[citation.pk]
            continue
        anchor = Anchor.from_json(citation.anchor)
        assert anchor.parser == NAME
        assert anchor.excerpt == text_of(anchor.spans, page_texts(new, anchor.spans))
        assert characters(new, citation.anchor) == characters(old, before[citation.pk])


def test_what_a_new_reading_did_to_the_anchors_is_recorded_once(
    project: Project, tmp_path: Path
) -> None:
    version = ingested(project, make_pdf(tmp_path / "a.pdf"))
    cite(version, evidence_of(version))
    reread(version.pk, way=OTHER)
    follow_documents(project)
    assert follow_anchors(version) == Counter()
    event = AuditEvent.objects.get(action="anchors_followed")
    assert event.project == project
    count = Citation.objects.count()
    assert (event.detail["reading"], event.detail["carried"]) == (NAME, count)
    assert event.detail["drifted"] == 0


def test_an_answer_that_is_written_over_a_swap_cites_the_new_reading(
    project: Project, tmp_path: Path, django_user_model: type[User]
) -> None:
    """The run began before, with passages of the old reading; the change was followed since."""
    version = ingested(project, make_pdf(tmp_path / "a.pdf"))
    evidence = evidence_of(version)
    reread(version.pk, way=OTHER)
    follow_documents(project)
    texts = " ".join(each.anchor.excerpt for each in evidence.values())
    quote = next(line for line in texts.split("\n") if len(line) > 30)
    held = {number: each for number, each in evidence.items() if quote in each.anchor.excerpt}
    answer = cite(version, held, quote=quote)
    citation = answer.citations.get()
    assert (citation.drift, citation.anchor["parser"]) == (Drift.CARRIED, NAME)
    user = django_user_model.objects.get()
    location = place_citation(citation, user)
    assert location.status == "matched"


def test_an_answer_can_be_written_when_the_old_reading_has_gone(
    project: Project, tmp_path: Path
) -> None:
    version = ingested(project, make_pdf(tmp_path / "a.pdf"))
    evidence = evidence_of(version)
    reread(version.pk, way=OTHER)
    ParsedFile.objects.exclude(parser=NAME).delete()
    answer = cite(version, evidence)
    for citation in answer.citations.all():
        assert citation.drift == Drift.CARRIED
        assert citation.anchor["parser"] == NAME


def misread(path: Path, start: int, before: ParsedPage | None) -> Iterator[ParsedPage]:
    """As a worse reader would: another letter here and there, on the second page."""
    for page in other_pages(path, start, before):
        text = page.text.replace("e", "c") if page.number == 2 else page.text
        yield replace(page, text=text)


def test_an_anchor_whose_words_are_gone_keeps_its_excerpt_and_says_so(
    project: Project, tmp_path: Path, django_user_model: type[User]
) -> None:
    version = ingested(project, make_pdf(tmp_path / "a.pdf"))
    answer = cite(version, evidence_of(version))
    before = {each.pk: each.anchor for each in answer.citations.all()}
    reread(version.pk, way=WayOfReading("misread-1", misread))
    follow_documents(project)
    version.refresh_from_db()
    on_page_2 = [pk for pk, anchor in before.items() if any(s[0] == 2 for s in anchor["spans"])]
    drifted = answer.citations.filter(drift=Drift.DRIFTED)
    assert sorted(drifted.values_list("pk", flat=True)) == sorted(on_page_2)
    assert version.drifted_anchors == len(on_page_2) > 0
    citation = drifted.select_related("source__version__document", "source__version__parsed")[0]
    assert citation.anchor == before[citation.pk]
    shown = show(citation, place_citation(citation, django_user_model.objects.get()), slug="papers")
    assert "read anew" in shown.drifted
    assert shown.marks.rects == {}
    # A better reading brings them back: the excerpt is still what is looked for.
    reread(version.pk, way=OTHER)
    follow_documents(project)
    version.refresh_from_db()
    assert (version.drifted_anchors, version.carried_anchors) == (0, len(before))
    kept = answer.citations.exclude(drift=Drift.DRIFTED)[0]
    kept.source.version = version
    assert show(kept, Location(status="not_found"), slug="papers").drifted == ""


def test_a_reading_with_the_same_text_moves_no_anchor(project: Project, tmp_path: Path) -> None:
    """Layout models change blocks and tables, never text."""
    version = ingested(project, make_pdf(tmp_path / "a.pdf"))
    answer = cite(version, evidence_of(version))
    spans = list(answer.citations.values_list("anchor__spans", "anchor__excerpt"))
    label = reading_label(PARSER, layout=True)
    old = version.parsed
    assert old is not None
    rows: list[Page | Chunk] = [*old.pages.all(), *old.chunks.all()]
    new = ParsedFile.objects.create(
        sha256=old.sha256, parser=label, page_count=3, complete=True, chunked=True
    )
    for row in rows:
        row.pk, row.parsed = None, new
        row.save(force_insert=True)
    assert Chunk.objects.filter(parsed=new).exists()
    assert swap(version, new)
    follow_documents(project)
    assert list(answer.citations.values_list("anchor__spans", "anchor__excerpt")) == spans
    assert set(answer.citations.values_list("drift", "anchor__parser")) == {(Drift.CARRIED, label)}


@pytest.mark.slow
def test_what_ocr_adds_moves_no_anchor_and_can_be_cited(
    project: Project, tmp_path: Path, django_user_model: type[User]
) -> None:
    """The first page has text of its own; the second is a scan, and was empty before."""
    version = ingested(project, write_scan(tmp_path / "mixed.pdf", ("text", "chinese")))
    answer = cite(version, evidence_of(version))
    spans = list(answer.citations.values_list("anchor__spans", "anchor__excerpt"))
    assert {page for anchor, _excerpt in spans for page, _start, _end in anchor} == {1}
    assert reread(version.pk) is ingestion.Outcome.DONE
    follow_documents(project)
    label = reading_label(PARSER, ocr=True)
    assert list(answer.citations.values_list("anchor__spans", "anchor__excerpt")) == spans
    assert set(answer.citations.values_list("drift", "anchor__parser")) == {(Drift.CARRIED, label)}

    version.refresh_from_db()
    scanned = {
        number: each
        for number, each in evidence_of(version).items()
        if any(span.page == 2 for span in each.anchor.spans)
    }
    quote = "每隔一天的早晨对叶片进行计数"
    citation = cite(version, scanned, quote=quote).citations.get()
    place = place_citation(citation, django_user_model.objects.get())
    assert (place.status, place.places[0]["regions"][0]["page"]) == ("matched", 2)
