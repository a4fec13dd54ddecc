"""What Crossref and OpenAlex say of a DOI. Knows their JSON, nothing of ours."""

import html
import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

import httpx2
from django.utils import timezone

from documents.catalogue.references import LENGTHS, Person, language_code, one_line

MOST_BYTES = 4 * 1024 * 1024
LONGEST_ANSWER = 30
"""Seconds. A time-out counts from byte to byte; one that comes now and then has no end."""
LONGEST_PAUSE = 24 * 3600
NOT_KNOWN = (400, 404, 410, 414, 422)
"""There is no such DOI, or none that this service understands. Others may be asked for."""
_KINDS = {
    "journal-article": "article-journal",
    "article": "article-journal",
    "proceedings-article": "paper-conference",
    "dissertation": "thesis",
    "book": "book",
    "monograph": "book",
    "book-chapter": "chapter",
    "report": "report",
    "posted-content": "article",
    "preprint": "article",
}


class ServiceAwayError(Exception):
    """No answer to be had now: no network, a time-out, a busy or a broken service."""

    def __init__(self, reason: str, *, retry_after: int | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class UnusableAnswerError(ServiceAwayError):
    """The service is well, but what it sent for this DOI can't be used."""


@dataclass(frozen=True, slots=True)
class ServiceRecord:
    """A work as a registry knows it. `notices` are `{"kind", "doi", "date"}`."""

    fields: dict[str, Any]
    notices: tuple[dict[str, str], ...] = ()
    details: dict[str, Any] = field(default_factory=dict)


def crossref(client: httpx2.Client, base: str, doi: str, *, mailto: str) -> ServiceRecord | None:
    """Crossref's record; None if it has none. Raises `ServiceAwayError`."""
    found = _get(client, f"{base.rstrip('/')}/works/{quote(doi, safe='')}", mailto)
    message = found.get("message") if found is not None else None
    if found is not None and not isinstance(message, dict):
        raise ServiceAwayError("Crossref sent something else than a record")
    return _from_crossref(message) if message is not None else None


def openalex(client: httpx2.Client, base: str, doi: str, *, mailto: str) -> ServiceRecord | None:
    """OpenAlex's record; None if it has none. Raises `ServiceAwayError`."""
    found = _get(client, f"{base.rstrip('/')}/works/doi:{quote(doi, safe='/')}", mailto)
    return _from_openalex(found) if found is not None else None


def only_to(*bases: str) -> Callable[[httpx2.Request], None]:
    """A check of each request, redirected ones too: it goes to one of these services.

    A redirect may change the path, or the service to the other one, by HTTPS; nothing else. Else a
    registry, or whoever speaks in its place, could have us ask machines that only we can reach.
    """
    urls = [httpx2.URL(base) for base in bases]
    origins = {(url.scheme, url.host, url.port) for url in urls}
    hosts = {url.host for url in urls}

    def check(request: httpx2.Request) -> None:
        url = request.url
        is_safe = url.scheme == "https" and url.host in hosts and url.port is None
        if not is_safe and (url.scheme, url.host, url.port) not in origins:
            raise ServiceAwayError(f"it sends us on to {url.scheme}://{url.host}")

    return check


def _get(client: httpx2.Client, url: str, mailto: str) -> dict[str, Any] | None:
    """The JSON object at `url`; None for 404. Raises `ServiceAwayError`."""
    params = {"mailto": mailto} if mailto else {}
    plain = {"Accept-Encoding": "identity"}
    try:
        with client.stream("GET", url, params=params, headers=plain) as response:
            if response.status_code in NOT_KNOWN:
                return None
            if response.status_code != 200:
                raise ServiceAwayError(
                    f"status {response.status_code}",
                    retry_after=_pause(response.headers.get("Retry-After", "")),
                )
            found = json.loads(_body(response))
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, RecursionError) as error:
        raise ServiceAwayError(f"{type(error).__name__}: {error}") from error
    if not isinstance(found, dict):
        raise ServiceAwayError("the answer is no object")
    return found


def _body(response: httpx2.Response) -> bytes:
    """At most `MOST_BYTES`, for at most `LONGEST_ANSWER`, and nothing compressed: in a kilobyte
    that is compressed twice stands a gigabyte."""
    began = time.monotonic()
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise ServiceAwayError("the answer is compressed, which was not asked for")
    body = bytearray()
    for block in response.iter_raw():
        body += block
        if len(body) > MOST_BYTES:
            raise UnusableAnswerError("the answer is too long")
        if time.monotonic() - began > LONGEST_ANSWER:
            raise ServiceAwayError("the answer takes too long")
    return bytes(body)


def _pause(header: str) -> int | None:
    """Seconds of a `Retry-After`, which is a number or a date."""
    if re.fullmatch(r"\d{1,9}", header.strip()):
        return min(int(header), LONGEST_PAUSE)
    try:
        seconds = (parsedate_to_datetime(header) - timezone.now()).total_seconds()
    except (TypeError, ValueError):
        return None
    return max(0, min(int(seconds), LONGEST_PAUSE))


