"""The whole search, without any model but the embedder, in a large made-up project."""

import secrets
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.urls import reverse

from documents.chunks.tokens import TOKENIZER, keyword_tokens
from documents.models import Chunk, ChunkVector, Document, EmbeddingSpace, Page, ParsedFile, Version
from documents.pages.page_text import PageState
from documents.vectors.embedding import active_space, embed_query
from projects.models import Membership, Project, User
from projects.page_timing import browser_of, pages_without_collected_files, timed
from retrieval import keyword_index
from retrieval.catalogue import names_in
from retrieval.evidence import Scope
from retrieval.graphs import build_graph, wants_graph
from retrieval.own_embedder import load_embedder_if_no_service
from retrieval.recall import DEPTH
from retrieval.scope import in_step, project_scope
from retrieval.search import search
from retrieval.synthetic_chunks import synthetic_chunks
from retrieval.vector_samples import CHUNKS_OF_A_PAPER, VectorSource, real_vectors, vector_source
from retrieval.vectors import nearest_chunks

PAPERS_AT_ONCE = 50
CHUNKS_OF_A_PAGE = 5
QUERY_WORDS = 8
QUERIES = 30
PARSER = "made-up"
TABLES = tuple(
    model._meta.db_table  # noqa: SLF001 (documented API)
    for model in (Chunk, ChunkVector, Document, Page, ParsedFile, Version)
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--papers", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)


def run(options: dict[str, Any]) -> dict[str, Any]:
    """Milliseconds of a search with a question never asked before, of its steps by themselves, and
    of the search page that shows the first results.

    All rows live in one transaction that is rolled back: nobody else ever sees them.
    """
    load_embedder_if_no_service()
    chance = np.random.default_rng(options["seed"])
    with _library(options["papers"], chance) as (project, space):
        scope = project_scope(project)
        questions = _questions(project, chance)
        for question in questions[:3]:
            search(question, scope=scope)
        totals = [_ms(partial(search, each, scope=scope)) for each in questions]
        steps = _steps(scope, space, [f"{each}?" for each in questions])
        pages = _pages(project, [f"{each}!" for each in questions])
    return {
        "papers": options["papers"],
        "rows": options["papers"] * CHUNKS_OF_A_PAPER,
        "dimensions": space.dimensions,
        "total_ms": _shown(totals),
        "results_page_ms": _shown(pages),
        "steps_ms": {name: _shown(times) for name, times in steps.items()},
    }


def _pages(project: Project, questions: Sequence[str]) -> list[float]:
    """The library's search page as the server makes it, for a member who types a question."""
    reader = User.objects.create_user(project.slug)
    project.memberships.create(user=reader, role=Membership.Role.VIEWER)
    browser = browser_of(reader)
    address = reverse("search", args=[project.slug])

    def milliseconds(question: str) -> float:
        taken, page = timed(browser, address, q=question)
        if b"found-paper" not in page:
            raise RuntimeError(f"the search page shows nothing for {question!r}")
        return taken

    with pages_without_collected_files():
        milliseconds(questions[0])
        return [milliseconds(question) for question in questions[1:]]


def _steps(scope: Scope, space: EmbeddingSpace, questions: Sequence[str]) -> dict[str, list[float]]:
    """The steps that the search is made of, one by one; `questions` are new to the embedder."""
    readings = [version.parsed_id for version in scope.versions]
    index = in_step(scope)[1]
    vectors: dict[str, Any] = {}

    def embed(question: str) -> None:
        vectors[question] = embed_query(question, space=space)

    def near(question: str) -> None:
        nearest_chunks(vectors[question], space=space, readings=readings, limit=DEPTH)

    def words(question: str) -> None:
        index.search(keyword_tokens(question), limit=DEPTH, documents=readings)

    steps: dict[str, Callable[[str], object]] = {
        "query_embedding": embed,
        "scope_and_index": lambda _: in_step(scope),
        "names": lambda question: names_in(question, scope),
        "keywords": words,
        "vectors": near,
    }
    return {
        name: [_ms(partial(step, question)) for question in questions]
        for name, step in steps.items()
    }


@contextmanager
def _library(papers: int, chance: np.random.Generator) -> Iterator[tuple[Project, EmbeddingSpace]]:
    with transaction.atomic():
        name = f"measurement-{secrets.token_hex(4)}"
        project = Project.objects.create(slug=name, name=name)
        space = active_space()
        source = vector_source(real_vectors(), dimensions=space.dimensions, seed=1)
        try:
            for start in range(0, papers, PAPERS_AT_ONCE):
                _add_papers(project, space, min(PAPERS_AT_ONCE, papers - start), source, chance)
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # an index waits for no check
                cursor.execute("ANALYZE " + ", ".join(TABLES))
            if wants_graph(space, project.pk):
                build_graph(space, project.pk, concurrently=False)
            keyword_index.follow_documents(project, tidy=True)
            yield project, space
        finally:
            keyword_index.forget(project.public_id)
            transaction.set_rollback(True)


def _add_papers(
    project: Project,
    space: EmbeddingSpace,
    count: int,
    source: VectorSource,
    chance: np.random.Generator,
) -> None:
    readings = ParsedFile.objects.bulk_create(
        ParsedFile(
            sha256=secrets.token_hex(32),
            parser=PARSER,
            page_count=CHUNKS_OF_A_PAPER // CHUNKS_OF_A_PAGE,
            complete=True,
            chunked=True,
            tokenizer=TOKENIZER,
        )
        for _ in range(count)
    )
    texts = synthetic_chunks(count * CHUNKS_OF_A_PAPER, chance)
    chunks: list[Chunk] = []
    pages: list[Page] = []
    for place, reading in enumerate(readings):
        of_paper = texts[place * CHUNKS_OF_A_PAPER : (place + 1) * CHUNKS_OF_A_PAPER]
        _cut(reading, of_paper, chunks, pages)
    Page.objects.bulk_create(pages)
    Chunk.objects.bulk_create(chunks)
    vectors = np.concatenate(list(source.chunks(source.papers(count))))
    ChunkVector.objects.bulk_create(
        (
            ChunkVector(space=space, parsed_id=chunk.parsed_id, chunk=chunk, vec=vector)
            for chunk, vector in zip(chunks, vectors, strict=True)
        ),
        batch_size=2000,
    )
    _put_in(project, readings)


def _cut(
    reading: ParsedFile, texts: Sequence[list[str]], chunks: list[Chunk], pages: list[Page]
) -> None:
    """A paragraph for each chunk, five on a page, twelve in a section."""
    for first in range(0, len(texts), CHUNKS_OF_A_PAGE):
        number = first // CHUNKS_OF_A_PAGE + 1
        content = ""
        for ordinal, terms in enumerate(texts[first : first + CHUNKS_OF_A_PAGE], start=first):
            start = len(content)
            content += " ".join(terms) + ".\n"
            chunks.append(
                Chunk(
                    parsed=reading,
                    ordinal=ordinal,
                    spans=[[number, start, len(content) - 1]],
                    section=[f"Section {ordinal // 12 + 1}"],
                    kind="text",
                    tokens=len(terms),
                    terms=terms,
                )
            )
        pages.append(Page(parsed=reading, number=number, state=PageState.OK, text=content))


def _put_in(project: Project, readings: Sequence[ParsedFile]) -> None:
    papers = Document.objects.bulk_create(
        Document(project=project, title=f"Paper {reading.pk}", authors=[f"Author {reading.pk}"])
        for reading in readings
    )
    Version.objects.bulk_create(
        Version(
            document=paper,
            project=project,
            sha256=reading.sha256,
            file_name=f"{reading.pk}.pdf",
            size=1,
            page_count=reading.page_count,
            parsed=reading,
            state=Version.State.READY,
        )
        for paper, reading in zip(papers, readings, strict=True)
    )


def _questions(project: Project, chance: np.random.Generator) -> list[str]:
    """Of words of one chunk each, so that there is something to be found."""
    chunks = Chunk.objects.filter(parsed__versions__project=project).order_by("pk")
    places = chance.choice(chunks.count(), QUERIES, replace=False)
    return [
        " ".join(chance.choice(chunks[int(place)].terms, QUERY_WORDS).tolist()) for place in places
    ]


def _ms(work: Callable[[], object]) -> float:
    started = perf_counter()
    work()
    return (perf_counter() - started) * 1000


def _shown(times: Sequence[float]) -> dict[str, float]:
    return {
        "median": round(median(times), 1),
        "p95": round(float(np.percentile(times, 95)), 1),
    }
