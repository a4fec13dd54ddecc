"""One project with a row of every kind, made by hand: nothing is read, nothing is indexed."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chat.branches import add_turn
from chat.models import Conversation, Run, Turn
from citations.anchoring import Anchor
from citations.citing import CitedEvidence, save_answer
from citations.models import Answer, Citation
from citations.segments import CiteSegment, Segment, TextSegment
from documents.models import Document, Page, ParsedFile, Version
from documents.pages.geometry import pack_boxes
from documents.pages.page_text import PageState, Span
from documents.record_models import LibraryImport
from documents.storage import store
from projects.models import Membership, Project, User

ROLES = ("anonymous", "stranger", "viewer", "editor", "owner")
TEXT = "Markets for lemons fail.\nBuyers can not see quality."


@dataclass(frozen=True, slots=True)
class Rows:
    """Everything that a URL of a project can name."""

    project: Project
    people: dict[str, User]
    document: Document
    version: Version
    conversation: Conversation
    turn: Turn
    run: Run
    answer: Answer
    citation: Citation
    report: LibraryImport


def new_rows(path: Path, *, title: str = "A market for lemons", text: str = TEXT) -> Rows:
    """A project with three members; the viewer has asked one question."""
    people = {name: User.objects.create_user(name) for name in ROLES if name != "anonymous"}
    project = Project.objects.create(slug="lemons", name="Lemons", created_by=people["owner"])
    for role in Membership.Role.values:
        project.memberships.create(user=people[role], role=role)
    version = new_version(project, path, title=title, text=text)
    asker = people["viewer"]
    conversation = Conversation.objects.create(project=project, user=asker, title="On lemons")
    answer = _answer(project, version, text, asker)
    turn = add_turn(conversation, "Why do markets fail?", answer=answer)
    run = Run.objects.create(turn=turn, state=Run.State.DONE, outcome="answered")
    citation = answer.citations.get()
    return Rows(
        project,
        people,
        version.document,
        version,
        conversation,
        turn,
        run,
        answer,
        citation,
        LibraryImport.objects.create(project=project, file_name="lemons.bib"),
    )


def new_version(project: Project, path: Path, *, title: str, text: str) -> Version:
    """A paper of one page, as ingestion leaves it."""
    stored = store(path)
    parsed = ParsedFile.objects.create(
        sha256=stored.sha256, parser="by-hand", page_count=1, complete=True, chunked=True
    )
    Page.objects.create(
        parsed=parsed,
        number=1,
        label="iv",
        state=PageState.OK,
        width=595,
        height=842,
        text=text,
        packed_boxes=pack_boxes(_boxes(text)),
    )
    document = Document.objects.create(project=project, title=title, authors=["G. Akerlof"])
    return Version.objects.create(
        document=document,
        project=project,
        sha256=stored.sha256,
        file_name=path.name,
        size=stored.size,
        page_count=1,
        parsed=parsed,
        state=Version.State.READY,
    )


def _boxes(text: str) -> np.ndarray:
    """Letters of one size, line under line."""
    boxes = np.zeros((len(text), 4), np.float32)
    column, line = 0, 0
    for index, sign in enumerate(text):
        if sign == "\n":
            column, line = 0, line + 1
            continue
        x, y = 0.1 + column * 0.01, 0.1 + line * 0.03
        boxes[index] = (x, y, x + 0.009, y + 0.02)
        column += 1
    return boxes


def _answer(project: Project, version: Version, text: str, owner: User) -> Answer:
    sentence = text.split("\n", maxsplit=1)[0]
    anchor = Anchor(
        version.document.public_id, version.sha256, "by-hand", (Span(1, 0, len(text)),), text
    )
    segments: list[Segment] = [
        TextSegment(sentence, verbatim=True),
        TextSegment(" "),
        CiteSegment(7),
    ]
    evidence = {7: CitedEvidence(version.public_id, version.document.title, anchor)}
    return save_answer(project=project, segments=segments, evidence=evidence, owner=owner)
