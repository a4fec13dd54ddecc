"""Retrieval: from a need to ranked evidence."""

from functools import partial
from typing import Any

from celery.signals import task_success
from django.apps import AppConfig
from django.db import transaction
from django.db.models.signals import post_delete, post_save


class RetrievalConfig(AppConfig):
    name = "retrieval"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from documents.models import Change
        from projects.models import Project

        post_save.connect(_follow, sender=Change, dispatch_uid="retrieval.follow")
        post_delete.connect(_forget, sender=Project, dispatch_uid="retrieval.forget")
        task_success.connect(after_task, weak=False, dispatch_uid="retrieval.graph")


def _follow(*, instance: Any, created: bool, **_: Any) -> None:
    """Documents know nothing of retrieval: the row that they write is the news."""
    from retrieval.tasks import follow_documents

    if created:
        transaction.on_commit(partial(follow_documents.delay, instance.project_id), robust=True)


def after_task(*, sender: Any, **_: Any) -> None:
    """Vectors come last and are no change of the library: the end of their task is the news."""
    from documents.models import Version
    from retrieval.tasks import ask_for_graph

    if sender.name == "documents.tasks.index_version":
        version = Version.objects.filter(pk=sender.request.args[0]).first()
        if version is not None:
            ask_for_graph(version.project_id)


def _forget(*, instance: Any, **_: Any) -> None:
    from retrieval.graphs import drop_graphs
    from retrieval.keyword_index import forget

    transaction.on_commit(partial(forget, instance.public_id))
    transaction.on_commit(partial(drop_graphs, project_id=instance.pk), robust=True)
