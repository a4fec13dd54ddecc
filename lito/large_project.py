"""A large project made of rows alone, for measuring pages: papers with text, and a conversation."""

import hashlib
import re
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from chat.branches import add_turn
from chat.models import Conversation, Run
from chat.paper_fates import PaperRecord
from citations.anchoring import Anchor
from citations.citing import CitedEvidence, save_answer
from citations.models import Answer
from citations.segments import CiteSegment, Segment, TextSegment
from documents.chunks.tokens import keyword_tokens
from documents.models import Change, Chunk, Document, Page, ParsedFile, Version
from documents.pages.geometry import pack_boxes
from documents.pages.page_text import PageState, Span
from projects.models import Membership, Project, User

WORDS = re.findall(
    r"\w+",
    """
    reputation seller buyer price quality market trust rating premium lemon evidence model result
    sample estimate effect control survey field experiment theory signal cost demand supply risk
    """,
)
SENTENCES_PER_PAGE = 24
CHUNKS_PER_PAGE = 4
PAGES_OF_FIRST = 20
"""The first paper, which is opened, is as long as papers are; of the others one page is stored."""
ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class LargeProject:
    """What its pages are asked for. `reader` owns it."""

    project: Project
    reader: User
    version: Version
    conversation: Conversation
    run: Run
    answer: Answer


def make_large_project(*, papers: int, messages: int) -> LargeProject:
    """A project of `papers` papers, and a conversation of `messages` questions and answers."""
    name = f"measurement-{secrets.token_hex(4)}"
    reader = User.objects.create_user(name, is_staff=True)
    project = Project.objects.create(slug=name, name=name, created_by=reader)
    Membership.objects.create(project=project, user=reader, role=Membership.Role.OWNER)
    versions = list(_papers(project, papers))
    conversation = Conversation.objects.create(project=project, user=reader, title="Reputation")
    runs = [_turn(conversation, number, versions) for number in range(1, max(1, messages // 2) + 1)]
    answer = runs[-1].turn.answer
    assert answer is not None
    return LargeProject(project, reader, versions[0], conversation, runs[-1], answer)


def _papers(project: Project, count: int) -> Iterator[Version]:
    for first in range(0, count, ROWS_AT_ONCE):
        numbers = range(first, min(first + ROWS_AT_ONCE, count))
        documents = Document.objects.bulk_create(
            Document(
                project=project,
                title=f"{_words(number, 6).capitalize()} {number}",
                authors=[f"{WORDS[number % 20].title()} A.", "Smith B.", "Li C."],
                year=1980 + number % 45,
                language="en",
            )
            for number in numbers
        )
        readings = ParsedFile.objects.bulk_create(
            ParsedFile(
                sha256=hashlib.sha256(f"{project.slug} {number}".encode()).hexdigest(),
                parser="measurement",
                page_count=PAGES_OF_FIRST if number == 0 else 1,
                complete=True,
                chunked=True,
            )
            for number in numbers
        )
        yield from Version.objects.bulk_create(
            _version(project, document, reading)
            for document, reading in zip(documents, readings, strict=True)
        )
        for reading in readings:
            _store_text(reading)
    Change.objects.create(project=project, kind="added", file_id="measurement")


def _version(project: Project, document: Document, reading: ParsedFile) -> Version:
    return Version(
        document=document,
        project=project,
        sha256=reading.sha256,
        file_name="paper.pdf",
        size=1,
        page_count=reading.page_count,
        parsed=reading,
        state=Version.State.READY,
    )


def _store_text(reading: ParsedFile) -> None:
    pages = [_text(reading.pk * 100 + number) for number in range(1, reading.page_count + 1)]
    Page.objects.bulk_create(
        Page(
            parsed=reading,
            number=number,
            label=str(number + 100),
            state=PageState.OK,
            width=595,
            height=842,
            text=text,
            packed_boxes=pack_boxes(_boxes(text)),
        )
        for number, text in enumerate(pages, start=1)
    )
    Chunk.objects.bulk_create(
        Chunk(
            parsed=reading,
            ordinal=(number - 1) * CHUNKS_PER_PAGE + place,
            spans=[[number, start, end]],
            section=["Results"],
            kind="text",
            tokens=120,
            terms=keyword_tokens(text[start:end]),
        )
        for number, text in enumerate(pages, start=1)
        for place, (start, end) in enumerate(_quarters(text))
    )


def _quarters(text: str) -> list[tuple[int, int]]:
    lines = text.split("\n")
    ends = np.cumsum([len(line) + 1 for line in lines])
    size = len(lines) // CHUNKS_PER_PAGE
    cuts = [0, *(int(ends[size * part - 1]) for part in range(1, CHUNKS_PER_PAGE)), len(text)]
    return list(pairwise(cuts))


def _turn(conversation: Conversation, number: int, versions: Sequence[Version]) -> Run:
    cited = [versions[(number * 7 + step) % len(versions)] for step in range(3)]
    segments: list[Segment] = []
    evidence = {}
    for place, version in enumerate(cited, start=1):
        sentence = f"{_words(number + place, 14).capitalize()}."
        segments += [TextSegment(f"{sentence} "), CiteSegment(place), TextSegment(" ")]
        anchor = Anchor(
            version.document.public_id, version.sha256, "measurement", (Span(1, 0, 80),), sentence
        )
        evidence[place] = CitedEvidence(version.public_id, version.document.title, anchor)
    answer = save_answer(
        project=conversation.project, segments=segments, evidence=evidence, owner=conversation.user
    )
    turn = add_turn(conversation, _words(number, 9), answer=answer)
    record = PaperRecord({version.public_id: version.pk for version in versions})
    found = [version.public_id for version in cited]
    trace = {"searches": [{}], "papers": record.as_json(given=found, cited=found[:2])}
    return Run.objects.create(turn=turn, state=Run.State.DONE, outcome="answered", trace=trace)


def _text(seed: int) -> str:
    return "\n".join(
        f"{_words(seed + line, 11).capitalize()}." for line in range(SENTENCES_PER_PAGE)
    )


def _words(seed: int, count: int) -> str:
    return " ".join(WORDS[(seed * 31 + place * place * 7) % len(WORDS)] for place in range(count))


def _boxes(text: str) -> np.ndarray:
    """Letters of one size, line under line."""
    boxes = np.zeros((len(text), 4), np.float32)
    column, line = 0, 0
    for index, sign in enumerate(text):
        if sign == "\n":
            column, line = 0, line + 1
            continue
        x, y = 0.08 + column * 0.008, 0.05 + line * 0.035
        boxes[index] = (x, y, x + 0.007, y + 0.02)
        column += 1
    return boxes
