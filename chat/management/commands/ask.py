"""`manage.py ask --project SLUG "question" [--continue RUN] [--json]`: one run, in this process."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from chat.answering import answer_run
from chat.asking import ConversationBusyError, begin_run, start_conversation
from chat.models import Run, Turn
from chat.showing_plain import answer_as_json, answer_as_text
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
        parser.add_argument("--json", action="store_true", help="One object on one line.")

    def handle(self, *, question: str, project: str, earlier: str | None, **options: Any) -> None:
        found = Project.objects.filter(slug=project).first()
        if found is None:
            raise CommandError(f"There is no project “{project}”.")
        if not question.strip():
            raise CommandError("The question is empty.")
        load_embedder_if_no_service()
        after = _earlier_turn(found, earlier) if earlier is not None else None
        conversation = (
            after.conversation if after else start_conversation(found, _asker(found), question)
        )
        try:
            run = begin_run(conversation, question, after=after)
        except ConversationBusyError as error:
            raise CommandError("The last question is still being answered.") from error
        answer_run(run.pk)
        run.refresh_from_db()
        if options["json"]:
            self.stdout.write(json.dumps(answer_as_json(run), ensure_ascii=False))
        else:
            self.stdout.write(answer_as_text(run))
        if run.state == Run.State.FAILED:
            raise CommandError(run.error or run.error_code)


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
