"""A citation's card, and the reader opened at the citation's place."""

from dataclasses import dataclass
from time import perf_counter

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from citations.following import follow_removals
from citations.models import Citation
from citations.placing import place_citation
from citations.showing import Shown, show
from citations.signals import WEEKS, Action, is_called_wrong, milliseconds_since, record, report
from citations.signals import call_wrong as mark_wrong
from documents.library import author_line
from documents.models import Version
from documents.reader import reader_context, sheets
from projects.access import admin, readable_project
from projects.models import User
from projects.requests import SignedInRequest, whole_number


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Where a citation stands among those of its answer, counted from 1."""

    position: int
    total: int
    previous_url: str
    next_url: str


@login_required
@require_GET
@never_cache
def citation_card(request: SignedInRequest, slug: str, citation_id: str) -> HttpResponse:
    """The card of a tag. While the place is being looked for, it asks again by itself."""
    started = perf_counter()
    citation = _readable_citation(request, slug, citation_id)
    shown = _shown(citation, request, slug)
    if not shown.is_pending:
        record(
            Action.HOVER,
            citation,
            request.user,
            shown.status,
            milliseconds=milliseconds_since(started),
        )
    return render(
        request, "citations/citation_card.html", _context(citation, shown, slug, request.user)
    )


@login_required
@require_GET
@never_cache
def citation_evidence(request: SignedInRequest, slug: str, citation_id: str) -> HttpResponse:
    """The strip above the pages and the marks on them, once the place has been looked for."""
    return _evidence(request, _readable_citation(request, slug, citation_id), slug)


@login_required
@require_POST
def call_wrong(request: SignedInRequest, slug: str, citation_id: str) -> HttpResponse:
    """Mark the shown place as wrong (`wrong=1`), or take the mark back."""
    started = perf_counter()
    citation = _readable_citation(request, slug, citation_id)
    status = place_citation(citation, request.user).status
    is_wrong = request.POST.get("wrong") == "1"
    taken = milliseconds_since(started)
    mark_wrong(citation, request.user, status, wrong=is_wrong, milliseconds=taken)
    if not request.htmx:
        return redirect("open_citation", slug, citation_id)
    if request.POST.get("on") == "card":
        return _card(request, citation, _shown(citation, request, slug), slug)
    return _evidence(request, citation, slug)


@login_required
@require_GET
def click_signals(request: SignedInRequest) -> HttpResponse:
    """For admins: how often no place could be confirmed, and what readers call wrong."""
    admin(request.user)
    return render(request, "citations/click_signals.html", {"report": report(), "weeks": WEEKS})


def _card(request: SignedInRequest, citation: Citation, shown: Shown, slug: str) -> HttpResponse:
    context = _context(citation, shown, slug, request.user)
    return render(request, "citations/citation_card.html", context)


def _evidence(request: SignedInRequest, citation: Citation, slug: str) -> HttpResponse:
    shown = _shown(citation, request, slug)
    version = _open_version(citation)
    context = _context(citation, shown, slug, request.user) | {"fresh_marks": True}
    if version is not None:
        context["sheets"] = [
            sheet for sheet in sheets(version) if sheet.number in shown.marks.rects
        ]
    return render(request, "citations/_evidence.html", context)


@login_required
@require_GET
@never_cache
def open_citation(request: SignedInRequest, slug: str, citation_id: str) -> HttpResponse:
    """The reader at the place of a citation, or the kept excerpt where the paper has gone."""
    started = perf_counter()
    citation = _readable_citation(request, slug, citation_id)
    shown = _shown(citation, request, slug)
    version = _open_version(citation)
    context = _context(citation, shown, slug, request.user)
    taken = milliseconds_since(started)
    record(Action.OPEN, citation, request.user, shown.status, milliseconds=taken)
    if version is None or shown.status == "removed":
        template = "citations/_removed.html" if request.htmx else "citations/removed.html"
        return render(request, template, context)
    pages = sheets(version)
    page = _wanted_page(request, len(pages)) or min(shown.page or 1, max(len(pages), 1))
    context |= reader_context(version, pages, page=page)
    template = "documents/_reader.html" if request.htmx else "documents/read.html"
    return render(request, template, context)


def _shown(citation: Citation, request: SignedInRequest, slug: str) -> Shown:
    return show(citation, place_citation(citation, request.user), slug=slug)


def _readable_citation(request: SignedInRequest, slug: str, citation_id: str) -> Citation:
    project = readable_project(request.user, slug)
    follow_removals(project)
    citations = Citation.objects.visible_to(request.user).filter(answer__project=project)
    return get_object_or_404(
        citations.select_related(
            "answer",
            "source__version__document",
            "source__version__project",
            "source__version__parsed",
        ),
        public_id=citation_id,
    )


def _open_version(citation: Citation) -> Version | None:
    version = citation.source.version
    if version is None or version.gone_since is not None:
        return None
    return version


def _context(citation: Citation, shown: Shown, slug: str, user: User) -> dict[str, object]:
    version = citation.source.version
    document = version.document if version else None
    return {
        "project": citation.answer.project,
        "citation": citation,
        "evidence": shown,
        "marks": shown.marks,
        "title": document.title if document and document.title else citation.source.title,
        "authors": author_line(document.authors) if document else "",
        "year": document.year if document else None,
        "language": document.language if document else "",
        "removed_at": version.gone_since if version else None,
        "neighbours": _neighbours(citation, slug),
        "called_wrong": is_called_wrong(citation, user),
    }


def _neighbours(citation: Citation, slug: str) -> Neighbours:
    ids = list(
        Citation.objects.filter(answer_id=citation.answer_id)
        .order_by("ordinal", "pk")
        .values_list("public_id", flat=True)
    )
    at = ids.index(citation.public_id)

    def url(position: int) -> str:
        if not 0 <= position < len(ids):
            return ""
        return reverse("open_citation", args=(slug, ids[position]))

    return Neighbours(at + 1, len(ids), url(at - 1), url(at + 1))


def _wanted_page(request: SignedInRequest, count: int) -> int | None:
    wanted = whole_number(request.GET.get("page", ""))
    return wanted if wanted is not None and 1 <= wanted <= count else None
