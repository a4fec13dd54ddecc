"""Branches of a conversation: another question, or another answer, beside one that stays.

Turns form a tree: each has the turn before it. What is shown is the path to the conversation's
`leaf`. Editing a question or having it answered again adds a turn beside the old one, whose
follow-ups stay with it. Only a shown path is ever told to a model, exported or rewritten.
"""

from django.db.models import QuerySet

from chat.models import Conversation, Turn
from chat.sharing import keep_shared
from chat.tree import Tree
from chat.turn_words import keep_words
from citations.models import Answer


def add_turn(
    conversation: Conversation,
    question: str,
    *,
    after: Turn | None = None,
    beside: Turn | None = None,
    answer: Answer | None = None,
) -> Turn:
    """The next turn of what is shown, or `after` a turn, or in the place of `beside`.

    From now on it is shown.
    """
    before = beside.before if beside else after or conversation.leaf
    turn = Turn.objects.create(
        conversation=conversation,
        before=before,
        number=before.number + 1 if before else 1,
        question=question,
        answer=answer,
    )
    conversation.leaf = turn
    conversation.save(update_fields=["leaf", "updated_at"])
    keep_words(turn)
    keep_shared(conversation.pk)
    return turn


def turns_before(turn: Turn) -> QuerySet[Turn]:
    """The turns that lead to `turn`, in order."""
    path = Tree.of(turn.conversation).path(turn.before_id)
    return turn.conversation.turns.filter(pk__in=path).order_by("number")


def shown_turns(conversation: Conversation) -> QuerySet[Turn]:
    """The turns of the branch that is shown, in order."""
    path = Tree.of(conversation).path(conversation.leaf_id)
    return conversation.turns.filter(pk__in=path).order_by("number")


def show_branch(conversation: Conversation, turn: Turn) -> None:
    """From now on show the branch through `turn` in which something was asked last."""
    leaf = Tree.of(conversation).latest_under(turn.pk)
    Conversation.objects.filter(pk=conversation.pk).update(leaf=leaf)
    keep_shared(conversation.pk)
