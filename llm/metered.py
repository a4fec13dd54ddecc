"""A model whose small replies are counted: whoever asks it need not know."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from llm.port import ChatModel, Message, ModelEvent, Reply, Spent, Tool, Usage, uncounted


@dataclass(slots=True)
class Metered:
    """`spent` hears of each reply in a schema. Streams tell of their tokens themselves."""

    model: ChatModel
    spent: Spent
    name: str = field(init=False)

    def __post_init__(self) -> None:
        self.name = self.model.name

    def stream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = ()
    ) -> Iterator[ModelEvent]:
        return self.model.stream(messages, tools)

    def complete_json(
        self, messages: Sequence[Message], schema: type[Reply], *, spent: Spent = uncounted
    ) -> Reply:
        def tell(usage: Usage, *, is_estimate: bool) -> None:
            spent(usage, is_estimate=is_estimate)
            self.spent(usage, is_estimate=is_estimate)

        return self.model.complete_json(messages, schema, spent=tell)
