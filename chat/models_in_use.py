"""Which chat models are used: a project's, else the installation's, else those of the settings."""

from django.conf import settings

from llm.configured import set_chooser, set_endpoints
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


def _endpoint(model: str) -> Endpoint | None:
    if not settings.LITO_LLM_BASE_URL or not model:
        return None
    return Endpoint(
        base_url=settings.LITO_LLM_BASE_URL,
        model=model,
        api_key=settings.LITO_LLM_API_KEY,
        timeout=settings.LITO_LLM_TIMEOUT,
    )
