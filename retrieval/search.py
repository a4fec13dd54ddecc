"""The search: from a need to numbered evidence, step by step."""

from collections.abc import Mapping, Sequence

from retrieval.candidates import Ranked, ranked, ranked_in, readings_of
from retrieval.catalogue import names_in
from retrieval.coverage import (
    MOST_BY_PAPER,
    Coverage,
    asks_for_each,
    covering,
    has_body,
    interleaved,
    is_body,
    share_of,
    subject_of,
)
from retrieval.evidence import Evidence, Scope, SearchResult
from retrieval.expansion import decide
from retrieval.light_model import LightModel
from retrieval.named_papers import Names
from retrieval.passages import (
    CANDIDATES_PER_PASSAGE,
    Candidate,
    Passage,
    bodies_first,
    bounded,
    merged,
    within_tokens,
)
from retrieval.planning import Plan, languages_of, plan_without_model, with_own_words
from retrieval.planning_by_model import plan_need
from retrieval.reading_passages import (
    evidence_of,
    page_texts,
    text_of_passage,
    without_headings,
)
from retrieval.selection import Shown, select
from retrieval.surroundings import expanded
from retrieval.tracing import Cuts, PaperTrace, SearchTrace, StepTrace, TracedPaper, fates

DEFAULT_LIMIT = 12


def search(
    need: str,
    *,
    scope: Scope,
    limit: int = DEFAULT_LIMIT,
    plan: Plan | None = None,
    light: LightModel | None = None,
    own_words: str = "",
    cited: Mapping[int, str] | None = None,
) -> SearchResult:
    """Passages of `scope` that bear on `need`, at most `limit`, best first.

    Papers that `need` names all get evidence from their bodies, be the limit lower than their
    number; `cited` are the public ids of documents by the citation numbers that a reader sees.
    `light` plans, selects and says how far to read; without it, or where it fails, rules do.
    `plan` is given where somebody made one, `own_words` are the user's where `need` is not.
    """
    light, cuts = light or LightModel(), Cuts()
    plan, planned = _planned(need, plan, scope, light)
    found = ranked(with_own_words(plan, own_words), scope)
    names = names_in(need, found.scope, cited=cited)
    coverage = _coverage(need, names, found)
    limit = max(limit, len(coverage.readings))
    passages, shown = _passages(need, names, found, coverage, limit=limit, cuts=cuts)
    chosen, selected = select(
        passages, shown, limit=limit, coverage=coverage, light=light, cuts=cuts
    )
    words = [text_of_passage(each, shown.texts) for each in chosen]
    decision = decide(chosen, words, need, light)
    chosen = within_tokens(expanded(chosen, decision), cuts)
    evidence = evidence_of(chosen, found.scope, page_texts(chosen))
    trace = SearchTrace(
        plan=planned,
        queries=tuple(each.trace() for each in found.recalled.queries),
        vectors=found.recalled.vectors_note or "ok",
        fused=len(found.recalled.ranking),
        cuts=cuts.counts,
        selection=selected,
        expansion=decision.step,
        given=len(evidence),
        papers=_fates(found, chosen, evidence, coverage, cuts),
        coverage=coverage.task,
        names=names.as_json(),
    )
    return SearchResult(evidence, trace, names)


def _passages(
    need: str, names: Names, found: Ranked, coverage: Coverage, *, limit: int, cuts: Cuts
) -> tuple[list[Passage], Shown]:
    """Merged and bounded passages in the order in which they would be given, and their words."""
    candidates = _candidates(need, names.rest, found, coverage, limit)
    passages = merged(bounded(candidates, CANDIDATES_PER_PASSAGE * limit, cuts))
    texts = page_texts(passages)
    passages = without_headings(passages, texts, cuts)
    titles = {each.parsed_id: each.title for each in found.scope.versions}
    if coverage.task:
        passages = covering(passages, coverage.readings, limit)
    else:
        passages = bodies_first(passages)
    return passages, Shown(need, texts, titles)


def _planned(
    need: str, plan: Plan | None, scope: Scope, light: LightModel
) -> tuple[Plan, StepTrace]:
    if plan:
        return plan, StepTrace("given")
    languages = languages_of([version.language for version in scope.versions])
    return plan_need(need, languages=languages, light=light)


def _coverage(need: str, names: Names, found: Ranked) -> Coverage:
    """The papers that are named; else, where each is asked for, the few in scope or found best."""
    readings = {version.document_id: version.parsed_id for version in found.scope.versions}
    if names.found:
        return Coverage("named", tuple(readings[key] for key in names.found))
    if not asks_for_each(need):
        return Coverage()
    everything = tuple(readings.values())
    if len(everything) > MOST_BY_PAPER:
        recalled = dict.fromkeys(each.reading for each in found.candidates)
        return Coverage("each", tuple(recalled)[:MOST_BY_PAPER])
    return Coverage("each", everything)


def _candidates(
    need: str, rest: str, found: Ranked, coverage: Coverage, limit: int
) -> Sequence[Candidate]:
    """The fused ranking; of papers to be covered, what each has on the subject goes first.

    `rest` is the need without what names papers: what is asked of each in a comparison.
    """
    if not coverage.task:
        return found.candidates
    share = share_of(coverage.readings, limit)
    versions = {version.parsed_id: version for version in found.scope.versions}
    by_paper = []
    for reading in coverage.readings:
        version = versions[reading]
        alone = len(coverage.readings) == 1
        subject = need if alone else subject_of(rest, language=version.language)
        plan = plan_without_model(subject)
        own = ranked_in(version, plan, scope=found.scope, index=found.index)
        by_paper.append(sorted(own, key=lambda each: not is_body(each))[: share + 1])
    return interleaved(by_paper, found.candidates)


def _fates(
    found: Ranked,
    chosen: Sequence[Passage],
    evidence: Sequence[Evidence],
    coverage: Coverage,
    cuts: Cuts,
) -> tuple[PaperTrace, ...]:
    numbers: dict[int, list[int]] = {}
    for each in evidence:
        numbers.setdefault(each.version.parsed_id, []).append(each.number)
    return fates(
        [
            TracedPaper(each.parsed_id, each.document_id, each.file_id, each.title)
            for each in found.scope.versions
        ],
        numbers=numbers,
        cuts=cuts,
        strays=readings_of(found.recalled.strays()),
        named=coverage.readings if coverage.task == "named" else (),
        with_body={each.best.reading for each in chosen if has_body(each)},
    )