def _from_crossref(message: Mapping[str, Any]) -> ServiceRecord:
    title, subtitle = _first(message, "title"), _first(message, "subtitle")
    if subtitle and subtitle.casefold() not in title.casefold():
        title = f"{title}: {subtitle}"
    people = [person for entry in _dicts(message, "author") if (person := _crossref_name(entry))]
    kind = _KINDS.get(_text(message.get("type")), "document")
    fields = {
        "title": title,
        "authors": [person.shown for person in people],
        "year": _year(message),
        "venue": _first(message, "container-title") or _institution(message),
        "language": language_code(_text(message.get("language"))),
    }
    details = {
        "kind": kind,
        "volume": _text(message.get("volume")),
        "issue": _text(message.get("issue")),
        "pages": _text(message.get("page")).replace("-", "–"),
        "publisher": _text(message.get("publisher")),
        "people": [[person.family, person.given] for person in people],
    }
    notices = [_notice(entry) for entry in _dicts(message, "updated-by")]
    notices += [_notice(entry, prefix="notice_of_") for entry in _dicts(message, "update-to")]
    return ServiceRecord(_filled(fields), tuple(notices), _filled(details))


def _from_openalex(found: Mapping[str, Any]) -> ServiceRecord:
    names = [
        _text(entry.get("author", {}).get("display_name"))
        for entry in _dicts(found, "authorships")
        if isinstance(entry.get("author"), dict)
    ]
    location = found.get("primary_location")
    source = location.get("source") if isinstance(location, dict) else None
    biblio = found.get("biblio") if isinstance(found.get("biblio"), dict) else {}
    year = found.get("publication_year")
    pages = [_text(biblio.get(name)) for name in ("first_page", "last_page")] if biblio else []
    fields = {
        "title": _text(found.get("title") or found.get("display_name")),
        "authors": [name for name in names if name],
        "year": year if isinstance(year, int) and 1000 <= year <= 2100 else None,
        "venue": _text(source.get("display_name")) if isinstance(source, dict) else "",
        "language": language_code(_text(found.get("language"))),
    }
    details = {
        "kind": _KINDS.get(_text(found.get("type")), "document"),
        "volume": _text(biblio.get("volume")) if biblio else "",
        "issue": _text(biblio.get("issue")) if biblio else "",
        "pages": "–".join(dict.fromkeys(page for page in pages if page)),
    }
    notices = [{"kind": "retraction", "doi": "", "date": ""}] if found.get("is_retracted") else []
    return ServiceRecord(_filled(fields), tuple(notices), _filled(details))


def _crossref_name(entry: Mapping[str, Any]) -> Person | None:
    family, given = _text(entry.get("family")), _text(entry.get("given"))
    if suffix := _text(entry.get("suffix")):
        given = f"{given}, {suffix}"
    whole = family or _text(entry.get("name"))
    return Person(whole, given if family else "") if whole else None


def _institution(message: Mapping[str, Any]) -> str:
    return next((_text(entry.get("name")) for entry in _dicts(message, "institution")), "")


def _year(message: Mapping[str, Any]) -> int | None:
    for name in ("published-print", "issued", "published", "published-online"):
        date = message.get(name)
        parts = date.get("date-parts") if isinstance(date, dict) else None
        try:
            year = int(parts[0][0])  # type: ignore[index]
        except (TypeError, ValueError, OverflowError, IndexError, KeyError):
            continue
        if 1000 <= year <= 2100:
            return year
    return None


def _notice(entry: Mapping[str, Any], *, prefix: str = "") -> dict[str, str]:
    kind = re.sub(r"[^a-z]+", "_", _text(entry.get("type")).lower()).strip("_") or "update"
    updated = entry.get("updated")
    date = _text(updated.get("date-time"))[:10] if isinstance(updated, dict) else ""
    return {"kind": prefix + kind, "doi": _text(entry.get("DOI")).lower(), "date": date}


def _first(message: Mapping[str, Any], name: str) -> str:
    values = message.get(name)
    return _text(values[0]) if isinstance(values, list) and values else _text(values)


def _dicts(message: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    values = message.get(name)
    return [one for one in values if isinstance(one, dict)] if isinstance(values, list) else []


def _text(value: Any) -> str:
    """A value as one line of plain text: records hold tags (`<i>`) and entities."""
    if not isinstance(value, str):
        return ""
    return one_line(html.unescape(re.sub(r"</?[a-zA-Z][^<>]{0,80}>", "", value)))[:2000]


def _filled(values: Mapping[str, Any]) -> dict[str, Any]:
    """What is there, as long as it may be."""
    filled = {name: value for name, value in values.items() if value}
    return {
        name: value[: LENGTHS[name]] if isinstance(value, str) and name in LENGTHS else value
        for name, value in filled.items()
    }
