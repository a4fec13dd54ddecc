"""The ASGI application that uvicorn serves."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lito.settings")

_django = get_asgi_application()

from lito.body_limits import limit_bodies  # noqa: E402 - its imports want Django set up

application = limit_bodies(_django)
