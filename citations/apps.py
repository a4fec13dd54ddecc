"""Citations: answers, what they cite, and where it stands."""

from functools import partial
from typing import Any

from django.apps import AppConfig
from django.db import transaction
from django.db.models.signals import post_delete, post_save


class CitationsConfig(AppConfig):
    name = "citations"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from documents.models import Change
        from projects.models import Membership

        post_save.connect(_follow, sender=Change, dispatch_uid="citations.follow")
        post_delete.connect(_forget, sender=Membership, dispatch_uid="citations.forget")


def _follow(*, instance: Any, created: bool, **_: Any) -> None:
    """Documents know nothing of citations: the row that they write is the news."""
    from citations.tasks import follow_documents

    if created:
        transaction.on_commit(partial(follow_documents.delay, instance.project_id), robust=True)


def _forget(**_: Any) -> None:
    """Somebody left a project, or the whole project went, and all its members with it."""
    from citations.tasks import forget_unreadable

    transaction.on_commit(forget_unreadable.delay, robust=True)
