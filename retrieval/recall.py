"""Recall and fusion: from queries to one ranking of chunks inside a scope."""

from dataclasses import dataclass, replace

from documents.models import EmbeddingSpace
from documents.pages.language_shift import toward
from documents.vectors.embedder import Vectors
from documents.vectors.embedding import EmbedderUnavailableError, active_space, embed_query
from documents.vectors.embedding_spaces import space_in_use
from projects.models import Project
from retrieval.bm25 import Hit, Index
from retrieval.evidence import Scope
from retrieval.fusion import K_OVER_QUERIES, K_WITHIN_QUERY, Ranking, fuse, of_best, of_range
from retrieval.keyword_index import keyword_index
from retrieval.library_terms import TermPair, tokens_with_terms
from retrieval.models import LibraryTerm
from retrieval.planning import Plan, Query
from retrieval.tracing import QueryTrace
from retrieval.vectors import VectorHit, nearest_chunks

DEPTH = 100
"""Chunks that each leg recalls for each query."""
LEAST_SHARE = 0.2
"""A keyword hit with less of the query's idf than this is chance: a number or a name that a text of
another language happens to share. Where all hits are such, the best would weigh as a good one does.
"""
KEYWORDS_WEIGHT = 0.6
VECTORS_WEIGHT = 0.4
"""Of a query's weight. Anything from .5 to .65 for keywords serves all measured question sets."""


@dataclass(frozen=True, slots=True)
class QueryRecall:
    """What each leg found for one query, best first. `alone`: the search has no vectors at all."""

    query: Query
    keywords: tuple[Hit, ...]
    vectors: tuple[VectorHit, ...]
    alone: bool = False

    @property
    def strays(self) -> tuple[Hit, ...]:
        """Keyword hits that the fusion leaves out; none where there is nothing to fuse with."""
        if self.alone:
            return ()
        return tuple(hit for hit in self.keywords if hit.share < LEAST_SHARE)

    def trace(self) -> QueryTrace:
        return QueryTrace(
            text=self.query.text,
            weight=self.query.weight,
            origin=self.query.origin,
            keywords=len(self.keywords) - len(self.strays),
            stray_keywords=len(self.strays),
            vectors=len(self.vectors),
            toward=self.query.toward,
        )


@dataclass(frozen=True, slots=True)
class Recalled:
    """The fused ranking of chunk ids with their scores, and how it came about.

    `vectors_note` says in a sentence why the search went by keywords alone, else it is empty.
    """

    ranking: tuple[tuple[int, float], ...]
    queries: tuple[QueryRecall, ...]
    vectors_note: str = ""

    def strays(self) -> set[int]:
        """Chunks that only chance hits found."""
        found = {hit.chunk for each in self.queries for hit in each.strays}
        return found - {chunk for chunk, _ in self.ranking}


def recall(plan: Plan, scope: Scope, *, index: Index | None = None, depth: int = DEPTH) -> Recalled:
    """Every query of `plan` by keywords and by vectors, fused within and then over the queries.

    Each leg gives at most `depth` chunks. `index` holds the readings of the scope; without one it
    is opened here.
    """
    if not scope.versions:
        return Recalled((), ())
    readings = sorted({version.parsed_id for version in scope.versions})
    if index is None:
        index = keyword_index(Project.objects.get(pk=scope.project_id), expected=readings)
    space, note = _space(scope)
    terms = terms_of(scope.project_id)
    found = []
    for query in plan.queries:
        vectors: list[VectorHit] = []
        if space is not None and query.semantic:
            try:
                vectors = nearest_chunks(
                    query_vector(query, space), space=space, readings=readings, limit=depth
                )
            except EmbedderUnavailableError as error:
                space, note = None, str(error)
        keywords = _keywords(query, index, readings, terms, depth)
        found.append(QueryRecall(query, keywords, tuple(vectors)))
    if not any(each.vectors for each in found):
        found = [replace(each, alone=True) for each in found]
    rankings = [fused_legs(each) for each in found]
    return Recalled(tuple(fuse(rankings, k=K_OVER_QUERIES)), tuple(found), note)


def query_vector(query: Query, space: EmbeddingSpace | None = None) -> Vectors:
    """In `space`, or that of the configured embedder."""
    vector = embed_query(query.text, space=space)
    return toward(vector, query.text, query.toward, space=space) if query.toward else vector


def _space(scope: Scope) -> tuple[EmbeddingSpace | None, str]:
    """Where the project's vectors are; and why there are none, as a sentence."""
    try:
        return space_in_use(scope.project_id) or active_space(), ""
    except EmbedderUnavailableError as error:
        return None, str(error)


def terms_of(project_id: int) -> list[TermPair]:
    """The terms that mean the same in a project's library."""
    rows = LibraryTerm.objects.filter(project_id=project_id)
    return [TermPair(term, meaning) for term, meaning in rows.values_list("term", "meaning")]


def _keywords(
    query: Query, index: Index, readings: list[int], terms: list[TermPair], depth: int
) -> tuple[Hit, ...]:
    if not query.keyword:
        return ()
    tokens = tokens_with_terms(query.text, terms)
    return tuple(index.search(tokens, limit=depth, documents=readings))


def fused_legs(found: QueryRecall) -> Ranking:
    """One ranking out of the two legs of a query; its best place may weigh as much as the query.

    A place in a leg weighs by its score there. A stray keyword hit keeps its place but adds
    nothing, so that those behind it do not move up.
    """
    strays = {hit.chunk for hit in found.strays}
    keywords = [
        (hit.chunk, 0.0 if hit.chunk in strays else KEYWORDS_WEIGHT * share)
        for hit, share in zip(
            found.keywords, of_best([hit.score for hit in found.keywords]), strict=True
        )
    ]
    vectors = [
        (hit.chunk, VECTORS_WEIGHT * share)
        for hit, share in zip(
            found.vectors, of_range([hit.similarity for hit in found.vectors]), strict=True
        )
    ]
    near = {hit.chunk for hit in found.vectors}
    best = 1 / (K_WITHIN_QUERY + 1)
    return [
        (chunk, found.query.weight * score / best)
        for chunk, score in fuse([keywords, vectors], k=K_WITHIN_QUERY)
        if chunk in near or chunk not in strays
    ]
