"""The ways of working that a project offers: its owners switch them, and bring their own."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from chat.skill_choices import skill_title, when_words
from chat.skills.choosing import UnknownSkillError, listed_skills
from chat.skills.reading import SkillError
from chat.skills.uploading import MOST_UPLOADED, remove_skill, switch_skill, upload_skill
from projects.access import owned_project
from projects.models import Project
from projects.requests import SignedInRequest


@login_required
@require_GET
def project_skills(request: SignedInRequest, slug: str) -> HttpResponse:
    return _page(request, owned_project(request.user, slug))


@login_required
@require_POST
def switch_project_skill(request: SignedInRequest, slug: str, name: str) -> HttpResponse:
    project = owned_project(request.user, slug)
    try:
        switch_skill(project, name, request.user, on=request.POST.get("on") == "1")
    except UnknownSkillError as error:
        raise Http404 from error
    return redirect("project_skills", slug=slug)


@login_required
@require_POST
def upload_project_skill(request: SignedInRequest, slug: str) -> HttpResponse:
    project = owned_project(request.user, slug)
    file = request.FILES.get("skill")
    if file is None:
        return _page(request, project, _("Choose a SKILL.md or a zip first."), status=422)
    try:
        skill = upload_skill(project, file.read(MOST_UPLOADED + 1), request.user)
    except SkillError as error:
        return _page(request, project, str(error), status=422)
    told = _("“%(name)s” can be chosen beside a question now.") % {"name": skill_title(skill)}
    messages.success(request, told)
    return redirect("project_skills", slug=slug)


@login_required
@require_POST
def remove_project_skill(request: SignedInRequest, slug: str, name: str) -> HttpResponse:
    project = owned_project(request.user, slug)
    try:
        remove_skill(project, name, request.user)
    except UnknownSkillError as error:
        raise Http404 from error
    return redirect("project_skills", slug=slug)


def _page(
    request: SignedInRequest, project: Project, problem: str = "", *, status: int = 200
) -> HttpResponse:
    skills = [
        {
            "name": each.skill.name,
            "title": skill_title(each.skill),
            "when": when_words(each.skill),
            "is_on": each.is_on,
            "is_own": each.is_own,
            "can_be_switched": each.can_be_switched,
        }
        for each in listed_skills(project)
    ]
    context = {"project": project, "here": "settings", "skills": skills, "problem": problem}
    return render(request, "chat/project_skills.html", context, status=status)
