"""The tool `read_papers`: a question each for one to three papers, where a search left a gap."""

from collections.abc import Mapping
from typing import Any

from chat.evidence_book import EvidenceBook
from chat.toolbox import ToolError
from llm.port import Tool
from retrieval.catalogue import names_in
from retrieval.evidence import Scope
from retrieval.targeted import (
    MOST_PAPERS,
    PaperQuestion,
    PaperReading,
    TargetedReadingError,
    read_papers,
)

LONGEST_QUESTION = 600

READ_PAPERS = Tool(
    "read_papers",
    "Read one to three papers of this library for one question each, when a search left something "
    "open. Gives numbered evidence: parts of each paper, not the whole. "
    "检索之后仍有空缺时，就一至三篇论文各提一个问题来阅读；返回带编号的证据，只是论文的一部分。",
    {
        "type": "object",
        "properties": {
            "papers": {
                "type": "array",
                "minItems": 1,
                "maxItems": MOST_PAPERS,
                "items": {
                    "type": "object",
                    "properties": {
                        "paper": {
                            "type": "string",
                            "description": "Its title, author and year, or the number of a "
                            "passage of it, such as [3]. 题目、作者和年份，或其段落的编号。",
                        },
                        "question": {
                            "type": "string",
                            "description": "What is still open. 还需要弄清的问题。",
                        },
                    },
                    "required": ["paper", "question"],
                },
            }
        },
        "required": ["papers"],
    },
)


def readings(
    arguments: Mapping[str, Any], scope: Scope, book: EvidenceBook
) -> tuple[PaperReading, ...]:
    """What was read. Raises `ToolError`, which says how to ask better."""
    given = arguments.get("papers")
    entries = given if isinstance(given, list) else [arguments]
    try:
        return read_papers([_asked(entry, scope, book) for entry in entries], scope=scope)
    except TargetedReadingError as problem:
        raise ToolError(str(problem)) from problem


def _asked(entry: object, scope: Scope, book: EvidenceBook) -> PaperQuestion:
    match entry:
        case {"paper": str(paper) | int(paper), "question": str(question)}:
            key = _document(str(paper), scope, book)
            return PaperQuestion(key, question.strip()[:LONGEST_QUESTION])
    raise ToolError('`read_papers` needs {"papers": [{"paper": "title", "question": "..."}]}.')


def _document(words: str, scope: Scope, book: EvidenceBook) -> str:
    """The one paper that is meant; several or none is an error with what to do about it."""
    titles = {version.document_id: version.title for version in scope.versions}
    if words in titles:
        return words
    cited = {number: each.anchor.document for number, each in book.cited().items()}
    for form in (words, f"“{words}”", f"[{words}]"):
        names = names_in(form, scope, cited=cited)
        if len(names.found) == 1:
            return names.found[0]
        if names.unclear:
            fitting = "; ".join(titles[key] for key in names.unclear[0].papers if key in titles)
            raise ToolError(f"“{words}” may be any of: {fitting}. Give the whole title.")
    raise ToolError(f"There is no paper “{words}”. `list_papers` lists their titles.")
