"""The answerer that needs no language model: verbatim sentences, each cited, or "not found".

It implements the chat-model port and drives the same agent loop, but it writes nothing of its own
beside headings and plain notices. Every sentence it shows was located as `matched` before.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, TypeVar

from chat.evidence_book import EvidenceBook
from chat.extractive_words import Words, words_for
from chat.naming import Named, mentions, named_in
from chat.prompts import is_chinese
from chat.quotable import PageText, Quotable, quotable_sentences
from chat.relevance import COVERAGE_SHARE, Measures, Scored, scored
from chat.rewriting import (
    BeyondWords,
    DropSources,
    Request,
    Shorten,
    Statement,
    read_request,
    shortened,
    statements_of,
    without_sources,
)
from chat.tools import SEARCH
from citations.segments import Segment
from llm.port import (
    CallRequested,
    CitedText,
    Finished,
    Message,
    ModelError,
    ModelEvent,
    Reply,
    Spent,
    TextDelta,
    Tool,
    ToolCall,
    uncounted,
)
from retrieval.evidence import Evidence, ScopedVersion

NAME = "extractive"
Each = TypeVar("Each")
MOST_PAPERS = 4
MOST_A_PAPER = 4
MOST_SENTENCES = 8
MOST_OF_A_BRIEF = 3
MOST_LANGUAGES = 3
KEPT_BELOW_BEST = 0.5
"""A sentence whose score is this much below the best one is not shown."""
KEPT_BELOW_BEST_ACROSS = 0.35
"""The same across languages, where scores lie nearer to each other."""


@dataclass(frozen=True, slots=True)
class Bars:
    """The score that the best sentence must reach for a question to count as answered.

    Scores are in units of the embedding space in use (`chat.cosine_ranges`). Across languages
    `across` is a nearness, as words are not shared; and a passage must stand out from the others
    (`prominent`), further if the question is answered in its own language too (`beside`).
    """

    same_script: float = 1.55
    across: float = 0.88
    prominent: float = 1.0
    beside: float = 1.2
    words_alone: float = 0.6 * COVERAGE_SHARE


@dataclass(frozen=True, slots=True)
class Library:
    """What the answerer may ask: pages of evidence, a locator, and measures of relevance."""

    page_texts: Callable[[Evidence], Mapping[int, PageText]]
    paper_text: Callable[[ScopedVersion], str]
    is_mentioned: Callable[[Named], bool]
    is_matched: Callable[[Evidence, Quotable], bool]
    measures: Measures
    measures_across: Measures
    prominence: Callable[[str, str], float]
    papers: int
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EarlierAnswer:
    """The latest answer with this run's numbers for its citations, and the question it answered.

    `shown_numbers` are those that its reader sees.
    """

    question: str
    segments: tuple[Segment, ...]
    shown_numbers: Mapping[int, int]
    only_part: bool = False
    """The request is about one part of it."""


@dataclass(slots=True)
class ExtractiveAnswerer:
    """One run's answerer. `outcome` says afterwards what it did."""

    question: str
    book: EvidenceBook
    library: Library
    earlier: EarlierAnswer | None = None
    changes_earlier: bool = False
    """The run was begun to change the earlier answer, whatever the question sounds like."""
    is_by_paper: bool = False
    """Each paper gets its best sentence before one gets its second, as a comparison needs it."""
    most_sentences: int = MOST_SENTENCES
    bars: Bars = field(default_factory=Bars)
    name: str = NAME
    outcome: str = ""
    cuts: dict[str, Any] = field(default_factory=dict)
    """What a bound left out: languages that were not searched, sentences that were not compared."""

    def stream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = ()
    ) -> Iterator[ModelEvent]:
        request = read_request(self.question) if self.earlier else None
        if self.earlier and (request or self.earlier.only_part or self.changes_earlier):
            yield from self._rewrite(request or BeyondWords("rephrase"), self.earlier)
            yield Finished("stop")
        elif messages[-1].role != "tool":
            yield from self._searches()
            yield Finished("tool_calls")
        else:
            yield from self._answer()
            yield Finished("stop")

    def complete_json(
        self, messages: Sequence[Message], schema: type[Reply], *, spent: Spent = uncounted
    ) -> Reply:
        raise ModelError("bad_request", "This answerer is not a language model.")

    def _searches(self) -> Iterator[ModelEvent]:
        """One search of everything, and one in each other language of the library.

        Vectors of one language lie nearer to each other than to another's, so that papers in the
        language of the question would hide the rest.
        """
        for number, language in enumerate(("", *self._other_languages()), start=1):
            wanted = {"query": self.question, **({"language": language} if language else {})}
            yield CallRequested(ToolCall(f"search_{number}", SEARCH.name, wanted))

    def _other_languages(self) -> list[str]:
        """Languages of the library that are written otherwise than the question."""
        chinese = is_chinese(self.question)
        others = [each for each in self.library.languages if (each == "zh") != chinese]
        if left_out := others[MOST_LANGUAGES:]:
            self.cuts["languages"] = left_out
        return others[:MOST_LANGUAGES]

    def _answer(self) -> Iterator[ModelEvent]:
        passages = {
            number: evidence
            for number, evidence in self.book.passages()
            if self._mentions_what_is_named(evidence)
        }
        chosen = self._chosen(self._good_enough(passages), passages)
        if chosen:
            self.outcome = "answered"
            yield from _by_paper(chosen, passages)
        else:
            self.outcome = "not_found"
            yield from self._not_found(words_for(self.question))

    def _not_found(self, words: Words) -> Iterator[ModelEvent]:
        """That nothing was found; and the names and numbers of the question that no paper has."""
        papers = self.library.papers
        yield TextDelta(words.not_found_in(papers))
        yield CitedText(self.question, None)
        unknown = [each for each in named_in(self.question) if not self.library.is_mentioned(each)]
        for place, each in enumerate(unknown if papers else ()):
            yield TextDelta((words.between_names if place else words.not_mentioned) + "“")
            yield CitedText(each.word, None)
            yield TextDelta("”")
        if papers and unknown:
            yield TextDelta(words.check_names)
        yield TextDelta(words.not_found_advice)

    def _mentions_what_is_named(self, evidence: Evidence) -> bool:
        """Whether the paper knows the names and numbers of the question.

        In the other script names are written otherwise; numbers are not.
        """
        same_script = is_chinese(evidence.text) == is_chinese(self.question)
        asked = [each for each in named_in(self.question) if same_script or each.is_number]
        if not asked:
            return True
        text = self.library.paper_text(evidence.version)
        return all(mentions(text, each) for each in asked)

    def _good_enough(self, passages: Mapping[int, Evidence]) -> list[Scored]:
        """The sentences worth showing, best first: in the question's script, then in the other."""
        sentences = [
            sentence
            for number, evidence in passages.items()
            for sentence in quotable_sentences(number, evidence, self.library.page_texts(evidence))
        ]
        chinese = is_chinese(self.question)
        own = [each for each in sentences if is_chinese(each.text) == chinese]
        other = [each for each in sentences if is_chinese(each.text) != chinese]
        bar = self.bars.same_script
        ranked = self._scored(own, self.library.measures)
        if not _told_by_meaning(ranked):
            bar = self.bars.words_alone
        near = _best(ranked, KEPT_BELOW_BEST) if ranked and ranked[0].score >= bar else []
        prominence = max(
            (self.library.prominence(self.question, each) for each in self._other_languages()),
            default=0.0,
        )
        if prominence >= (self.bars.beside if near else self.bars.prominent):
            ranked = self._scored(other, self.library.measures_across)
            if max((each.nearness for each in ranked), default=0.0) >= self.bars.across:
                near += _best(ranked, KEPT_BELOW_BEST_ACROSS)
        return near

    def _scored(self, sentences: Sequence[Quotable], measures: Measures) -> list[Scored]:
        ranked = scored(self.question, sentences, measures)
        if left_out := len(sentences) - len(ranked):
            self.cuts["sentences"] = self.cuts.get("sentences", 0) + left_out
        return ranked

    def _chosen(
        self, ranked: Sequence[Scored], passages: Mapping[int, Evidence]
    ) -> dict[str, list[Quotable]]:
        """The sentences to show by paper, the most relevant paper first."""
        chosen: dict[str, list[Quotable]] = {}
        seen: set[str] = set()
        if self.is_by_paper:
            ranked = in_turns(ranked, lambda each: passages[each.sentence.number].version.file_id)
        for each in ranked:
            evidence = passages[each.sentence.number]
            paper = evidence.version.file_id
            full = len(chosen.get(paper, ())) >= MOST_A_PAPER
            new = paper not in chosen and len(chosen) >= MOST_PAPERS
            if full or new or each.sentence.text in seen:
                continue
            if self.library.is_matched(evidence, each.sentence):
                seen.add(each.sentence.text)
                chosen.setdefault(paper, []).append(each.sentence)
            if sum(map(len, chosen.values())) >= self.most_sentences:
                break
        return chosen

    def _rewrite(self, request: Request, earlier: EarlierAnswer) -> Iterator[ModelEvent]:
        words = words_for(self.question)
        statements = statements_of(earlier.segments)
        self.outcome = "cannot"
        if earlier.only_part:
            request = BeyondWords("part")
        if isinstance(request, BeyondWords):
            yield TextDelta(words.cannot[request.what])
            return
        if not statements:
            yield TextDelta(words.nothing_to_change)
            return
        kept = self._kept(request, statements, earlier)
        if not kept:
            yield TextDelta(words.nothing_left)
        elif len(kept) == len(statements) and isinstance(request, DropSources):
            yield TextDelta(words.not_cited)
        elif len(kept) == len(statements):
            yield TextDelta(words.no_shorter)
        else:
            self.outcome = "rewritten"
            yield from _statements(kept)

    def _kept(
        self,
        request: Shorten | DropSources,
        statements: Sequence[Statement],
        earlier: EarlierAnswer,
    ) -> list[Statement]:
        if isinstance(request, DropSources):
            return without_sources(statements, request.numbers, earlier.shown_numbers.__getitem__)
        similarity = self.library.measures.similarity
        return shortened(statements, request, lambda texts: similarity(earlier.question, texts))


