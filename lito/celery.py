"""The Celery application: queues `parse`, `index`, `chat`, `locate`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lito.settings")

app = Celery("lito")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
