"""Carrying citations over: joined by true source, checked against access and scope."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from django.utils import timezone

from citations.citing import save_answer
from citations.markers import read_markers
from citations.models import Answer
from citations.restoring import carried_sources, retention
from citations.segments import CiteSegment
from tests.citations.conftest import evidence_of, stored_paper

if TYPE_CHECKING:
    from citations.citing import CitedEvidence
    from documents.models import Version
    from projects.models import Project, User


@dataclass(frozen=True)
class File:
    file_id: str
    document_id: str


@dataclass(frozen=True)
class Files:
    versions: Sequence[File]

    @classmethod
    def of(cls, *versions: "Version") -> "Files":
        return cls([File(v.public_id, v.document.public_id) for v in versions])


@pytest.fixture
def other(project: "Project") -> "Version":
    return stored_paper(project, "Another paper", ("One.", "Two."), sha256="b" * 64)


def answered(project: "Project", text: str, evidence: "dict[int, CitedEvidence]") -> Answer:
    return save_answer(project=project, segments=read_markers(text, evidence), evidence=evidence)


def cites(segments: Sequence[object]) -> list[int]:
    return [part.evidence for part in segments if isinstance(part, CiteSegment)]


def test_numbers_of_different_turns_are_joined_by_true_source(
    reader: "User", version: "Version", other: "Version"
) -> None:
    first = answered(
        version.project, "A [1]. B [2].", {1: evidence_of(version, 1), 2: evidence_of(other, 1)}
    )
    second = answered(
        version.project, "C [1]. D [2].", {1: evidence_of(other, 1), 2: evidence_of(version, 2)}
    )
    carried = carried_sources(reader, Files.of(version, other), [first, second])
    assert [cites(each.segments) for each in carried.answers] == [[1, 2], [2, 3]]
    assert {n: e.file_id for n, e in carried.evidence.items()} == {
        1: version.public_id,
        2: other.public_id,
        3: version.public_id,
    }
    assert carried.evidence[3].anchor.spans[0].page == 2
    assert carried.answers[1].shown_numbers == {2: 1, 3: 2}
    assert carried.lost == ()


def test_each_passage_of_one_source_keeps_a_handle_of_its_own(
    reader: "User", version: "Version"
) -> None:
    evidence = {4: evidence_of(version, 1), 9: evidence_of(version, 2)}
    answer = answered(version.project, "A [4]. B [9]. C [4].", evidence)
    carried = carried_sources(reader, Files.of(version), [answer], first=30)
    assert cites(carried.answers[0].segments) == [30, 31, 30]
    assert carried.answers[0].shown_numbers == {30: 1, 31: 1}


@pytest.mark.parametrize("reason", ["removed", "no_access", "out_of_scope"])
def test_what_may_not_be_carried_is_left_out_and_said(
    reader: "User", version: "Version", other: "Version", reason: str
) -> None:
    answer = answered(
        version.project, "A [1]. B [2].", {1: evidence_of(version, 1), 2: evidence_of(other, 1)}
    )
    scope = Files.of(version, other)
    if reason == "removed":
        other.document.removed_at = timezone.now()
        other.document.save()
    elif reason == "no_access":
        from projects.models import Project

        elsewhere = Project.objects.create(slug="elsewhere", name="Elsewhere")
        other.document.project = other.project = elsewhere
        other.document.save()
        other.save()
    else:
        scope = Files.of(version)
    carried = carried_sources(reader, scope, [answer])
    assert cites(carried.answers[0].segments) == [1]
    assert [(lost.ordinal, lost.title, lost.reason) for lost in carried.lost] == [
        (1, "Another paper", reason)
    ]


def test_a_file_that_is_gone_from_the_database_counts_as_removed(
    reader: "User", version: "Version", other: "Version"
) -> None:
    answer = answered(version.project, "B [2].", {2: evidence_of(other, 1)})
    other.document.delete()
    carried = carried_sources(reader, Files.of(version), [answer])
    assert [lost.reason for lost in carried.lost] == ["removed"]
    assert carried.evidence == {}


def test_a_rewrite_leads_every_citation_to_its_own_source(
    reader: "User", version: "Version", other: "Version"
) -> None:
    before = answered(
        version.project,
        "Warming slows growth [1]. Buyers pay more [2]. Sellers wait [3].",
        {1: evidence_of(version, 1), 2: evidence_of(other, 1), 3: evidence_of(version, 2)},
    )
    carried = carried_sources(reader, Files.of(version, other), [before])
    after = answered(
        version.project, "Buyers pay more [2]; warming slows [1].", dict(carried.evidence)
    )
    fates = retention(before, after)
    assert [fate["fate"] for fate in fates] == ["kept", "kept", "dropped"]
    ids = {c.public_id: c for c in after.citations.select_related("source")}
    for citation, fate in zip(before.citations.select_related("source"), fates, strict=True):
        if fate["now"]:
            now = ids[str(fate["now"])]
            assert now.source.file_id == citation.source.file_id
            assert now.anchor == citation.anchor
    assert "Sellers wait" in str(fates[2]["claim"])
