"""Calls of one reply are made at the same time, and what they find is numbered in their order."""

import threading
from typing import Any

import pytest
from django.db import connection

from chat.at_once import at_once
from chat.evidence_book import EvidenceBook
from chat.tools import LibraryTools
from llm.port import ToolCall
from retrieval.scope import project_scope
from tests.chat.libraries import QUESTION_SKILL, Library
from tests.chat.test_reading_tool import LEMONS, asked

CALLS = [
    ToolCall("1", "search", {"query": "premium for reputation"}),
    ToolCall("2", "read_papers", asked(LEMONS)),
    ToolCall("3", "search", {"query": ""}),
    ToolCall("4", "search", {"query": "蓝莓 储藏"}),
    ToolCall("5", "list_papers", {}),
    ToolCall("6", "search", {"query": "quality of used cars"}),
]


def test_jobs_meet_and_give_their_connections_back(transactional_db: None) -> None:
    meeting = threading.Barrier(3, timeout=10)
    used: list[Any] = []

    def job(number: int) -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT %s", [number])
            used.append(connection.connection)
            meeting.wait()
            return int(cursor.fetchone()[0])

    assert at_once([lambda n=n: job(n) for n in (3, 1, 2)]) == [3, 1, 2]  # type: ignore[misc]
    assert len({id(each) for each in used}) == 3
    assert all(each.closed for each in used)


def test_a_job_that_fails_fails_here() -> None:
    def fail() -> int:
        raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        at_once([lambda: 1, fail])


def test_numbers_are_the_same_as_one_call_after_the_other(library: Library) -> None:
    scope = project_scope(library.project)
    at_the_same_time, in_turn = (
        LibraryTools(scope, EvidenceBook(), skill=QUESTION_SKILL) for _ in range(2)
    )

    together = at_the_same_time.use(CALLS)
    one_by_one = [result for call in CALLS for result in in_turn.use([call])]

    assert together == one_by_one
    assert "error" in together[2].found
    assert at_the_same_time.traces[0]["numbers"][0] == 1
    numbers = [trace["numbers"] for trace in at_the_same_time.traces]
    assert numbers == [trace["numbers"] for trace in in_turn.traces]
