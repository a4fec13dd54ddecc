"""Targeted reading: one question put to one paper, read in the places that bear on it.

Unlike a search it ranks nothing but the paper's own chunks, takes the question as it is, and reads
on until its budget is used. What it returns is parts of a paper, and says so.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from documents.models import Chunk
from retrieval.bm25 import Index
from retrieval.candidates import candidate_of, ranked_in
from retrieval.coverage import is_body
from retrieval.evidence import Evidence, Scope, ScopedVersion
from retrieval.fusion import K_OVER_QUERIES
from retrieval.passages import Candidate, Passage, merged
from retrieval.planning import Plan, Query
from retrieval.reading_passages import evidence_of, page_texts, text_of_passage, without_headings
from retrieval.scope import in_step
from retrieval.sections import explains
from retrieval.tracing import Cuts

MOST_PAPERS = 3
BUDGET = 6_000
"""Tokens of all papers together."""
PREFERRED = 1.3
"""A chunk of a section that defines, finds or explains has its reciprocal rank so many times."""
SAYS_SO = 1.15
"""The same for a chunk whose own words do."""
BESIDE_THE_POINT = 0.5
"""The same for front matter, abstracts, and who thanks whom."""

_SAYS_SO = re.compile(
    r"\b(?:(?:is|are|was|were) defined as|we define|refers? to|denotes?"
    r"|results? (?:show|suggest|indicate)|we (?:found|find|show|observed?)"
    r"|(?:was|were) (?:significant|higher|lower|associated)"
    r"|because|due to|therefore|explain(?:s|ed)|suggests? that|conclude)\b"
    r"|定义为|是指|称为|结果(?:表明|显示)|研究发现|我们发现|显著|因为|由于|因此|导致|说明了|可见|结论",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PaperQuestion:
    """A question for one paper. `document` is its public id."""

    document: str
    question: str


@dataclass(frozen=True, slots=True)
class PaperReading:
    """What was read of one paper: passages in reading order, and how much of the whole that is.

    Tokens and chunks are those of the paper without its reference list.
    """

    version: ScopedVersion
    question: str
    evidence: tuple[Evidence, ...]
    chunks_read: int
    chunks: int
    tokens_read: int
    tokens: int

    @property
    def is_whole(self) -> bool:
        return self.chunks_read == self.chunks

    @property
    def statement(self) -> str:
        """For a language model: what this reading is, and what does not follow from it."""
        if not self.chunks:
            return "No text of this paper can be read. 这篇论文没有可读的文字。"
        if self.is_whole:
            return "The whole paper was read, but for its references. 已读完全文（参考文献除外）。"
        read = f"{self.chunks_read} of {self.chunks} parts of the paper were read"
        chinese = f"只读了这篇论文 {self.chunks} 个部分中的 {self.chunks_read} 个，不是全文"
        return (
            f"{read}, not the whole: what is not in them may stand elsewhere in it. "
            f"{chinese}：其中没有的内容，可能写在别处。"
        )


class TargetedReadingError(Exception):
    """These papers can't be read in this way; the text says what to ask for instead."""


def read_papers(
    asked: Sequence[PaperQuestion], *, scope: Scope, budget: int = BUDGET
) -> tuple[PaperReading, ...]:
    """Read each paper for its question, in the order asked, `budget` tokens all together.

    Raises `TargetedReadingError` if a paper is not in `scope`, or none or too many are asked for.
    """
    versions = {version.document_id: version for version in scope.versions}
    _check(asked, versions)
    wanted = {each.document for each in asked}
    chosen = tuple(each for each in scope.versions if each.document_id in wanted)
    scope, index = in_step(replace(scope, versions=chosen))
    now = {version.document_id: version for version in scope.versions}
    _check(asked, now)
    share = budget // len(asked)
    return tuple(_read(now[each.document], each.question, scope, index, share) for each in asked)


def _check(asked: Sequence[PaperQuestion], versions: dict[str, ScopedVersion]) -> None:
    if not asked:
        raise TargetedReadingError("Name the papers to read, each with a question.")
    if len(asked) > MOST_PAPERS:
        raise TargetedReadingError(f"At most {MOST_PAPERS} papers can be read at once.")
    for each in asked:
        if each.document not in versions:
            raise TargetedReadingError(f"There is no paper {each.document!r} in this library.")
        if not each.question.strip():
            raise TargetedReadingError("Each paper needs a question.")


def _read(
    version: ScopedVersion, question: str, scope: Scope, index: Index, budget: int
) -> PaperReading:
    whole = _chunks_of(version)
    ranked = _preferred(_ranked(version, question, whole, scope, index))
    read = _within(ranked, budget)
    passages = merged(read)
    texts = page_texts(passages)
    passages = without_headings(passages, texts, Cuts())
    in_order = sorted(passages, key=lambda each: each.members[0].ordinal)
    return PaperReading(
        version=version,
        question=question,
        evidence=evidence_of(in_order, scope, texts),
        chunks_read=len(read),
        chunks=len(whole),
        tokens_read=sum(each.tokens for each in read),
        tokens=sum(each.tokens for each in whole),
    )


def _chunks_of(version: ScopedVersion) -> list[Candidate]:
    """Everything but the reference list, in order."""
    rows = Chunk.objects.filter(parsed_id=version.parsed_id).exclude(kind="reference")
    fields = ("pk", "parsed_id", "ordinal", "spans", "section", "kind", "tokens")
    return [candidate_of(row, 0.0) for row in rows.order_by("ordinal").only(*fields)]


def _ranked(
    version: ScopedVersion, question: str, whole: Sequence[Candidate], scope: Scope, index: Index
) -> list[Candidate]:
    """The paper's chunks by the question as it stands; those that it did not find go last."""
    plan = Plan((Query(" ".join(question.split()), 1.0, "user"),))
    found = ranked_in(version, plan, scope=scope, index=index)
    seen = {each.chunk for each in found}
    references = seen - {each.chunk for each in whole}
    own = [each for each in found if each.chunk not in references]
    return own + [each for each in whole if each.chunk not in seen]


def _preferred(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Definitions, results and explanations before what is as near to the question."""
    passages = [Passage(each, (each,)) for each in ranked]
    texts = page_texts(passages)

    def worth(place: int) -> float:
        best = passages[place].best
        if not best.score:
            return 0.0
        near = 1 / (K_OVER_QUERIES + 1 + place)
        if not is_body(best):
            return near * BESIDE_THE_POINT
        by_place = PREFERRED if explains(best.section) else 1.0
        by_words = SAYS_SO if _SAYS_SO.search(text_of_passage(passages[place], texts)) else 1.0
        return near * by_place * by_words

    order = sorted(range(len(passages)), key=worth, reverse=True)
    return [passages[place].best for place in order]


def _within(ranked: Sequence[Candidate], budget: int) -> list[Candidate]:
    """The first ones that fit the budget together; one at least."""
    read: list[Candidate] = []
    left = budget
    for each in ranked:
        if read and each.tokens > left:
            break
        read.append(each)
        left -= each.tokens
    return read