def in_turns(ranked: Sequence[Each], key: Callable[[Each], str]) -> list[Each]:
    """The first of each group, best groups first, then the second of each, and so on.

    >>> in_turns(["a1", "a2", "a3", "b1", "b2"], key=lambda each: each[0])
    ['a1', 'b1', 'a2', 'b2', 'a3']
    """
    groups: dict[str, list[Each]] = {}
    for each in ranked:
        groups.setdefault(key(each), []).append(each)
    return [each for turn in zip_longest(*groups.values()) for each in turn if each is not None]


def _best(ranked: Sequence[Scored], below: float) -> list[Scored]:
    """Those whose score is at most `below` under the best one."""
    return [each for each in ranked if each.score >= ranked[0].score - below]


def _told_by_meaning(ranked: Sequence[Scored]) -> bool:
    """Whether an embedder that knows the language had its say; else words alone decide."""
    return any(each.nearness for each in ranked)


def _by_paper(
    chosen: Mapping[str, Sequence[Quotable]], passages: Mapping[int, Evidence]
) -> Iterator[ModelEvent]:
    statements: list[Statement] = []
    for sentences in chosen.values():
        title = passages[sentences[0].number].version.title
        in_order = sorted(sentences, key=lambda each: (each.spans[0].page, each.spans[0].start))
        statements += [Statement(each.text, (each.number,), title, 0) for each in in_order]
    yield from _statements(statements)


def _statements(statements: Sequence[Statement]) -> Iterator[ModelEvent]:
    heading = ""
    for statement in statements:
        if statement.heading != heading:
            yield TextDelta("\n\n# " if heading else "# ")
            yield CitedText(statement.heading, None)
            yield TextDelta("\n\n")
            heading = statement.heading
        else:
            yield TextDelta(" ")
        yield CitedText(statement.text, statement.cites[0])
        yield from (CitedText("", cite) for cite in statement.cites[1:])
