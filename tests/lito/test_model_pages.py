"""Chat models as admins set, test and limit them; keys that nobody ever sees again."""

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO

import openai
import pytest
import structlog
from django.test import Client

from chat.answering import answer_run
from chat.models_in_use import chosen_endpoint, configure_models
from chat.testing_models import test_endpoint as look_at
from llm.configured import main_model, set_endpoints
from llm.scripted import Call, Fails, Request, Says, ScriptedEndpoint, Step
from projects.models import AuditEvent, ModelEndpoint, Project, TokenUse, User
from tests.chat.libraries import Library, new_library

KEY = "sk-very-secret-1234"


@pytest.fixture
def library(transactional_db: None, redis: object) -> Iterator[Library]:
    configure_models()
    yield new_library()
    set_endpoints(main=None)


@pytest.fixture
def admin(library: Library) -> Client:
    client = Client()
    client.force_login(User.objects.create(username="boss", is_staff=True))
    return client


@pytest.fixture
def log_lines() -> Iterator[StringIO]:
    """What is logged, as the settings have it written."""
    formatters = [handler.formatter for handler in logging.getLogger().handlers]
    [formatter] = [f for f in formatters if isinstance(f, structlog.stdlib.ProcessorFormatter)]
    written = StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(formatter)
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(_answers) as server:
        yield server


def _answers(request: Request) -> Step:
    if "tools" in request and request["messages"][-1]["role"] != "tool":
        tool = request["tools"][0]["function"]["name"]
        return Says(calls=(Call(tool, {"query": "reputation", "thing": "lemon"}),))
    if "response_format" in request:
        return Says('{"colour": "yellow"}')
    return Says("Buyers paid 8.1 % more [1].", usage=(100, 20))


def form(server: ScriptedEndpoint, **more: object) -> dict[str, object]:
    address = server.endpoint().base_url
    return {"role": "main", "base_url": address, "model": "scripted", "key": KEY, **more}


def test_a_key_is_stored_sealed_and_shown_on_no_page(
    admin: Client, endpoint: ScriptedEndpoint
) -> None:
    assert admin.post("/admin/models/set/", form(endpoint)).status_code == 302
    row = ModelEndpoint.objects.get()
    assert KEY not in row.sealed_key
    chosen = chosen_endpoint(None, "main")
    assert chosen is not None
    assert chosen.api_key == KEY
    assert KEY not in admin.get("/admin/models/").content.decode()
    assert KEY not in str(list(AuditEvent.objects.values()))
    # An empty field keeps the key; another address must not be sent it.
    admin.post("/admin/models/set/", form(endpoint, key="", model="other"))
    assert chosen_endpoint(None, "main").api_key == KEY  # type: ignore[union-attr]
    admin.post("/admin/models/set/", form(endpoint, key="", base_url="http://elsewhere/v1"))
    assert chosen_endpoint(None, "main").api_key == ""  # type: ignore[union-attr]
    assert ModelEndpoint.objects.count() == 1


@pytest.mark.parametrize("address", ["ftp://x/v1", "javascript:alert(1)", "x", "http://[x", ""])
def test_what_is_no_address_is_refused(
    admin: Client, endpoint: ScriptedEndpoint, address: str
) -> None:
    assert admin.post("/admin/models/set/", form(endpoint, base_url=address)).status_code == 422
    assert not ModelEndpoint.objects.exists()


def test_a_project_may_have_its_own_and_does_its_small_work_with_it(
    admin: Client, library: Library, endpoint: ScriptedEndpoint
) -> None:
    other = Project.objects.create(slug="other", name="Other")
    admin.post("/admin/models/set/", form(endpoint, model="everybody's"))
    admin.post("/admin/models/set/", form(endpoint, model="light", role="light"))
    admin.post("/admin/models/set/", form(endpoint, model="own", project=other.pk))
    names = {
        (project, role): chosen_endpoint(project, role).model  # type: ignore[union-attr]
        for project in (library.project.pk, other.pk)
        for role in ("main", "light")
    }
    assert names == {
        (library.project.pk, "main"): "everybody's",
        (library.project.pk, "light"): "light",
        (other.pk, "main"): "own",
        (other.pk, "light"): "own",
    }
    admin.post(f"/admin/models/{ModelEndpoint.objects.get(project=other).pk}/remove/")
    assert main_model(other.pk).name == "everybody's"  # type: ignore[union-attr]


def test_the_test_says_what_an_endpoint_can_do(admin: Client, endpoint: ScriptedEndpoint) -> None:
    admin.post("/admin/models/set/", form(endpoint))
    row = ModelEndpoint.objects.get()
    asked = admin.post(f"/admin/models/{row.pk}/test/", headers={"HX-Request": "true"})
    assert "hx-get" in asked.content.decode()
    look_at(row.pk)
    row.refresh_from_db()
    assert row.check_state == ""
    found = {name: row.checked[name] for name in ("answers", "streams", "tools", "json")}
    assert found == {"answers": True, "streams": True, "tools": "native", "json": True}
    page = admin.get(f"/admin/models/{row.pk}/check/").content.decode()
    assert "Calls tools." in page
    assert "hx-get" not in page


