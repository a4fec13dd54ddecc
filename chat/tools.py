"""The tools of a run: `search`, `list_papers`, `read_papers`. Their words go to the model."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from chat.at_once import at_once
from chat.evidence_book import EvidenceBook
from chat.paper_fates import PaperRecord
from chat.reading_tool import READ_PAPERS, readings
from chat.skills.reading import Skill
from chat.toolbox import ToolError, ToolResult, could_not
from citations.marker_forms import escape_brackets
from citations.raised_digits import passages_spelt
from llm.port import Tool, ToolCall
from retrieval.evidence import Evidence, Scope, SearchResult
from retrieval.light_model import LightModel
from retrieval.named_papers import Names
from retrieval.planning import Plan, plan_without_model
from retrieval.search import search
from retrieval.targeted import PaperReading

Numbering = Callable[[], ToolResult]
"""Gives the numbers to what was found: only now does the run know of it."""
LONGEST_QUERY = 600
MOST_PAPERS_LISTED = 200

SEARCH = Tool(
    "search",
    "Search the papers of this library for passages on a need. Returns numbered evidence. "
    "在文献库中检索与问题有关的段落，返回带编号的证据。",
    {
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "What you need to know, in plain words. 用一句话说明要查什么。",
            },
            "language": {
                "type": "string",
                "description": "Only papers in this language, such as en or zh. 只查此语言的论文。",
            },
        },
        "required": ["query"],
    },
)
LIST_PAPERS = Tool(
    "list_papers",
    "List the papers of this library by title. 列出文献库中的论文题目。",
    {"type": "object", "properties": {}},
)
_FENCE = re.compile(r"<(?=\s*/?\s*evidence\b)", re.IGNORECASE)


class LibraryTools:
    """What a run may do in one scope. What it finds gets its number in `book`."""

    def __init__(
        self,
        scope: Scope,
        book: EvidenceBook,
        *,
        papers: PaperRecord | None = None,
        light: LightModel | None = None,
        question: str = "",
        shown_numbers: Mapping[int, int] | None = None,
        skill: Skill | None = None,
        must_read: bool = False,
    ) -> None:
        """The run's `skill` says which tools there are; without one papers can't be read for
        evidence. `must_read`: an answer needs such a reading. `shown_numbers` are those that
        the reader of the latest answer sees, by this run's: what `question` means by "[2]".
        """
        allowed = {SEARCH.name, LIST_PAPERS.name} if skill is None else skill.usable_tools
        offered = (SEARCH, LIST_PAPERS, READ_PAPERS)
        self.tools: Sequence[Tool] = tuple(tool for tool in offered if tool.name in allowed)
        self._must_read = must_read
        self._scope = scope
        self._book = book
        self._light = light
        self._question = question
        self._question_as_query = _one_line(question)[:LONGEST_QUERY]
        self._shown_numbers = shown_numbers or {}
        self.papers = papers or PaperRecord()
        """What became of each paper."""
        self.traces: list[dict[str, Any]] = []
        """What each search did: its query, its numbers and the steps of retrieval."""

    def has_evidence(self) -> bool:
        return bool(self._book)

    def has_looked(self) -> bool:
        return bool(self.traces)

    def has_read(self) -> bool:
        is_read = any("read" in trace or "whole" in trace for trace in self.traces)
        return is_read or not self._must_read

    def use(self, calls: Sequence[ToolCall]) -> list[ToolResult]:
        """All calls look at once; what they found gets its numbers in the order of the calls."""
        return [number() for number in at_once([partial(self._found, call) for call in calls])]

    def _found(self, call: ToolCall) -> Numbering:
        """Do what takes long, and nothing that another call could notice."""
        try:
            return self._looked(call)
        except ToolError as problem:
            return partial(could_not, problem)

    def _looked(self, call: ToolCall) -> Numbering:
        names = [tool.name for tool in self.tools]
        if call.name not in names:
            told = ", ".join(names) or "none"
            raise ToolError(f"There is no tool {call.name!r}. The tools are: {told}.")
        if call.name == SEARCH.name:
            query = _query(call.arguments)
            return self._search(
                query[:LONGEST_QUERY],
                str(call.arguments.get("language") or ""),
                cut=len(query[LONGEST_QUERY:]),
            )
        if call.name == LIST_PAPERS.name:
            return self._list_papers
        return partial(self._read, readings(call.arguments, self._scope, self._book))

    def _search(self, query: str, language: str, *, cut: int) -> Numbering:
        """`cut`: as many characters of the query were left off."""
        plan = plan_toward(query, language) if language else None
        result = search(
            query,
            scope=self._in_language(language),
            plan=plan,
            light=self._light,
            own_words=self._question,
            cited=self._documents_by_number(query),
        )
        return partial(self._searched, query, language, cut, result)

    def _searched(self, query: str, language: str, cut: int, result: SearchResult) -> ToolResult:
        numbered = [(self._book.add(each), each) for each in result.evidence]
        self.traces.append(
            {
                "query": query,
                "query_cut": cut,
                "language": language,
                "numbers": [number for number, _ in numbered],
                "search": result.trace.steps_as_json(),
            }
        )
        self.papers.see(result.trace.papers)
        papers = {each.version.file_id for _, each in numbered}
        found: dict[str, Any] = {"passages": len(numbered), "papers": len(papers)}
        if result.trace.vectors != "ok":
            found["keywords_only"] = True
        parts = [*fenced(numbered), *self._unclear(result.names)] or [
            "Nothing was found. 没有找到。"
        ]
        return ToolResult("\n\n".join(parts), found)

    def _documents_by_number(self, query: str) -> dict[int, str]:
        """What numbers mean: a model's are of this run, the question's of the latest answer."""
        own = {number: cited.anchor.document for number, cited in self._book.cited().items()}
        if query != self._question_as_query:
            return own
        return {
            shown: own[number] for number, shown in self._shown_numbers.items() if number in own
        }

    def _unclear(self, names: Names) -> Iterator[str]:
        """What to ask back: names that fit several papers are never resolved by a guess."""
        titles = {version.document_id: version.title for version in self._scope.versions}
        for each in names.unclear:
            papers = "\n".join(as_attribute(titles[key]) for key in each.papers if key in titles)
            yield (
                f"“{as_attribute(each.words)}” may be any of:\n{titles_fenced(papers)}\n"
                "Unless the question says "
                "which, ask it back. 上述名称对应多篇论文；问题若未说明是哪一篇，请反问。"
            )

    def _read(self, read: Sequence[PaperReading]) -> ToolResult:
        parts, numbers = [], []
        for paper in read:
            numbered = [(self._book.add(each), each) for each in paper.evidence]
            numbers += [number for number, _ in numbered]
            parts += fenced(numbered)
            parts.append(f"{titles_fenced(as_attribute(paper.version.title))}\n{paper.statement}")
        self.traces.append(
            {
                "read": [
                    {
                        "document": paper.version.document_id,
                        "question": paper.question,
                        "parts_read": paper.chunks_read,
                        "parts": paper.chunks,
                    }
                    for paper in read
                ],
                "numbers": numbers,
            }
        )
        return ToolResult("\n\n".join(parts), {"passages": len(numbers), "papers": len(read)})

    def _in_language(self, language: str) -> Scope:
        """The papers in one language; all of them if none is, or no language was named."""
        named = language.lower()[:2]
        versions = tuple(each for each in self._scope.versions if each.language[:2] == named)
        return replace(self._scope, versions=versions) if named and versions else self._scope

    def _list_papers(self) -> ToolResult:
        versions = self._scope.versions
        lines = [f"- {as_attribute(version.title)}" for version in versions[:MOST_PAPERS_LISTED]]
        if len(versions) > MOST_PAPERS_LISTED:
            lines.append(f"... and {len(versions) - MOST_PAPERS_LISTED} more, not listed here.")
        text = titles_fenced("\n".join(lines)) if lines else "The library is empty."
        return ToolResult(text, {"papers": len(versions)})


def plan_toward(query: str, language: str) -> Plan:
    """The plain plan with each query's vector carried over to the language of the papers."""
    plan = plan_without_model(query)
    return Plan(tuple(replace(each, toward=language) for each in plan.queries))


