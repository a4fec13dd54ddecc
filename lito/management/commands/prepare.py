"""Makes an installation ready to serve: tables, static files, translations, first admin, demo."""

import secrets
import shutil
from typing import Any

from django.conf import settings
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand
from django.utils.translation import gettext as _

from lito.services.running import bring_tables_up_to_date
from projects.models import User

ADMIN = "admin"


class Command(BaseCommand):
    help = "Makes an installation ready to serve. Safe to run at every start."

    def handle(self, *args: Any, **options: Any) -> None:
        bring_tables_up_to_date()
        call_command("collectstatic", verbosity=0, interactive=False)
        self._compile_messages()
        self._make_first_admin()
        self._load_demo()

    def _compile_messages(self) -> None:
        """Compiled translations come with the source; only a checkout without them needs this."""
        sources = [path for folder in settings.LOCALE_PATHS for path in folder.rglob("*.po")]
        if all(path.with_suffix(".mo").exists() for path in sources):
            return
        if shutil.which("msgfmt"):
            call_command("compilemessages", verbosity=0)
        else:
            self.stderr.write(_("lito: no translations: install gettext to have Chinese."))

    def _make_first_admin(self) -> None:
        if User.objects.filter(is_superuser=True).exists():
            return
        password = secrets.token_urlsafe(9)
        User.objects.create_superuser(ADMIN, password=password, must_change_password=True)
        self.stdout.write(
            _("lito: sign in as “%(name)s” with the one-time password  %(password)s")
            % {"name": ADMIN, "password": password}
        )
        self.stdout.write(
            _("lito: it is shown only now; later: .venv/bin/python manage.py changepassword admin")
        )

    def _load_demo(self) -> None:
        """Once in the life of an installation: a demo that somebody deleted stays deleted."""
        loaded = settings.HOME / "demo-loaded"
        if not settings.LITO_DEMO or loaded.exists() or "createdemo" not in get_commands():
            return
        call_command("createdemo", stdout=self.stdout)
        loaded.touch()
