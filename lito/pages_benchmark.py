"""How long the server takes for each page of a project with many papers and messages.

The rows are made for it and rolled back. A time is the median of whole requests in this process,
access check, queries and templates included, without the network and without drawing page images.
"""

import statistics
from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from lito.large_project import LargeProject, make_large_project
from projects.page_timing import browser_of, pages_without_collected_files, timed
from retrieval import keyword_index

PAPERS = 1000
MESSAGES = 500
TIMES = 7


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--papers", type=int, default=PAPERS)
    parser.add_argument("--messages", type=int, default=MESSAGES)


def run(options: dict[str, Any]) -> dict[str, Any]:
    """Milliseconds by the name of each page."""
    with transaction.atomic(), pages_without_collected_files():
        try:
            large = make_large_project(papers=options["papers"], messages=options["messages"])
            _count_rows()
            try:
                return _measured(large)
            finally:
                keyword_index.forget(large.project.public_id)
        finally:
            transaction.set_rollback(True)


def _count_rows() -> None:
    """What autovacuum does for rows that are committed: without it queries are planned blindly."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def pages_of(large: LargeProject) -> Mapping[str, str]:
    """The address of each page that is measured."""
    slug, file_id = large.project.slug, large.version.public_id
    citation = large.answer.citations.order_by("ordinal")[0].public_id
    document, run_id = large.version.document.public_id, large.run.public_id
    words = "?q=reputation+premium"
    plain = {
        name: reverse(name, args=(slug,))
        for name in ("desk", "library", "library_rows", "search", "project_settings")
    }
    return {
        "home": reverse("home"),
        **plain,
        "library_found": reverse("library", args=(slug,)) + "?q=reputation",
        "import_library": reverse("import_library", args=(slug,)),
        "search_results": reverse("search", args=(slug,)) + words,
        "missing_papers": reverse("missing_papers", args=(slug,)) + words,
        "conversation": reverse("conversation", args=(slug, large.conversation.public_id)),
        "conversations": reverse("conversations", args=(slug,)) + words,
        "choose_papers": reverse("choose_papers", args=(slug,)),
        "turn": reverse("turn", args=(slug, run_id)),
        "why_not": reverse("why_not", args=(slug, run_id)),
        "citation_card": reverse("citation_card", args=(slug, citation)),
        "open_citation": reverse("open_citation", args=(slug, citation)),
        "read": reverse("read", args=(slug, file_id)),
        "page_layer": reverse("page_layer", args=(slug, file_id, 1)),
        "page_read": reverse("page_read", args=(slug, file_id, 1)),
        "paper": reverse("paper", args=(slug, document)),
        "versions": reverse("versions", args=(slug, document)),
        "administration": reverse("administration"),
        "click_signals": reverse("click_signals"),
    }


def _measured(large: LargeProject) -> dict[str, Any]:
    client = browser_of(large.reader)
    return {name: round(_milliseconds(client, url), 1) for name, url in pages_of(large).items()}


def _milliseconds(client: Client, url: str) -> float:
    """The median of some requests; the first, which loads templates, does not count."""
    taken = [timed(client, url)[0] for _ in range(TIMES + 1)]
    return statistics.median(taken[1:])
