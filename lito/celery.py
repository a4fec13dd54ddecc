"""The Celery application: queues `parse`, `index`, `chat`, `locate`."""

import os

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lito.settings")

app = Celery("lito")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(related_name="lookup_tasks")
app.autodiscover_tasks(related_name="import_tasks")


@setup_logging.connect
def keep_our_logging(**_: object) -> None:
    """Django has set up logging already; with a receiver here Celery leaves it alone."""