def fenced(numbered: Sequence[tuple[int, Evidence]]) -> list[str]:
    """Passages as the model sees them: numbered, fenced in, nothing in them looks like ours."""
    texts = passages_spelt(
        [(each.version.parsed_id, each.spans, each.text) for _, each in numbered]
    )
    return [_fenced(*each, text) for each, text in zip(numbered, texts, strict=True)]


def _fenced(number: int, evidence: Evidence, text: str) -> str:
    pages = sorted({span.page for span in evidence.spans})
    section = " > ".join(evidence.section)
    head = [f'number="{number}"', f'paper="{as_attribute(evidence.version.title)}"']
    head.append(f'page="{"-".join(str(page) for page in dict.fromkeys((pages[0], pages[-1])))}"')
    if section:
        head.append(f'section="{as_attribute(section)}"')
    return f"[{number}]\n<evidence {' '.join(head)}>\n{_harmless(text)}\n</evidence>"


def titles_fenced(titles: str) -> str:
    """Titles are text of documents too: what one says is never an instruction."""
    return f'<evidence kind="titles">\n{titles}\n</evidence>'


def fenced_text(number: int, title: str, text: str) -> str:
    """Cited text of an earlier answer as the model sees it."""
    head = f'number="{number}" paper="{as_attribute(title)}"'
    return f"[{number}]\n<evidence {head}>\n{_harmless(text)}\n</evidence>"


def _harmless(text: str) -> str:
    """Document text with its own bracketed numbers escaped and its own fences broken."""
    return _FENCE.sub("‹", escape_brackets(text))


def as_attribute(text: str) -> str:
    """Text of a document that stays on one line and inside its quotation marks."""
    return _one_line(_harmless(text).replace('"', "'").replace("<", "‹").replace(">", "›"))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _query(arguments: Mapping[str, Any]) -> str:
    """The query, under whichever name a model gives it."""
    given = next(
        (arguments[name] for name in ("query", "need", "q", "queries") if name in arguments), ""
    )
    if isinstance(given, list):
        given = " ".join(part for part in given if isinstance(part, str))
    query = _one_line(given) if isinstance(given, str) else ""
    if not query:
        raise ToolError('`search` needs {"query": "what you want to know"}.')
    return query
