"""What can go wrong between us and a model's server, as `ModelError`s without any secret."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import openai

from llm.port import ModelError

LONGEST_REASON = 240
_KEY_LIKE = re.compile(r"\b(?:sk|key|pk|api)[-_][\w-]{4,}|Bearer\s+\S+", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context.{0,20}(length|window|size)|too many tokens|maximum.{0,20}tokens|exceed.{0,30}context",
    re.IGNORECASE,
)

_SENTENCES = {
    "unreachable": "The model's server can't be reached. Check its address and that it runs.",
    "timeout": "The model's server did not answer in time. Try again, or raise the time limit.",
    "rate_limited": "The model's server is busy or its quota is used up. Try again later.",
    "unauthorized": "The model's server did not accept the key. Check the key.",
    "no_such_model": "The server does not have this model. Check the model's name.",
    "context_too_long": "The conversation is too long for this model. Start a new one.",
    "bad_request": "The model's server refused the request.",
    "server_error": "The model's server failed. Try again later.",
    "cut_off": "The connection to the model broke in mid-answer. Try again.",
    "empty": "The model gave an empty answer. Try again, or choose another model.",
}


def model_error(code: str, *, reason: str = "", retry_after: float | None = None) -> ModelError:
    """The error with its standing sentence, and the server's reason if one may be shown."""
    sentence = _SENTENCES[code]
    if reason:
        sentence = f"{sentence} It said: {reason}"
    return ModelError(code, sentence, retry_after=retry_after)


def read_failure(problem: Exception, *, secret: str, opened: bool = False) -> ModelError:
    """Tell apart what the openai package raises. `opened`: the reply had begun."""
    if isinstance(problem, openai.APITimeoutError):
        return model_error("timeout")
    if isinstance(problem, openai.APIStatusError):
        return _read_status(problem, secret)
    if isinstance(problem, openai.APIConnectionError):
        return model_error("cut_off" if opened else "unreachable")
    if isinstance(problem, openai.APIError):
        reason = _shown(problem.message, secret)
        code = "context_too_long" if _TOO_LONG.search(problem.message) else "server_error"
        return model_error(code, reason=reason)
    return model_error("cut_off")


def _read_status(problem: openai.APIStatusError, secret: str) -> ModelError:
    status, said = problem.status_code, str(problem.body or problem.message)
    if status in (401, 403):
        return model_error("unauthorized")
    if status == 429:
        return model_error("rate_limited", retry_after=_retry_after(problem))
    if status == 404:
        return model_error("no_such_model")
    if status == 408:
        return model_error("timeout")
    if status >= 500:
        return model_error("server_error", retry_after=_retry_after(problem))
    if status == 413 or _TOO_LONG.search(said):
        return model_error("context_too_long")
    return model_error("bad_request", reason=_shown(problem.message, secret))


def _retry_after(problem: openai.APIStatusError) -> float | None:
    """Seconds that the server asks for: it names them, or a date."""
    said = problem.response.headers.get("retry-after", "")
    try:
        return max(0.0, float(said))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _shown(reason: str, secret: str) -> str:
    """A server's own words, which may repeat our key, made fit to be read by anyone."""
    cleaned = reason.replace(secret, "…") if secret else reason
    return " ".join(_KEY_LIKE.sub("…", cleaned).split())[:LONGEST_REASON]
