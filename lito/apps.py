"""What has to be in place once all apps are loaded."""

import django_stubs_ext
from django.apps import AppConfig


class LitoConfig(AppConfig):
    name = "lito"

    def ready(self) -> None:
        from django.contrib.auth.forms import SetPasswordForm

        from lito import celery  # noqa: F401  (makes it the app that `shared_task` finds)

        django_stubs_ext.monkeypatch(extra_classes=[SetPasswordForm])
