"""`manage.py createdemo`: the demo project, owned by the first admin."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from documents.demonstration import create_demo
from projects.models import User


class Command(BaseCommand):
    help = "Make the demo project. Running it again changes nothing."
    requires_system_checks = ()

    def handle(self, **_options: Any) -> None:
        admin = User.objects.filter(is_superuser=True).order_by("pk").first()
        if admin is None:
            raise CommandError(
                _("There is no admin yet. Make one with “manage.py createsuperuser”.")
            )
        _project, added = create_demo(admin)
        self.stdout.write(
            ngettext(
                "lito: the demo project has %(count)d new paper; the workers read it.",
                "lito: the demo project has %(count)d new papers; the workers read them.",
                added,
            )
            % {"count": added}
            if added
            else _("lito: the demo project is there already.")
        )
