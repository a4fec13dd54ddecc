"""The library search, and the reader opened at a passage that it found."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language_info
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from documents.models import Document, Version
from documents.reader import reader_context, sheets
from documents.views.reading import readable_version
from lito.library_query import KINDS, LONGEST, LONGEST_TITLE, LibraryQuery, part_names, plain
from lito.library_results import Results, languages_of, results_of
from lito.missing_papers import missing_papers as find_missing
from lito.passage_address import PassageAddress
from lito.passage_place import place_passage
from projects.access import readable_project
from projects.models import Project
from projects.requests import SignedInRequest
from retrieval.library_search import search_library
from retrieval.scope import project_scope
from retrieval.word_marks import query_tokens


@login_required
@require_GET
@never_cache
def search(request: SignedInRequest, slug: str) -> HttpResponse:
    """The search page; for its own script the results alone."""
    project = readable_project(request.user, slug)
    query = LibraryQuery.from_address(request.GET)
    context = {
        "project": project,
        "here": "search",
        "query": query,
        "longest": LONGEST,
        "results": _results(query, project),
        **_library(project),
        **_choices(query, project),
    }
    is_fragment = request.htmx and not request.htmx.history_restore_request
    template = "lito/_search_results.html" if is_fragment else "lito/search.html"
    response = render(request, template, context)
    patch_vary_headers(response, ("HX-Request",))
    return response


@login_required
@require_GET
@never_cache
def missing_papers(request: SignedInRequest, slug: str) -> HttpResponse:
    """The papers that a search does not show, and why; below the results or on its own page."""
    project = readable_project(request.user, slug)
    query = LibraryQuery.from_address(request.GET)
    name = plain(request.GET.get("name", ""))[:LONGEST_TITLE]
    has_words = bool(query_tokens(query.words))
    missing = find_missing(query, project, name=name, number=query.page) if has_words else None
    context = {
        "project": project,
        "here": "search",
        "query": query,
        "missing": missing,
        "asked": replace(query, page=1).said(),
    }
    if missing:
        context |= {
            "previous_query": f"{query.address(page=missing.previous)}&{urlencode({'name': name})}",
            "following_query": (
                f"{query.address(page=missing.following)}&{urlencode({'name': name})}"
            ),
        }
    template = "lito/_missing_papers.html" if request.htmx else "lito/missing_papers.html"
    return render(request, template, context)


@login_required
@require_GET
@never_cache
def open_passage(request: SignedInRequest, slug: str, file_id: str) -> HttpResponse:
    """The reader at a passage, which is drawn only where it still reads as it did."""
    version = readable_version(request.user, slug, file_id)
    place = place_passage(PassageAddress.from_query(request.GET.dict()), version)
    pages = sheets(version)
    page = place.page if place.page and place.page <= len(pages) else 1
    query = LibraryQuery(q=place.words, paper=version.document.public_id)
    context = reader_context(version, pages, page=page) | {
        "place": place,
        "marks": place.passage,
        "word_marks": place.marked_words,
        "search_url": query.address() if place.words else "",
    }
    template = "documents/_reader.html" if request.htmx else "documents/read.html"
    return render(request, template, context)


def _results(query: LibraryQuery, project: Project) -> Results | None:
    """What was found; None where nothing could be looked for."""
    if not query_tokens(query.words):
        return None
    scope = project_scope(project, document_ids=query.document_ids(project))
    found = search_library(query.words, scope, kinds=KINDS.get(query.part, frozenset()))
    return results_of(found, query, project)


def _library(project: Project) -> dict[str, Any]:
    """How many papers there are, and how many of them can't be found yet, or by words alone."""
    current = Version.objects.present().filter(project=project, superseded_at=None)
    states = list(current.values_list("state", flat=True))
    return {
        "papers": len(states),
        "unread": sum(state in (Version.State.QUEUED, Version.State.PARSING) for state in states),
        "half_indexed": states.count(Version.State.INDEXING),
    }


def _choices(query: LibraryQuery, project: Project) -> dict[str, Any]:
    """What the filters offer, and the name of the paper that the search is bound to."""
    codes = languages_of(project)
    if query.language and query.language not in codes:
        codes.append(query.language)
    bound_to = Document.objects.live().filter(project=project, public_id=query.paper).first()
    return {
        "parts": part_names(),
        "languages": {code: _language_name(code) for code in codes},
        "only_paper": bound_to,
    }


def _language_name(code: str) -> str:
    try:
        return str(get_language_info(code)["name_translated"])
    except KeyError:
        return code
