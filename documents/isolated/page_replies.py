"""Pages as values, out of what a child of `documents.isolated.isolation` answers."""

from typing import Any

import numpy as np

from documents.isolated.isolation import Failure, Reader, ReadingError, Reply
from documents.pages.page_text import Block, BlockKind, Boxes, PageState, ParsedPage
from documents.tables.table_json import tables_from_json


def asked_page(
    reader: Reader, operation: str, path: str, number: int, *, seconds: float, **arguments: Any
) -> ParsedPage:
    """What the child reads on page `number`; `failed` with its reason if it can't."""
    try:
        reply = reader.ask(operation, seconds=seconds, path=path, number=number, **arguments)
    except ReadingError as error:
        return failed_page(number, error.failure)
    return page_of(reply, number)


def failed_page(number: int, failure: Failure) -> ParsedPage:
    return ParsedPage(
        number, "", PageState.FAILED, "", np.zeros((0, 4), np.float32), 0, 0, reason=str(failure)
    )


def page_of(reply: Reply, number: int) -> ParsedPage:
    values = reply.values
    boxes: Boxes = np.frombuffer(reply.payload, "<f4").reshape(-1, 4).astype(np.float32)
    return ParsedPage(
        number=number,
        label=values["label"],
        state=PageState(values["state"]),
        text=values["text"],
        boxes=boxes,
        width=values["width"],
        height=values["height"],
        rotation=values["rotation"],
        reason=values["reason"],
        blocks=tuple(Block(BlockKind(kind), *rest) for kind, *rest in values["blocks"]),
        tables=tables_from_json(values["text"], values["tables"]),
    )
