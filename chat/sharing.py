"""Sharing a conversation inside its project: a link to read it by, which can be taken back.

What others may read is the branch that is shown, its answers with their cards and places. Each
answer knows whether it is shared; here that is kept true. Locks: the conversation, then its turns.
"""

from django.db import transaction

from chat.models import Conversation
from chat.tree import Tree
from citations.models import Answer
from projects.access import AnyUser
from projects.ids import new_public_id
from projects.models import Project


def share(conversation: Conversation) -> None:
    """Give it a link; one that it has stays."""
    _set_link(conversation, new_public_id())


def unshare(conversation: Conversation) -> None:
    """From now on nobody else reads it. Shared again, it gets another link."""
    _set_link(conversation, None)


@transaction.atomic
def _set_link(conversation: Conversation, shared_id: str | None) -> None:
    locked = Conversation.objects.select_for_update().get(pk=conversation.pk)
    if (locked.shared_id is None) != (shared_id is None):
        Conversation.objects.filter(pk=locked.pk).update(shared_id=shared_id)
        keep_shared(locked.pk)


@transaction.atomic
def keep_shared(conversation_id: int) -> None:
    """Called after every change of what is shown, or of whether that is shared."""
    locked = Conversation.objects.select_for_update().filter(pk=conversation_id).first()
    if locked is None:
        return
    shown = Tree.of(locked).path(locked.leaf_id) if locked.shared_id else []
    answers = Answer.objects.filter(turn__conversation=locked)
    answers.filter(shared=True).exclude(turn__in=shown).update(shared=False)
    answers.filter(shared=False, turn__in=shown).update(shared=True)


def shared_conversation(user: AnyUser, slug: str, shared_id: str) -> Conversation | None:
    """The conversation behind a link, for members of its project, as its asker still is one."""
    found = (
        Conversation.objects.filter(
            project__in=Project.objects.visible_to(user), project__slug=slug, shared_id=shared_id
        )
        .select_related("project", "user")
        .first()
    )
    if found is None or found.project.role_of(found.user) is None:
        return None
    return found
