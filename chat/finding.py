"""Finding conversations by their words: titles, questions and answers, each branch of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Paginator
from django.db.models import OuterRef, Subquery
from django.urls import reverse

from chat.marked_excerpts import marked_excerpt
from chat.models import Conversation, Run, Turn
from chat.turn_words import answer_text
from citations.excerpts import Piece
from documents.chunks.tokens import query_tokens
from projects.models import Project, User

CONVERSATIONS_PER_PAGE = 20
TURNS_SHOWN = 3
"""Of each conversation that was found."""
MOST_TURNS = 2_000
"""The latest turns with some of the words, among which those with most of them are looked for."""


@dataclass(frozen=True, slots=True)
class FoundTurn:
    """A question and answer with some of the words, which are marked; `answer` may be empty."""

    question: Sequence[Piece]
    answer: Sequence[Piece]
    url: str


@dataclass(frozen=True, slots=True)
class FoundConversation:
    title: Sequence[Piece]
    url: str
    updated_at: datetime
    turns: Sequence[FoundTurn]
    more: int


@dataclass(frozen=True, slots=True)
class FoundConversations:
    """One page. `total` counts conversations; `has_all` says that each has all of the words."""

    shown: Sequence[FoundConversation]
    total: int
    number: int
    has_words: bool
    has_all: bool
    previous: int | None
    following: int | None


def find_conversations(
    project: Project, user: User, *, query: str, page: int = 1
) -> FoundConversations:
    """Conversations that `user` may read, the latest first: all of them, or those with the words.

    Where none has all of the words, those with most of them come first.
    """
    wanted = frozenset(query_tokens(query))
    hits, has_all = _hits(project, user, wanted) if wanted else ({}, True)
    mine = Conversation.objects.visible_to(user).filter(project=project)
    ids: Sequence[int] = list(hits) if query else list(mine.values_list("pk", flat=True))
    pages = Paginator(ids, CONVERSATIONS_PER_PAGE).get_page(page)
    on_page = list(pages.object_list)
    turns = _found_turns(
        project, [turn for pk in on_page for turn in hits.get(pk, [])[:TURNS_SHOWN]], wanted
    )
    found = mine.in_bulk(on_page)
    return FoundConversations(
        shown=[
            FoundConversation(
                title=marked_excerpt(found[pk].title, wanted),
                url=reverse("conversation", args=(project.slug, found[pk].public_id)),
                updated_at=found[pk].updated_at,
                turns=[turns[turn] for turn in hits.get(pk, []) if turn in turns],
                more=max(0, len(hits.get(pk, [])) - TURNS_SHOWN),
            )
            for pk in on_page
            if pk in found
        ],
        total=len(ids),
        number=pages.number,
        has_words=bool(wanted),
        has_all=has_all,
        previous=pages.previous_page_number() if pages.has_previous() else None,
        following=pages.next_page_number() if pages.has_next() else None,
    )


def _hits(
    project: Project, user: User, wanted: frozenset[str]
) -> tuple[dict[int, list[int]], bool]:
    """The turns found, by conversation, and whether each of them has all of the words."""
    mine = Turn.objects.filter(
        conversation__in=Conversation.objects.visible_to(user).filter(project=project)
    ).order_by("-conversation__updated_at", "-conversation_id", "-pk")
    with_all = mine.filter(words__terms__contains=sorted(wanted))[:MOST_TURNS]
    hits = list(with_all.values_list("conversation_id", "pk"))
    has_all = bool(hits)
    if not hits:
        with_some = mine.filter(words__terms__overlap=sorted(wanted))[:MOST_TURNS]
        rows = with_some.values_list("conversation_id", "pk", "words__terms")
        ranked = sorted(rows, key=lambda row: -len(wanted.intersection(row[2])))
        hits = [(conversation, turn) for conversation, turn, _ in ranked]
    grouped: dict[int, list[int]] = {}
    for conversation, turn in hits:
        grouped.setdefault(conversation, []).append(turn)
    return grouped, has_all


def _found_turns(
    project: Project, turns: Sequence[int], wanted: frozenset[str]
) -> dict[int, FoundTurn]:
    """By their keys. Each opens at its latest run."""
    rows = Turn.objects.filter(pk__in=turns).select_related("answer")
    latest = Run.objects.filter(turn=OuterRef("pk")).order_by("-pk").values("public_id")[:1]
    found = {}
    for turn in rows.annotate(run_id=Subquery(latest)).exclude(run_id=None):
        answer = marked_excerpt(answer_text(turn), wanted)
        found[turn.pk] = FoundTurn(
            question=marked_excerpt(turn.question, wanted),
            answer=answer if any(piece.marked for piece in answer) else [],
            url=reverse("go_to_turn", args=(project.slug, turn.run_id)),
        )
    return found
