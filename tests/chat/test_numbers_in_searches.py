"""A number in a search names a paper: the reader's in a question, the run's in a model's query."""

import pytest

from chat.evidence_book import EvidenceBook
from chat.tools import LibraryTools
from llm.port import ToolCall
from retrieval.scope import project_scope
from tests.chat.libraries import QUESTION_SKILL, Library
from tests.retrieval.papers import add_paper

BOOKS = "Used books and their buyers"
LEMONS = "The market for lemons"


@pytest.mark.parametrize(
    ("question", "query", "named"),
    [
        ("What does [1] say of prices?", "What does [1] say of prices?", BOOKS),
        ("What does [1]\nsay of prices?", "What does [1] say of prices?", BOOKS),
        ("引用 1 对价格怎么说？", "引用 1 对价格怎么说？", BOOKS),
        ("What does [1] say of prices?", "prices in [1]", LEMONS),
        ("What of prices?", "prices in source 2", BOOKS),
        ("What does [7] say of prices?", "What does [7] say of prices?", ""),
    ],
)
def test_a_number_means_the_paper_that_its_writer_saw_under_it(
    library: Library, question: str, query: str, named: str
) -> None:
    add_paper(library.project, BOOKS, (("text", "Results", "Buyers of books compare prices."),))
    scope = project_scope(library.project)
    documents = {version.document_id: version.title for version in scope.versions}
    book = EvidenceBook()
    for title in (LEMONS, BOOKS):
        asked = {"papers": [{"paper": title, "question": "What is sold?"}]}
        LibraryTools(scope, book, skill=QUESTION_SKILL).use([ToolCall("0", "read_papers", asked)])
    own = {documents[each.anchor.document]: number for number, each in book.cited().items()}
    tools = LibraryTools(
        scope, book, question=question, shown_numbers={own[BOOKS]: 1, own[LEMONS]: 2}
    )
    query = query.replace("source 2", f"source {own[BOOKS]}")

    tools.use([ToolCall("1", "search", {"query": query})])

    found = tools.traces[-1]["search"]["names"]["found"]
    assert [documents[key] for key in found] == ([named] if named else [])
