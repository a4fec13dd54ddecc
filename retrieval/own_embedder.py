"""For commands: the model in this process, where no embedding service is up."""

from contextlib import suppress

from django.conf import settings

from documents.vectors.embedding import EmbedderUnavailableError, active_space


def load_embedder_if_no_service() -> None:
    """Let this process embed by itself if nobody else does. Without a model, nothing changes."""
    with suppress(EmbedderUnavailableError):
        active_space()
        return
    settings.LITO_EMBEDDING_IN_PROCESS = True
