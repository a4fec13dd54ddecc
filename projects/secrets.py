"""Secrets in rows: readable only with the installation's own key."""

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

from projects.plain_secrets import remember


class UnreadableSecretError(Exception):
    """The installation's key has changed since: the secret has to be entered again."""


def sealed(secret: str) -> str:
    remember(secret)
    return _cipher().encrypt(secret.encode()).decode() if secret else ""


def opened(kept: str) -> str:
    """What `sealed` was given. Raises `UnreadableSecretError`."""
    if not kept:
        return ""
    try:
        secret = _cipher().decrypt(kept.encode()).decode()
    except InvalidToken as error:
        raise UnreadableSecretError from error
    remember(secret)
    return secret


def _cipher() -> Fernet:
    digest = hashlib.sha256(b"secrets in rows\n" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))
