"""The tree that the turns of a conversation form, and the paths through it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from chat.models import Conversation, Turn


@dataclass(frozen=True)
class Tree:
    """The turns of one conversation by their keys: each with the one before it, None at the start.

    A later turn has a larger key.
    """

    before: Mapping[int, int | None]

    @classmethod
    def of(cls, conversation: Conversation) -> "Tree":
        turns = Turn.objects.filter(conversation=conversation).order_by("pk")
        return cls(dict(turns.values_list("pk", "before_id")))

    def path(self, last: int | None) -> list[int]:
        """From the first turn to `last`."""
        path: list[int] = []
        while last is not None and last in self.before:
            path.append(last)
            last = self.before[last]
        return path[::-1]

    def beside(self, turn: int) -> Sequence[int]:
        """The turns that stand in the same place, itself among them, in the order of asking."""
        return self._following[self.before[turn]]

    def latest_under(self, turn: int) -> int:
        """The turn asked last among `turn` and all that follow from it: it ends a branch."""
        return max(self._under(turn))

    @cached_property
    def _following(self) -> dict[int | None, list[int]]:
        following: dict[int | None, list[int]] = {}
        for turn, before in self.before.items():
            following.setdefault(before, []).append(turn)
        return following

    def _under(self, turn: int) -> Iterator[int]:
        waiting = [turn]
        while waiting:
            found = waiting.pop()
            yield found
            waiting += self._following.get(found, [])
