"""One log for our own events and everybody else's: lines to read, or JSON to collect.

A traceback names files and lines, never the values of variables: they hold keys and texts.
"""

import json
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

import structlog
from structlog.types import EventDict, Processor, WrappedLogger

from projects.plain_secrets import remembered

HIDDEN = "(hidden)"
SHORTEST_SECRET = 6
"""Code points; anything shorter is no secret, and hiding it would garble the log."""


def logging_configuration(
    *, level: str, form: str, secrets: Collection[str] = ()
) -> dict[str, Any]:
    """Django's LOGGING. `form` is `console` or `json`; all goes to standard error.

    Wherever one of the `secrets` would be written, as within the message of an error, `HIDDEN`
    stands instead.
    """
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "lito": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    _without_colours,
                    *_written(form),
                    _Hiding(secrets),
                ],
                "foreign_pre_chain": shared,
            }
        },
        "handlers": {"standard_error": {"class": "logging.StreamHandler", "formatter": "lito"}},
        "root": {"handlers": ["standard_error"], "level": "WARNING"},
        "loggers": {
            **{name: {"level": level} for name in OWN},
            "celery": {"level": "INFO"},
            "uvicorn.error": {"level": "INFO"},
            "django": {"handlers": [], "level": "WARNING", "propagate": True},
            "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
        },
    }


OWN = ("lito", "projects", "documents", "retrieval", "citations", "chat", "llm")


def _written(form: str) -> list[Processor]:
    if form == "json":
        no_values = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        return [
            structlog.processors.ExceptionRenderer(no_values),
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ]
    plain = structlog.dev.plain_traceback  # the default shows values if `rich` is installed
    return [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=plain)]


class _Hiding:
    """The last processor: takes secrets out of the finished line, those read later included."""

    def __init__(self, secrets: Collection[str]) -> None:
        self._secrets = frozenset(secrets)

    def __call__(self, _logger: WrappedLogger, _method: str, line: Any) -> str:
        text = str(line)
        for secret in _as_written(self._secrets | remembered()):
            text = text.replace(secret, HIDDEN)
        return text


@lru_cache(maxsize=4)
def _as_written(secrets: frozenset[str]) -> Sequence[str]:
    """Plain and as JSON spells them; the longest first, since one may hold another."""
    known = {secret for secret in secrets if len(secret) >= SHORTEST_SECRET}
    escaped = {json.dumps(secret, ensure_ascii=False)[1:-1] for secret in known}
    return sorted(known | escaped, key=len, reverse=True)


def _without_colours(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """uvicorn sends each of its lines a second time, in colour."""
    event.pop("color_message", None)
    return event
