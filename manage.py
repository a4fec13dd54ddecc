#!/usr/bin/env python
"""Lito's command line."""

import os
import sys
from contextlib import nullcontext

NEED_SERVICES = frozenset(
    (
        "ask",
        "benchmark",
        "changepassword",
        "createdemo",
        "createsuperuser",
        "dbshell",
        "evaluate",
        "ingest",
        "migrate",
        "screenshots",
        "search",
        "shell",
        "showmigrations",
    )
)
"""Commands that talk to PostgreSQL or Redis. For these the embedded ones are started."""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lito.settings")
    from django.core.management import execute_from_command_line

    from lito.services import ServiceError, running_services

    command = sys.argv[1] if len(sys.argv) > 1 else ""
    asks_for_help = {"-h", "--help"} & set(sys.argv[2:])
    needed = command in NEED_SERVICES and not asks_for_help
    try:
        with running_services(migrate=command != "migrate") if needed else nullcontext():
            execute_from_command_line(sys.argv)
    except ServiceError as error:
        sys.exit(f"lito: {error}")


if __name__ == "__main__":
    main()
