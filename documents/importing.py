"""A library from a reference manager into a project: what is known of its papers, and new PDFs.

An entry either is a paper of the project, or brings a PDF and so becomes one, or is reported with
the reason why nothing came of it. Everything that can be refused is refused before anything is
stored; the fields of all entries are stored in one transaction.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from documents.attachments import attached_paths, find_attachment
from documents.bibliography import IMPORT, locked, say
from documents.import_files import Dropped
from documents.import_matching import Known, Match, Matcher
from documents.inspecting import RefusedFileError
from documents.models import Document, Version
from documents.record_models import LibraryImport
from documents.references import Reference
from documents.uploads import add_file
from projects.models import Project, User

MATCHED, CREATED, ASKED, UNMATCHED = "matched", "created", "asked", "unmatched"
Outcome = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Found:
    """What an entry came to: a paper (`pk`), papers to choose from, or only a reason."""

    status: str
    pk: int | None = None
    reason: str = ""
    choices: tuple[int, ...] = ()
    file: str = ""


def import_library(project: Project, dropped: Dropped, *, user: User) -> LibraryImport:
    """Bring the entries into the project and return the report on each of them."""
    matcher = Matcher(_known(project))
    found: list[Found] = []
    used_files: set[str] = set()
    for entry in dropped.entries:
        one = _bring_in(project, entry, matcher.match(entry), dropped, user)
        used_files.add(one.file)
        found.append(one)
    found = _each_paper_once(found)
    with transaction.atomic():
        for entry, one in sorted(zip(dropped.entries, found, strict=True), key=_by_paper):
            if one.pk is not None:
                _apply(one.pk, entry)
        return LibraryImport.objects.create(
            project=project,
            file_name=dropped.name,
            created_by=user,
            outcomes=[
                *(_outcome(e, one) for e, one in zip(dropped.entries, found, strict=True)),
                *_left_over(dropped, used_files),
            ],
        )


def settle(report: LibraryImport, chosen: Mapping[int, int]) -> None:
    """Take a person's choices: outcome's place to a paper's key, out of those offered."""
    with transaction.atomic():
        held = LibraryImport.objects.select_for_update().get(pk=report.pk)
        for place, pk in sorted(chosen.items(), key=lambda item: item[1]):
            outcome = held.outcomes[place] if 0 <= place < len(held.outcomes) else {}
            if outcome.get("status") == ASKED and pk in outcome["choices"]:
                _say(pk, outcome["fields"])
                outcome |= {"status": MATCHED, "document": pk, "by": "choice"}
        held.save(update_fields=("outcomes",))
    report.outcomes = held.outcomes


def _bring_in(
    project: Project, entry: Reference, match: Match, dropped: Dropped, user: User
) -> Found:
    wanted = [path for files in entry.files for path in attached_paths(files)]
    named = [(path, find_attachment(path, list(dropped.pdfs))) for path in wanted]
    present = next((offered for _path, offered in named if offered), "")
    if match.pk is not None:
        return Found(MATCHED, match.pk, match.by, file=present)
    if match.choices:
        return Found(ASKED, choices=match.choices, file=present)
    if not present:
        return Found(UNMATCHED, reason=_why_no_file(wanted, dropped))
    return _add(project, present, dropped, user)


def _why_no_file(wanted: list[str], dropped: Dropped) -> str:
    if not wanted:
        return _("No paper here is this one, and the entry names no PDF.")
    name = PurePosixPath(wanted[0]).name
    if not dropped.pdfs:
        return _("No paper here is this one, and its PDF %(name)s did not come along.") % {
            "name": name
        }
    return _("Its PDF %(name)s is not among the files, or several are called so.") % {"name": name}


def _add(project: Project, path: str, dropped: Dropped, user: User) -> Found:
    """The paper that the attached PDF is: new, or there already under other words."""
    try:
        with dropped.pdfs[path]() as source:
            added = add_file(
                project, path_or_upload=source, file_name=PurePosixPath(path).name, user=user
            )
    except RefusedFileError as error:
        return Found(UNMATCHED, reason=error.message, file=path)
    status = CREATED if added.created else MATCHED
    return Found(status, added.version.document_id, "file", file=path)


def _each_paper_once(found: Iterable[Found]) -> list[Found]:
    """Of two entries that are one paper, the first counts."""
    seen: set[int] = set()
    once: list[Found] = []
    for one in found:
        if one.pk is not None and one.pk in seen:
            reason = _("An earlier entry of this file is the same paper.")
            once.append(Found(UNMATCHED, reason=reason, file=one.file))
            continue
        if one.pk is not None:
            seen.add(one.pk)
        once.append(one)
    return once


def _known(project: Project) -> list[Known]:
    papers = Document.objects.live().filter(project=project, versions__isnull=False).distinct()
    return [
        Known(*row)
        for row in papers.order_by("pk").values_list("pk", "title", "year", "doi", "arxiv_id")
    ]


def _by_paper(pair: tuple[Reference, Found]) -> int:
    """Rows are locked in the order of their keys, as everywhere."""
    return pair[1].pk or 0


def _apply(pk: int, entry: Reference) -> None:
    _say(pk, entry.fields() | {"details": entry.details()})


def _say(pk: int, fields: Mapping[str, Any]) -> None:
    if Version.objects.filter(document_id=pk).exists():
        say(locked(pk), IMPORT, fields)


def _outcome(entry: Reference, found: Found) -> Outcome:
    outcome: Outcome = {
        "status": found.status,
        "title": entry.title or entry.key,
        "authors": [person.shown for person in entry.people[:4]],
        "year": entry.year,
        "document": found.pk,
    }
    if found.status == UNMATCHED:
        outcome["reason"] = found.reason
    elif found.status == ASKED:
        outcome["choices"] = list(found.choices)
        outcome["fields"] = entry.fields() | {"details": entry.details()}
    else:
        outcome["by"] = found.reason
    if found.file and found.status in (MATCHED, ASKED) and found.reason != "file":
        outcome["file"] = PurePosixPath(found.file).name
    return outcome


def _left_over(dropped: Dropped, used: set[str]) -> list[Outcome]:
    """Broken entries, and PDFs that no entry names."""
    broken = [
        {
            "status": UNMATCHED,
            "title": _("Entry at line %(line)s") % {"line": line},
            "reason": _("It can't be read: a brace or an end is missing."),
        }
        for line in dropped.broken
    ]
    files = [
        {
            "status": UNMATCHED,
            "title": PurePosixPath(path).name,
            "reason": _("No entry names this PDF. Add it to the library by itself."),
        }
        for path in dropped.pdfs
        if path not in used
    ]
    return [*broken, *files]