def test_a_test_that_fails_says_why_without_the_key(admin: Client) -> None:
    with ScriptedEndpoint(lambda _: Fails(401, "bad key {key}")) as server:
        admin.post("/admin/models/set/", form(server))
        row = ModelEndpoint.objects.get()
        look_at(row.pk)
    row.refresh_from_db()
    assert row.checked["code"] == "unauthorized"
    assert KEY not in str(row.checked)
    assert "did not accept the key" in admin.get("/admin/models/").content.decode()


ECHOES: dict[str, Step] = {
    "bad request": Fails(400, "who sent {key}?"),
    "server error": Fails(503, "{key} is too much for me"),
    "unauthorized": Fails(401, "no account has {key}"),
    "busy": Fails(429, "{key} is over its quota", headers={"Retry-After": "60"}),
}


@pytest.mark.parametrize("step", ECHOES.values(), ids=ECHOES)
def test_a_key_that_a_failing_endpoint_echoes_reaches_no_log_row_or_page(
    admin: Client, library: Library, step: Step, log_lines: StringIO
) -> None:
    key = 'no-known-shape"of\\a key'
    with ScriptedEndpoint(lambda _: step) as server:
        admin.post("/admin/models/set/", form(server, key=key))
        look_at(ModelEndpoint.objects.get().pk)
        run = library.ask("What do buyers pay for a good reputation?")
        client = openai.OpenAI(base_url=server.endpoint().base_url, api_key=key, max_retries=0)
        try:
            client.models.list()
        except openai.APIError:
            structlog.get_logger("chat").exception("a library said", sent=key)
    logging.getLogger("httpx").error("Authorization: Bearer %s", key)

    shown = [str(run.__dict__), str(ModelEndpoint.objects.values("checked", "check_state"))]
    for text in [*shown, log_lines.getvalue()]:
        assert key not in text
        assert json.dumps(key)[1:-1] not in text
    assert "Bearer (hidden)" in log_lines.getvalue()


def test_runs_are_counted_and_a_used_up_budget_refuses_the_next(
    admin: Client, library: Library, endpoint: ScriptedEndpoint
) -> None:
    prices = {"prompt_price": "2", "completion_price": "10"}
    admin.post("/admin/models/set/", form(endpoint, **prices))
    run = library.ask("What do buyers pay for a good reputation?")
    assert (run.state, run.model) == ("done", "scripted")
    main, light = TokenUse.objects.filter(run=run.public_id).order_by("pk")
    assert {(use.project, use.user) for use in (main, light)} == {(library.project, library.reader)}
    asked, told = (
        getattr(main, name) + getattr(light, name)
        for name in ("prompt_tokens", "completion_tokens")
    )
    assert (asked, told) == (run.usage["prompt_tokens"], run.usage["completion_tokens"])
    assert main.prompt_tokens >= 100
    assert light.prompt_tokens == run.usage["light_prompt_tokens"] >= 20  # a plan, and again
    expected = (2 * asked + 10 * told) / 1_000_000
    assert float(main.cost + light.cost) == pytest.approx(expected)
    assert str(asked + told) in admin.get("/admin/models/").content.decode()
    for whose, code in (
        ({"project": library.project.pk}, "project_budget"),
        ({"person": library.reader.pk}, "user_budget"),
    ):
        admin.post("/admin/models/budget/", {**whose, "monthly_tokens": 10})
        refused = library.ask("And again?")
        assert (refused.state, refused.error_code) == ("failed", code)
        admin.post("/admin/models/budget/", {**whose, "monthly_tokens": ""})
    assert TokenUse.objects.count() == 2


def test_tokens_are_estimated_where_the_server_does_not_tell(
    admin: Client, library: Library
) -> None:
    def untold(request: Request) -> Step:
        step = _answers(request)
        return replace(step, usage=None) if isinstance(step, Says) else step

    with ScriptedEndpoint(untold) as server:
        admin.post("/admin/models/set/", form(server))
        run = library.queued("What do buyers pay?")
        answer_run(run.pk)
    main, light = TokenUse.objects.order_by("pk")
    assert main.is_estimate
    assert light.is_estimate
    assert min(main.prompt_tokens, light.prompt_tokens) > 100


ADDRESSES = ("", "set/", "budget/", "1/remove/", "1/test/", "1/check/")


@pytest.mark.parametrize("address", ADDRESSES)
def test_only_admins_have_these_pages(library: Library, address: str) -> None:
    is_read = address in {"", "1/check/"}
    url = f"/admin/models/{address}"
    for user, status in ((None, 302), (library.reader, 404), (library.stranger, 404)):
        client = Client()
        if user:
            client.force_login(user)
        response = client.get(url) if is_read else client.post(url)
        assert response.status_code == status
