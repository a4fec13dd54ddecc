"""Reasoning that some servers send inside the text, between `<think>` tags: never shown."""

OPEN, CLOSE = "<think>", "</think>"


class ThinkingFilter:
    """Feed it text piece by piece; it gives back the text without a leading `<think>` part."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "start"

    def feed(self, text: str) -> str:
        if self._state == "answer":
            return text
        self._held += text
        if self._state == "start":
            begun = self._held.lstrip()
            if OPEN.startswith(begun[: len(OPEN)]) and len(begun) < len(OPEN):
                return ""
            self._state = "thinking" if begun.startswith(OPEN) else "answer"
        if self._state == "thinking":
            _, closed, rest = self._held.partition(CLOSE)
            if not closed:
                return ""
            self._state, self._held = "thought", rest
        if self._state == "thought":
            self._held = self._held.lstrip()
            self._state = "answer" if self._held else "thought"
        released, self._held = self._held, ""
        return released

    def finish(self) -> str:
        """What was held back and turned out to be text."""
        return self._held if self._state == "start" else ""
