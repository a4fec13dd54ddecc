"""Which chat models this installation uses, read from the settings once at start-up."""

from django.conf import settings

from llm.configured import set_endpoints
from llm.openai_compatible import Endpoint


def configure_models() -> None:
    """Tell `llm` what the settings say. Without a base URL there is no language model."""
    main = _endpoint(settings.LITO_LLM_MODEL)
    light = _endpoint(settings.LITO_LLM_LIGHT_MODEL)
    set_endpoints(main=main, light=light)


def _endpoint(model: str) -> Endpoint | None:
    if not settings.LITO_LLM_BASE_URL or not model:
        return None
    return Endpoint(
        base_url=settings.LITO_LLM_BASE_URL,
        model=model,
        api_key=settings.LITO_LLM_API_KEY,
        timeout=settings.LITO_LLM_TIMEOUT,
    )
