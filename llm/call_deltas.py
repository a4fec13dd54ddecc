"""Tool calls that arrive in pieces, in the dialects that servers speak, joined into whole calls."""

from dataclasses import dataclass, field
from typing import Any

from llm.port import ToolCall
from llm.printed_calls import read_arguments


@dataclass(slots=True)
class _Open:
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    given: dict[str, Any] | None = None


class CallAssembler:
    """Feed it each piece; `calls()` gives the whole calls in the order in which they began.

    Pieces belong together by `index`; some servers leave it out, others send 0 for every call and
    tell the calls apart by id alone. The name may be repeated in each piece, arguments may come as
    text in pieces, at once, or as an object.
    """

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._by_index: dict[int, _Open] = {}

    def feed(self, piece: Any) -> None:
        function = getattr(piece, "function", None)
        call = self._call_for(getattr(piece, "index", None), getattr(piece, "id", None) or "")
        name = getattr(function, "name", None) or ""
        if name and name != call.name:
            call.name += name
        arguments = getattr(function, "arguments", None)
        if isinstance(arguments, dict):
            call.given = arguments
        elif arguments:
            call.pieces.append(str(arguments))

    def calls(self) -> list[ToolCall]:
        return [
            ToolCall(
                call.id or f"call_{number}",
                call.name,
                call.given if call.given is not None else read_arguments("".join(call.pieces)),
            )
            for number, call in enumerate(self._open, start=1)
            if call.name
        ]

    def _call_for(self, index: int | None, call_id: str) -> _Open:
        if index is None:
            known = next((call for call in self._open if call_id and call.id == call_id), None)
            current = known or (self._open[-1] if self._open and not call_id else None)
        else:
            current = self._by_index.get(index)
        if current is None or (call_id and current.id and current.id != call_id):
            current = _Open()
            self._open.append(current)
        if index is not None:
            self._by_index[index] = current
        current.id = current.id or call_id
        return current
