"""Answers as stored: numbers by first appearance, and the same page however it is reached."""

from typing import TYPE_CHECKING

import pytest

from citations.citing import citation_id, save_answer
from citations.markers import MarkerParser, merged, read_markers
from citations.models import Answer, Citation
from citations.rendering import render_answer, render_draft
from citations.segments import CiteSegment, Segment, TextSegment, segments_from_json
from citations.source_list import papers_of_answer, papers_of_draft
from tests.citations.conftest import evidence_of, stored_paper

if TYPE_CHECKING:
    from documents.models import Version
    from projects.models import Project

TEXT = "“Warming slows growth” [7]. Buyers pay more [3][7]. Both [12]. Pages [20][21]."


@pytest.fixture
def other(project: "Project") -> "Version":
    return stored_paper(project, "03_Akerlof 1970 - Lemons.pdf", ("One.", "Two."), sha256="b" * 64)


def test_sources_are_numbered_by_first_appearance(version: "Version", other: "Version") -> None:
    evidence = {7: evidence_of(version, 1), 3: evidence_of(other, 1), 12: evidence_of(version, 2)}
    segments = read_markers("A [7]. B [3]. C [12]. D [3].", evidence)
    answer = save_answer(project=version.project, segments=segments, evidence=evidence)
    assert [(s.number, s.file_id, s.label) for s in answer.sources.all()] == [
        (1, version.public_id, "A paper on markets"),
        (2, other.public_id, "Lemons"),
    ]
    assert [(c.ordinal, c.source.number) for c in answer.citations.all()] == [
        (0, 1), (1, 2), (2, 1), (3, 2),
    ]  # fmt: skip
    assert [c.claim for c in answer.citations.all()] == ["A", "B", "C", "D"]


def test_pages_put_in_whole_are_sources_of_their_own(version: "Version") -> None:
    evidence = {n: evidence_of(version, n, pdf_page=n) for n in (1, 2)}
    segments = read_markers("A [2]. B [1]. C [2].", evidence)
    answer = save_answer(project=version.project, segments=segments, evidence=evidence)
    assert [source.identity for source in answer.sources.all()] == [
        f"{version.public_id}#pdf-page=2",
        f"{version.public_id}#pdf-page=1",
    ]
    (paper,) = papers_of_answer(answer, slug="papers")
    assert paper.pages == (1, 2)
    assert len(paper.places) == 3


def test_a_number_that_was_never_handed_out_is_taken_out_and_recorded(version: "Version") -> None:
    evidence = {1: evidence_of(version, 1)}
    segments: list[Segment] = [TextSegment("A "), CiteSegment(5), CiteSegment(1)]
    answer = save_answer(project=version.project, segments=segments, evidence=evidence)
    assert segments_from_json(answer.segments) == [TextSegment("A "), CiteSegment(1)]
    assert answer.removed_markers == [5]


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_stream_refresh_and_reopening_are_equal_byte_for_byte(
    version: "Version", other: "Version", size: int
) -> None:
    evidence = {
        7: evidence_of(version, 1),
        3: evidence_of(other, 1),
        12: evidence_of(version, 2),
        20: evidence_of(version, 1, pdf_page=1),
        21: evidence_of(version, 2, pdf_page=2),
    }
    text = TEXT + " Unknown [99].\n\n- list [3]\n\n```\n[3]\n```\n"
    parser = MarkerParser(evidence)
    streamed: list[Segment] = []
    for at in range(0, len(text), size):
        streamed += parser.feed(text[at : at + size])
    streamed += parser.finish()
    slug, key = version.project.slug, "therun"
    last_of_stream = render_draft(streamed, evidence, slug=slug, key=key)
    refreshed = render_draft(merged(streamed), evidence, slug=slug, key=key)
    answer = save_answer(
        project=version.project,
        segments=streamed,
        evidence=evidence,
        key=key,
        removed_markers=parser.unknown,
    )
    reopened = render_answer(Answer.objects.get(pk=answer.pk), slug=slug)
    assert last_of_stream == refreshed == reopened
    assert papers_of_draft(streamed, evidence, slug=slug, key=key) == papers_of_answer(
        answer, slug=slug
    )
    assert answer.removed_markers == [99]


def test_a_citation_has_its_id_before_it_is_stored(version: "Version") -> None:
    evidence = {1: evidence_of(version, 1)}
    segments = read_markers("A [1]. B [1].", evidence)
    answer = save_answer(project=version.project, segments=segments, evidence=evidence, key="run9")
    ids = list(answer.citations.values_list("public_id", flat=True))
    assert ids == [citation_id("run9", 0), citation_id("run9", 1)]


def test_saving_again_replaces_what_was_there(version: "Version") -> None:
    evidence = {1: evidence_of(version, 1)}
    first = save_answer(
        project=version.project, segments=read_markers("A [1]. B [1].", evidence), evidence=evidence
    )
    again = save_answer(
        project=version.project,
        segments=read_markers("C [1].", evidence),
        evidence=evidence,
        answer=first,
    )
    assert again.pk == first.pk
    assert [c.claim for c in Citation.objects.filter(answer=first)] == ["C"]


def test_quote_and_anchor_are_stored(version: "Version") -> None:
    evidence = {7: evidence_of(version, 1)}
    answer = save_answer(
        project=version.project, segments=read_markers(TEXT, evidence), evidence=evidence
    )
    first = answer.citations.all()[0]
    assert first.quote == "Warming slows growth"
    assert first.anchor["spans"] == [[1, 0, len(first.anchor["excerpt"])]]
    assert first.anchor["sha256"] == version.sha256
