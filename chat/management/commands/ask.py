"""`manage.py ask --project SLUG "question"`: one run, in this process.

ask --project SLUG "question" [--papers ID ...] [--whole]
        [--skill NAME] [--model NAME]
ask --project SLUG "follow-up" --continue RUN
ask --project SLUG "shorten it" --rewrite RUN
"""

import json
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Q

from chat.answering import answer_run
from chat.asking import ConversationBusyError, begin_run, start_conversation
from chat.models import Run, Turn
from chat.models_in_use import NoEndpointError, use_model
from chat.scoping import papers_of
from chat.showing_plain import answer_as_json, answer_as_text
from chat.skills.built_in import DEFAULT, REWRITE
from chat.skills.choosing import UnknownSkillError, skills_in
from projects.models import Membership, Project, User
from retrieval.own_embedder import load_embedder_if_no_service

COMMAND_LINE_USER = "command-line"


class Command(BaseCommand):
    help = "Ask a project a question and print the answer with its citations."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("question")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument(
            "--continue", dest="earlier", metavar="RUN", help="A follow-up to this run."
        )
        parser.add_argument(
            "--rewrite",
            metavar="RUN",
            help="Change the answer of this run, whatever the question sounds like.",
        )
        parser.add_argument(
            "--papers",
            nargs="+",
            metavar="PAPER",
            help="Only these, by the id that --json prints as `document` or by their whole titles.",
        )
        parser.add_argument(
            "--whole",
            action="store_true",
            help="Put the papers into the context whole, as far as they fit.",
        )
        parser.add_argument(
            "--skill", default=DEFAULT, metavar="NAME", help="The way of working, such as review."
        )
        parser.add_argument(
            "--model", metavar="NAME", help="Another model of the same endpoint, or `extractive`."
        )
        parser.add_argument("--json", action="store_true", help="One object on one line.")

    def handle(self, *, question: str, project: str, **options: Any) -> None:
        found = Project.objects.filter(slug=project).first()
        if found is None:
            raise CommandError(f"There is no project “{project}”.")
        if not question.strip():
            raise CommandError("The question is empty.")
        load_embedder_if_no_service()
        if options["model"]:
            _use_model(options["model"], found)
        run = _begun(found, question, options)
        answer_run(run.pk)
        run.refresh_from_db()
        if options["json"]:
            self.stdout.write(json.dumps(answer_as_json(run), ensure_ascii=False))
        else:
            self.stdout.write(answer_as_text(run))
        if run.state == Run.State.FAILED:
            raise CommandError(run.error or run.error_code)


def _begun(project: Project, question: str, options: Mapping[str, Any]) -> Run:
    earlier = options["rewrite"] or options["earlier"]
    after = _earlier_turn(project, earlier) if earlier is not None else None
    if options["rewrite"] and (after is None or after.answer is None):
        raise CommandError(f"The run “{earlier}” has no answer to rewrite.")
    papers = _papers(project, options["papers"]) if options["papers"] else None
    conversation = (
        after.conversation if after else start_conversation(project, _asker(project), question)
    )
    try:
        return begin_run(
            conversation,
            question,
            after=after,
            document_ids=papers,
            whole=options["whole"] or None,
            skill=REWRITE if options["rewrite"] else options["skill"],
        )
    except ConversationBusyError as error:
        raise CommandError("The last question is still being answered.") from error
    except UnknownSkillError as error:
        known = ", ".join(skills_in(project))
        raise CommandError(f"There is no skill “{error}” here. There are: {known}.") from error


def _use_model(name: str, project: Project) -> None:
    try:
        use_model(name, project.pk)
    except NoEndpointError as error:
        raise CommandError(
            "No endpoint is set up that could be asked for a model: see docs/models.md."
        ) from error


def _papers(project: Project, named: Sequence[str]) -> list[str]:
    """Ids of the papers that are named by id or title."""
    chosen: list[str] = []
    for name in named:
        fitting = papers_of(project).filter(Q(public_id=name) | Q(title__iexact=name))
        ids = list(fitting.order_by("pk").values_list("public_id", flat=True))
        if len(ids) != 1:
            what = f"{len(ids)} papers are called" if ids else "There is no paper"
            raise CommandError(f"{what} “{name}” in this project. Give the id of one.")
        chosen += ids
    return chosen


def _earlier_turn(project: Project, earlier: str) -> Turn:
    run = Run.objects.filter(public_id=earlier, turn__conversation__project=project).first()
    if run is None:
        raise CommandError(f"There is no run “{earlier}” in this project.")
    return run.turn


def _asker(project: Project) -> User:
    """Whose conversation it becomes: the first owner's; without one, a user that can't sign in."""
    owners = project.memberships.filter(role=Membership.Role.OWNER).order_by("pk")
    if first := owners.select_related("user").first():
        return first.user
    user, made = User.objects.get_or_create(
        username=COMMAND_LINE_USER, defaults={"is_active": False}
    )
    if made:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    project.memberships.get_or_create(user=user, defaults={"role": Membership.Role.VIEWER})
    return user
