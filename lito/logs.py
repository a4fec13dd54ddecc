"""One log for our own events and everybody else's: lines to read, or JSON to collect."""

from typing import Any

import structlog
from structlog.types import EventDict, Processor, WrappedLogger


def logging_configuration(*, level: str, form: str) -> dict[str, Any]:
    """Django's LOGGING. `form` is `console` or `json`; all goes to standard error."""
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
        return [
            structlog.processors.dict_tracebacks,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ]
    return [structlog.dev.ConsoleRenderer(colors=False)]


def _without_colours(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """uvicorn sends each of its lines a second time, in colour."""
    event.pop("color_message", None)
    return event
