"""Click signals: who looked at which citation, what came of it, and what readers call wrong.

Every hover, opening and search for a place is an event. Admins see rates. No claim, quotation or
answer is stored here, since an answer is its asker's alone.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from time import perf_counter

from django.db import IntegrityError, transaction
from django.db.models import Count, DateField, F, Q, QuerySet
from django.db.models.functions import TruncWeek
from django.utils import timezone

from citations.models import Citation, Signal
from citations.normalizing import normalize
from projects.models import User

CONFIRMED = ("matched", "newer_version")
UNDECIDED = ("", "locating", "removed")
"""Neither success nor failure: still being looked for, or the paper has gone."""
SHORT_QUOTE = 20
"""Folded characters below which a quote is called short."""
WEEKS = 12
MOST_ROWS = 30

Action = Signal.Action
QuoteKind = Signal.QuoteKind


@dataclass(frozen=True, slots=True)
class Rate:
    """How often citations of one kind were looked at, and how often no place was confirmed."""

    name: str
    looked: int
    failed: int
    wrong: int = 0

    @property
    def percent(self) -> float:
        return 100 * self.failed / self.looked if self.looked else 0.0


@dataclass(frozen=True, slots=True)
class Report:
    """What admins see: rates of the last `WEEKS` weeks, each list with the most failures first.

    `locating_ms` is the median and the 95th percentile of searches for a place, if there were any.
    """

    total: Rate
    weeks: Sequence[Rate]
    documents: Sequence[Rate]
    statuses: Sequence[Rate]
    kinds: Sequence[Rate]
    locating_ms: tuple[int, int] | None


def record(
    action: Action,
    citation: Citation,
    user: User,
    status: str,
    *,
    milliseconds: int | None = None,
) -> None:
    """Keep one event of a citation that `user` may read."""
    Signal.objects.create(
        project_id=citation.answer.project_id,
        citation=citation,
        version_id=citation.source.version_id,
        user=user,
        action=action,
        status=status,
        quote_kind=kind_of(citation),
        milliseconds=milliseconds,
    )


def milliseconds_since(started: float) -> int:
    """How long it is since `perf_counter` said `started`."""
    return round(1000 * (perf_counter() - started))


def kind_of(citation: Citation) -> QuoteKind:
    """What had to be looked for: a claim in other words, or a quote of which kind."""
    if not citation.quote:
        return QuoteKind.CLAIM
    if any(map(str.isdigit, citation.quote)):
        return QuoteKind.NUMBER
    is_short = len(normalize(citation.quote).text) < SHORT_QUOTE
    return QuoteKind.SHORT if is_short else QuoteKind.QUOTE


def is_called_wrong(citation: Citation, user: User) -> bool:
    return _marks(citation, user).exists()


def call_wrong(
    citation: Citation, user: User, status: str, *, wrong: bool, milliseconds: int | None = None
) -> None:
    """Mark the place of a citation as wrong, or take the mark back. Twice is the same as once."""
    marks = _marks(citation, user)
    if not wrong:
        marks.delete()
    else:
        with suppress(IntegrityError), transaction.atomic():  # marked already
            record(Action.WRONG, citation, user, status, milliseconds=milliseconds)


def _marks(citation: Citation, user: User) -> QuerySet[Signal]:
    return Signal.objects.filter(citation=citation, user=user, action=Action.WRONG)


def report() -> Report:
    """Rates over the last `WEEKS` weeks of all projects."""
    recent = Signal.objects.filter(at__gte=timezone.now() - timedelta(weeks=WEEKS))
    seen = recent.filter(action__in=(Action.HOVER, Action.OPEN)).exclude(status__in=UNDECIDED)
    marked = recent.filter(action=Action.WRONG)
    by_week = _rates(seen, marked, TruncWeek("at", output_field=DateField()))
    by_document = _rates(seen, marked, F("version__document__title"))
    by_kind = _rates(seen, marked, F("quote_kind"))
    statuses = seen.values_list("status").annotate(count=Count("pk")).order_by("-count", "status")
    failed = seen.exclude(status__in=CONFIRMED)
    return Report(
        Rate("", seen.count(), failed.count(), marked.count()),
        sorted(by_week, key=lambda rate: rate.name, reverse=True),
        sorted(by_document, key=_gravity)[:MOST_ROWS],
        [Rate(status, count, 0 if status in CONFIRMED else count) for status, count in statuses],
        sorted(by_kind, key=_gravity),
        _milliseconds(recent.filter(action=Action.LOCATE)),
    )


def _gravity(rate: Rate) -> tuple[int, int, str]:
    return -rate.wrong, -rate.failed, rate.name


def _rates(seen: QuerySet[Signal], marked: QuerySet[Signal], name: F | TruncWeek) -> list[Rate]:
    """A rate for each value of `name` among the events."""
    looked = seen.order_by().values_list(name).annotate(total=Count("pk"))
    failed = dict(looked.filter(~Q(status__in=CONFIRMED)))
    total = dict(looked)
    wrong = dict(marked.order_by().values_list(name).annotate(total=Count("pk")))
    return [
        Rate(str(value or ""), total.get(value, 0), failed.get(value, 0), wrong.get(value, 0))
        for value in total.keys() | wrong.keys()
    ]


def _milliseconds(searches: QuerySet[Signal]) -> tuple[int, int] | None:
    times = searches.exclude(milliseconds=None).order_by("milliseconds")
    count = times.count()
    if not count:
        return None
    median, slow = (
        times.values_list("milliseconds", flat=True)[at] for at in (count // 2, count * 95 // 100)
    )
    return median or 0, slow or 0
