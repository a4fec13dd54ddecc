"""Tools for servers that have none: described in words, called in JSON, answered by the user."""

import json
from collections.abc import Sequence

from llm.port import Message, Tool

_PROTOCOL = """\
You can use these tools:
{tools}

To use a tool, reply with one JSON object and nothing else, for example:
{{"tool": "{name}", "arguments": {{"...": "..."}}}}
You then get the tool's result. When you have what you need, reply with your answer as plain text.
要使用工具时，只回复一个这样的 JSON 对象；得到结果后，再用普通文字回答。"""


def describe_in_words(messages: Sequence[Message], tools: Sequence[Tool]) -> list[Message]:
    """The same conversation without tool roles, for a server that knows none."""
    told = [_in_words(message) for message in messages]
    if not tools:
        return told
    listing = "\n".join(
        f"- {tool.name}: {tool.description} Arguments: "
        f"{json.dumps(tool.parameters, ensure_ascii=False)}"
        for tool in tools
    )
    protocol = _PROTOCOL.format(tools=listing, name=tools[0].name)
    if told and told[0].role == "system":
        return [Message("system", f"{told[0].content}\n\n{protocol}"), *told[1:]]
    return [Message("system", protocol), *told]


def _in_words(message: Message) -> Message:
    if message.role == "tool":
        return Message("user", f"Result of the tool:\n{message.content}")
    if not message.tool_calls:
        return message
    calls = "\n".join(
        json.dumps({"tool": call.name, "arguments": dict(call.arguments)}, ensure_ascii=False)
        for call in message.tool_calls
    )
    return Message("assistant", f"{message.content}\n{calls}".strip())
