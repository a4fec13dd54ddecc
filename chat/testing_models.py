"""The test button of a model: asked for in the browser, made in the `chat` worker."""

from functools import partial

from celery import current_app
from django.db import transaction

from chat.models_in_use import endpoint_of
from llm.probing import Found, probe
from projects.models import ModelEndpoint

PROBE_TASK = "chat.tasks.probe_endpoint"
TESTING = "testing"


def ask_for_test(row: ModelEndpoint) -> None:
    """Put the test in the queue."""
    row.check_state = TESTING
    with transaction.atomic():
        row.save(update_fields=["check_state"])
        transaction.on_commit(partial(current_app.send_task, PROBE_TASK, (row.pk,)))


def test_endpoint(endpoint_id: int) -> None:
    """Find out what the endpoint can do and store it. What was changed meanwhile is not judged."""
    row = ModelEndpoint.objects.filter(pk=endpoint_id).first()
    if row is None:
        return
    found = Found(code="internal", message="")
    try:
        found = probe(endpoint_of(row))
    finally:
        same = ModelEndpoint.objects.filter(
            pk=row.pk, base_url=row.base_url, model=row.model, sealed_key=row.sealed_key
        )
        same.update(checked=found.as_json())
        ModelEndpoint.objects.filter(pk=row.pk).update(check_state="")
