"""The web server: `python -m lito.web`."""

import sys

import uvicorn

SWITCH = 0.001
"""Seconds for which a thread may compute before the loop gets its turn; Python's own 5 ms, paid at
each event, kept those of many open streams waiting whenever pages were made beside them.
"""


def main() -> None:
    import django

    django.setup()
    from django.conf import settings

    from citations.normalizing import normalize

    sys.setswitchinterval(SWITCH)
    normalize("")  # its table is made now and not under somebody's first hover
    uvicorn.run(
        "lito.asgi:application",
        host=settings.LITO_HOST,
        port=settings.LITO_PORT,
        log_config=None,
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=3,
        proxy_headers=True,
        server_header=False,
    )


if __name__ == "__main__":
    import os

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lito.settings")
    main()
