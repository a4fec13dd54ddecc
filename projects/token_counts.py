"""What chat models were asked for: tokens and cost by run, person and project, and budgets."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

import structlog
from django.db import DatabaseError
from django.db.models import QuerySet, Sum
from django.utils import timezone

from projects.models import ModelEndpoint, Project, TokenUse, User

MILLION = Decimal(1_000_000)
LONGEST_NAME = 120

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Used:
    """Tokens and cost of one calendar month."""

    name: str
    prompt_tokens: int
    completion_tokens: int
    cost: Decimal
    budget: int | None = None

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


def cost_of(endpoint: ModelEndpoint | None, prompt_tokens: int, completion_tokens: int) -> Decimal:
    """By the prices per million tokens that an admin has entered; zero without them."""
    if endpoint is None:
        return Decimal(0)
    asked = (endpoint.prompt_price or 0) * prompt_tokens
    told = (endpoint.completion_price or 0) * completion_tokens
    return Decimal(asked + told) / MILLION


def record_use(
    *,
    project_id: int,
    user_id: int | None,
    run: str,
    role: str,
    model: str,
    prompt_tokens: int,
    completion_tokens: int,
    is_estimate: bool,
) -> None:
    """Write down what one model was asked for. If that fails it is logged, and the work goes on."""
    endpoint = ModelEndpoint.objects.chosen(project_id, role)
    if endpoint is not None and endpoint.model != model:
        endpoint = None  # another model answered: its price is not known
    try:
        TokenUse.objects.create(
            project_id=project_id,
            user_id=user_id,
            run=run,
            model=model[:LONGEST_NAME],
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            is_estimate=is_estimate,
            cost=cost_of(endpoint, prompt_tokens, completion_tokens),
        )
    except DatabaseError:  # such as a project that was deleted meanwhile
        log.exception("tokens_not_counted", run=run)


def over_budget(project: Project, user: User) -> Literal["project", "user", ""]:
    """Whose budget of this month is used up."""
    if _is_over(project.monthly_tokens, this_month().filter(project=project)):
        return "project"
    return "user" if _is_over(user.monthly_tokens, this_month().filter(user=user)) else ""


def this_month() -> "QuerySet[TokenUse]":
    begun = timezone.localtime().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return TokenUse.objects.filter(at__gte=begun)


def used_by_projects() -> list[Used]:
    """This month's use of each project that used anything or has a budget."""
    sums = _sums(this_month(), "project")
    return [
        _used(each.name, sums.get(each.pk), each.monthly_tokens)
        for each in Project.objects.order_by("name", "pk")
        if each.pk in sums or each.monthly_tokens is not None
    ]


def used_by_people() -> list[Used]:
    sums = _sums(this_month(), "user")
    return [
        _used(each.username, sums.get(each.pk), each.monthly_tokens)
        for each in User.objects.order_by("username", "pk")
        if each.pk in sums or each.monthly_tokens is not None
    ]


Sums = tuple[int, int, Decimal]


def _sums(uses: "QuerySet[TokenUse]", by: str) -> dict[int, Sums]:
    rows = uses.values_list(f"{by}_id").annotate(
        Sum("prompt_tokens"), Sum("completion_tokens"), Sum("cost")
    )
    return {key: (asked, told, cost) for key, asked, told, cost in rows.order_by(f"{by}_id")}


def _used(name: str, sums: Sums | None, budget: int | None) -> Used:
    asked, told, cost = sums or (0, 0, Decimal(0))
    return Used(name, asked, told, cost, budget)


def _is_over(budget: int | None, uses: "QuerySet[TokenUse]") -> bool:
    if budget is None:
        return False
    sums = uses.aggregate(asked=Sum("prompt_tokens"), told=Sum("completion_tokens"))
    return (sums["asked"] or 0) + (sums["told"] or 0) >= budget
