"""Public ids: opaque, short, safe in a URL. Primary keys never leave the server."""

import secrets

PUBLIC_ID_LENGTH = 16


def new_public_id() -> str:
    """Return 16 random URL-safe characters (96 bits)."""
    return secrets.token_urlsafe(12)
