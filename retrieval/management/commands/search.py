"""`manage.py search --project SLUG "need" [--json]`."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from llm.configured import light_model
from projects.models import Project
from retrieval.evidence import Evidence, SearchResult
from retrieval.light_model import LightModel
from retrieval.own_embedder import load_embedder_if_no_service
from retrieval.scope import project_scope
from retrieval.search import DEFAULT_LIMIT, search


class Command(BaseCommand):
    help = "Find passages of a project that bear on a need."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("need")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--limit", type=int, default=DEFAULT_LIMIT, help="Most passages.")
        parser.add_argument("--json", action="store_true", help="One object on one line.")

    def handle(self, *, need: str, project: str, limit: int, **options: Any) -> None:
        found = Project.objects.filter(slug=project).first()
        if found is None:
            raise CommandError(f"There is no project “{project}”.")
        load_embedder_if_no_service()
        light = LightModel(light_model(found.pk))
        result = search(need, scope=project_scope(found), limit=limit, light=light)
        if options["json"]:
            self.stdout.write(json.dumps(as_json(result), ensure_ascii=False))
        else:
            self.stdout.write("\n\n".join(_lines(each) for each in result.evidence))


def as_json(result: SearchResult) -> dict[str, Any]:
    """The documented shape of a search result."""
    return {
        "evidence": [_evidence(each) for each in result.evidence],
        "trace": result.trace.as_json(),
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "number": evidence.number,
        "document": evidence.version.document_id,
        "file_id": evidence.version.file_id,
        "title": evidence.version.title,
        "sha256": evidence.version.sha256,
        "parser": evidence.version.parser,
        "spans": [span.as_json() for span in evidence.spans],
        "section": list(evidence.section),
        "kind": evidence.kind,
        "text": evidence.text,
        "score": evidence.score,
    }


def _lines(evidence: Evidence) -> str:
    place = " › ".join((evidence.version.title, *evidence.section))
    pages = sorted({span.page for span in evidence.spans})
    return f"[{evidence.number}] {place}, page {', '.join(map(str, pages))}\n{evidence.text}"
