"""Conversations for servers whose chat templates know fewer roles than others. Pure."""

from collections.abc import Sequence

from llm.port import Message


def without_system(messages: Sequence[Message]) -> list[Message]:
    """What the system message says is said by the user instead, before the first question."""
    said = "\n\n".join(each.content for each in messages if each.role == "system")
    others = [each for each in messages if each.role != "system"]
    if not said:
        return others
    if others and others[0].role == "user":
        return [Message("user", f"{said}\n\n{others[0].content}"), *others[1:]]
    return [Message("user", said), *others]


def in_turns(messages: Sequence[Message]) -> list[Message]:
    """User and assistant by turns: neighbours of one role are joined.

    >>> [m.content for m in in_turns([Message("user", "a"), Message("user", "b")])]
    ['a\\n\\nb']
    """
    joined: list[Message] = []
    for each in messages:
        last = joined[-1] if joined else None
        if last is not None and last.role == each.role and not (each.tool_calls or last.tool_calls):
            joined[-1] = Message(each.role, f"{last.content}\n\n{each.content}")
        else:
            joined.append(each)
    return joined
