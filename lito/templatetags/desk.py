"""The left list of every project page: it joins what chat and documents know."""

from typing import Any

from django import template
from django.urls import reverse

from chat.models import Conversation
from documents.demonstration import suggested_questions
from documents.models import Document
from projects.models import Membership, Project

register = template.Library()

SHOWN = 60


@register.inclusion_tag("_list.html", takes_context=True)
def desk_list(context: dict[str, Any], project: Project) -> dict[str, Any]:
    """Conversations, the library and the other projects, for the person who asks."""
    user = context["request"].user
    return {
        "request": context["request"],
        "user": user,
        "project": project,
        "here": context.get("here", ""),
        "owner": project.role_of(user) == Membership.Role.OWNER,
        "projects": Project.objects.visible_to(user).exclude(pk=project.pk)[:12],
        "documents": Document.objects.live().filter(project=project).count(),
        "conversations": context.get("conversations") or _conversations(context, project),
    }


def _conversations(context: dict[str, Any], project: Project) -> list[dict[str, Any]]:
    conversations = Conversation.objects.visible_to(context["request"].user)
    return [
        {
            "title": conversation.title,
            "url": reverse("conversation", args=(project.slug, conversation.public_id)),
            "updated_at": conversation.updated_at,
            "is_current": False,
        }
        for conversation in conversations.filter(project=project)[:SHOWN]
    ]


@register.simple_tag
def suggestions(project: Project) -> list[str]:
    """Questions to begin with: the demo project brings its own, other projects have none."""
    return suggested_questions(project)
