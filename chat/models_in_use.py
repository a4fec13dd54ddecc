"""Which chat models are used: a project's, else the installation's, else those of the settings."""

from dataclasses import replace

from django.conf import settings

from chat.extractive import NAME as EXTRACTIVE
from llm.configured import endpoint_in_use, set_chooser, set_endpoints
from llm.openai_compatible import Endpoint
from projects.models import ModelEndpoint
from projects.secrets import UnreadableSecretError, opened


def configure_models() -> None:
    """Tell `llm` where to look. Without any endpoint there is no language model."""
    main = _endpoint(settings.LITO_LLM_MODEL)
    light = _endpoint(settings.LITO_LLM_LIGHT_MODEL)
    set_endpoints(main=main, light=light)
    set_chooser(chosen_endpoint)


def chosen_endpoint(project_id: int | None, role: str) -> Endpoint | None:
    """What admins chose in the browser. A project's own main model does its small work too."""
    row = ModelEndpoint.objects.chosen(project_id, role)
    return endpoint_of(row) if row else None


def endpoint_of(row: ModelEndpoint) -> Endpoint:
    """A key that can't be read any more is left out: the server then says that it wants one."""
    try:
        key = opened(row.sealed_key)
    except UnreadableSecretError:
        key = ""
    return Endpoint(row.base_url, row.model, key, settings.LITO_LLM_TIMEOUT)


class NoEndpointError(Exception):
    """There is no endpoint that could be asked for another model."""


def use_model(name: str, project_id: int) -> None:
    """From now on this process answers with the model `name` of the endpoint that is in use."""
    if name == EXTRACTIVE:
        set_endpoints(main=None)
        return
    main = endpoint_in_use("main", project_id)
    if main is None:
        raise NoEndpointError
    light = endpoint_in_use("light", project_id)
    set_endpoints(main=replace(main, model=name), light=light)


def _endpoint(model: str) -> Endpoint | None:
    if not settings.LITO_LLM_BASE_URL or not model:
        return None
    return Endpoint(
        base_url=settings.LITO_LLM_BASE_URL,
        model=model,
        api_key=settings.LITO_LLM_API_KEY,
        timeout=settings.LITO_LLM_TIMEOUT,
    )
