"""Secrets that this process has read out of rows: no line of its log may hold them. Pure."""

_known: set[str] = set()


def remember(secret: str) -> None:
    """From now on the log hides it."""
    if secret:
        _known.add(secret)


def remembered() -> frozenset[str]:
    return frozenset(_known.copy())  # another thread may add one meanwhile
