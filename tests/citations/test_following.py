"""What citations keep beside a paper comes with it and goes with it, and with its readers."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.citations.conftest import TEXTS, evidence_of, stored_paper

if TYPE_CHECKING:
    from citations.models import Citation
    from documents.models import Version
    from projects.models import Project, User

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


def came(version: "Version") -> None:
    from documents import changes
    from documents.models import Change

    changes.record(version.project, Change.Kind.ADDED, version)


def cited(version: "Version") -> "Citation":
    from citations.citing import save_answer
    from citations.segments import CiteSegment, Segment, TextSegment

    sentence = TextSegment("“Buyers pay a premium for reputation.” ")
    segments: list[Segment] = [sentence, CiteSegment(1)]
    evidence = {1: evidence_of(version, 2)}
    answer = save_answer(project=version.project, segments=segments, evidence=evidence)
    return answer.citations.get()


def placed(citation: "Citation", user: "User") -> None:
    from citations.placing import place_citation

    assert place_citation(citation, user).pk is not None


def folded() -> int:
    from citations.models import NormalizedPage

    return NormalizedPage.objects.count()


def kept() -> int:
    from citations.models import Location

    return Location.objects.count()


def test_the_pages_of_a_new_paper_are_folded_once_before_any_question(
    project: "Project", version: "Version"
) -> None:
    from citations.following import follow_documents

    came(version)
    assert folded() == 0
    assert follow_documents(project) == 1
    assert folded() == len(TEXTS)
    assert follow_documents(project) == 0


def test_changes_of_one_project_are_not_those_of_another(
    project: "Project", version: "Version", reader: "User"
) -> None:
    from citations.following import follow_documents
    from projects.models import Project

    other = Project.objects.create(slug="other", name="Other", created_by=reader)
    theirs = stored_paper(other, "Theirs", TEXTS, sha256="b" * 64)
    came(version)
    came(theirs)
    assert follow_documents(other) == 1
    assert folded() == len(TEXTS)
    assert follow_documents(project) == 1
    assert folded() == 2 * len(TEXTS)


def test_what_was_missed_is_applied_in_one_go_even_if_the_paper_has_gone_again(
    project: "Project", version: "Version"
) -> None:
    from citations.following import follow_documents
    from documents.removing import remove

    came(version)
    remove(version.document)
    later = stored_paper(project, "Later", TEXTS, sha256="b" * 64)
    came(later)
    assert follow_documents(project) == 3
    assert folded() == len(TEXTS)


@pytest.mark.parametrize("way", ["by the task", "before use"])
def test_places_in_a_removed_paper_are_forgotten(
    way: str, project: "Project", version: "Version", reader: "User"
) -> None:
    from citations.following import follow_documents, follow_removals
    from documents.removing import remove

    staying = stored_paper(project, "Staying", TEXTS, sha256="b" * 64)
    for each in (version, staying):
        came(each)
        placed(cited(each), reader)
    follow_documents(project)
    remove(version.document)
    assert kept() == 2
    forget: Callable[[Project], Any]
    forget = follow_documents if way == "by the task" else follow_removals
    forget(project)
    assert kept() == 1


def test_a_place_is_kept_while_its_reader_has_the_same_file_in_another_project(
    project: "Project", version: "Version", reader: "User"
) -> None:
    from citations.following import follow_documents, forget_unreadable
    from documents.models import Document, Version
    from documents.removing import remove
    from projects.models import Membership, Project

    other = Project.objects.create(slug="other", name="Other", created_by=reader)
    membership = Membership.objects.create(project=other, user=reader, role="viewer")
    twin = Document.objects.create(project=other, title="The same")
    Version.objects.create(
        document=twin, project=other, sha256=version.sha256, file_name="a.pdf", size=1
    )
    placed(cited(version), reader)
    remove(version.document)
    follow_documents(project)
    assert kept() == 1
    membership.delete()
    assert forget_unreadable() == 1


def test_whoever_leaves_a_project_leaves_no_places_behind(
    project: "Project",
    version: "Version",
    reader: "User",
    django_capture_on_commit_callbacks: Any,
) -> None:
    from citations.tasks import forget_unreadable
    from projects.models import Membership, User

    staying = User.objects.create_user("bo")
    Membership.objects.create(project=project, user=staying, role="viewer")
    citation = cited(version)
    placed(citation, reader)
    placed(citation, staying)
    with django_capture_on_commit_callbacks() as sent:
        Membership.objects.get(project=project, user=reader).delete()
    assert [call.__self__.name for call in sent] == ["citations.tasks.forget_unreadable"]
    forget_unreadable()
    assert kept() == 1


def test_a_recorded_change_sends_its_project_to_citations(
    version: "Version", django_capture_on_commit_callbacks: Any, redis: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        came(version)
    sent = b"".join(redis.lrange("index", 0, -1))
    assert b"citations.tasks.follow_documents" in sent


def test_a_project_that_is_gone_is_no_error(db: None) -> None:
    from citations.tasks import follow_documents

    follow_documents(987654)
