"""A model that rewrites as a case says, with the numbers that it is really shown. Pure.

It reads its numbers as a model must: beside the statements of the earlier answers, and on the
passages that searches gave it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from chat.carryover_cases import CITE, Step
from citations.marker_forms import escape_brackets
from llm.scripted import Call, Fails, Request, Says
from llm.scripted import Step as Reply

_FENCED = re.compile(r"\[(\d+)\]\n<evidence[^>\n]*>\n(.*?)\n</evidence>", re.DOTALL)
_NAMED = re.compile(r"⟦(\d+)⟧ = ((?:\[\d+\])+)")
_RUN = re.compile(r"\[(\d+)\]")


class UnknownKeyError(Exception):
    """The model was never shown what the case lets it cite."""


@dataclass(slots=True)
class CaseModel:
    """Replies to each request. `step` is what is being asked, `earlier` the answers before it."""

    texts: Mapping[str, str]
    step: Step = field(default_factory=Step)
    earlier: list[str] = field(default_factory=list)
    chunk: int = 7
    problems: list[str] = field(default_factory=list)
    requests: int = 0

    def reply(self, request: Request) -> Reply:
        self.requests += 1
        messages = request["messages"]
        if self.step.search and messages[-1]["role"] != "tool":
            asked = dict.fromkeys(key for key in self.step.keys if key in self.texts)
            calls = tuple(Call("search", {"query": self.texts[key]}) for key in asked)
            return Says(calls=calls, chunk=self.chunk)
        try:
            numbers = self.numbers(messages)
            self._check_names(messages, numbers)
            text = CITE.sub(lambda cite: f"[{_number(cite[1], numbers)}]", self.step.answer)
        except UnknownKeyError as problem:
            self.problems.append(str(problem))
            return Fails(400, "the case can't go on")
        return Says(text, chunk=self.chunk)

    def numbers(self, messages: Sequence[Mapping[str, str]]) -> dict[str, str]:
        """What each key is called in this conversation."""
        found: dict[str, str] = {}
        for message in messages:
            for number, text in _FENCED.findall(message["content"] or ""):
                for key, passage in self.texts.items():
                    if escape_brackets(passage) in text:
                        found[key] = number
        told = [m["content"] for m in messages if m["role"] == "assistant" and m["content"]]
        for template in self.earlier:
            for text in told:
                found.update(_beside(template, text))
        return found

    def _check_names(
        self, messages: Sequence[Mapping[str, str]], numbers: Mapping[str, str]
    ) -> None:
        """What the reader's own numbers are said to stand for."""
        told = dict(_NAMED.findall(messages[-1]["content"]))
        for name, keys in self.step.names.items():
            said = set(_RUN.findall(told.get(name, "")))
            if said != {numbers.get(key, "") for key in keys}:
                raise UnknownKeyError(f"[{name}] was said to be {said or 'nothing'}, not {keys}")


def _number(key: str, numbers: Mapping[str, str]) -> str:
    if key.startswith("!"):
        return key[1:]
    if key not in numbers:
        raise UnknownKeyError(f"the model was never shown {key}")
    return numbers[key]


def _beside(template: str, told: str) -> dict[str, str]:
    """The numbers that stand in an answer where its template cites; a lost citation has none."""
    parts = CITE.split(template)
    pattern = "".join(
        r"(?:\[(\d+)\])?" if at % 2 else re.escape(part) for at, part in enumerate(parts)
    )
    match = re.fullmatch(pattern, told)
    if match is None:
        return {}
    keys = parts[1::2]
    return {
        key: number for key, number in zip(keys, match.groups(), strict=True) if number is not None
    }
