"""A library from a reference manager into a project: what is known of its papers, and new PDFs.

An entry either is a paper of the project, or brings a PDF and so becomes one, or is reported with
the reason why nothing came of it. Done again, it finds what it did before.
"""

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Protocol

from django.db import transaction
from django.utils.translation import gettext as _

from documents.catalogue.attachments import Offered, attached_paths
from documents.catalogue.bibliography import IMPORT, locked, say
from documents.catalogue.import_files import Dropped
from documents.catalogue.import_matching import Known, Match, Matcher
from documents.catalogue.references import Reference, fitted
from documents.inspecting import RefusedFileError
from documents.models import Document, Version
from documents.record_models import LibraryImport
from documents.uploads import add_file

MATCHED, CREATED, ASKED, UNMATCHED = "matched", "created", "asked", "unmatched"
ENTRIES_AT_ONCE, SECONDS_AT_ONCE = 20, 1.0
"""Outcomes are stored when there are so many, or so much time has passed."""
Outcome = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Found:
    """What an entry came to: a paper (`pk`), papers to choose from, or only a reason."""

    status: str
    pk: int | None = None
    reason: str = ""
    choices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Brought:
    """An entry as it can be stored, the fields that were too long, and its PDF if it came."""

    entry: Reference
    cut: tuple[str, ...]
    file: str


def field_words(name: str) -> str:
    """What a field of an entry is called."""
    words = {
        "title": _("Title"),
        "authors": _("Authors"),
        "venue": _("Published in"),
        "doi": _("DOI"),
        "arxiv_id": _("arXiv id"),
        "language": _("Language"),
        "volume": _("Volume"),
        "issue": _("Issue"),
        "pages": _("Pages"),
        "publisher": _("Publisher"),
        "key": _("Key"),
    }
    return words.get(name, name)


class Hold(Protocol):
    """The right to bring an import in. All of it raises `LostClaimError` once that is lost."""

    @property
    def report(self) -> LibraryImport: ...

    def check(self) -> None:
        """Before each piece of work."""

    def beat(self, **fields: object) -> None:
        """Store `fields` of the import: in a transaction with what belongs to them."""

    def finish(self, outcomes: list[Outcome]) -> None: ...


def bring_in(hold: Hold, dropped: Dropped) -> None:
    """Bring the entries that have no outcome yet into the project, a few at a time."""
    report = hold.report
    matcher = Matcher(_known(report))
    offered = Offered(dropped.pdfs)
    seen = {one["document"] for one in report.outcomes if one.get("document")}
    brought: list[tuple[Brought, Found]] = []
    since = time.monotonic()
    for entry in dropped.entries[len(report.outcomes) :]:
        hold.check()
        one = Brought(*fitted(entry), _present(entry, offered))
        found = _find(report, one, matcher.match(one.entry), dropped)
        brought.append((one, _only_once(found, seen)))
        if len(brought) >= ENTRIES_AT_ONCE or time.monotonic() - since >= SECONDS_AT_ONCE:
            _store(hold, brought)
            brought, since = [], time.monotonic()
    _store(hold, brought)
    used = {_present(entry, offered) for entry in dropped.entries}
    hold.finish([*report.outcomes, *_left_over(dropped, used)])


def _store(hold: Hold, brought: list[tuple[Brought, Found]]) -> None:
    """What came of these entries, and what they say of their papers."""
    outcomes = [*hold.report.outcomes, *(_outcome(one, found) for one, found in brought)]
    with transaction.atomic():
        hold.beat(outcomes=outcomes, done=len(outcomes))
        for one, found in sorted(brought, key=_by_paper):
            if found.pk is not None:
                _apply(found.pk, one.entry)


def settle(report: LibraryImport, chosen: Mapping[int, int]) -> None:
    """Take a person's choices: outcome's place to a paper's key, out of those offered."""
    with transaction.atomic():
        held = LibraryImport.objects.select_for_update().get(pk=report.pk)
        if held.is_unfinished:
            return
        for place, pk in sorted(chosen.items(), key=lambda item: item[1]):
            outcome = held.outcomes[place] if 0 <= place < len(held.outcomes) else {}
            if outcome.get("status") == ASKED and pk in outcome["choices"]:
                _say(pk, outcome["fields"])
                outcome |= {"status": MATCHED, "document": pk, "by": "choice"}
        held.save(update_fields=("outcomes",))
    report.outcomes = held.outcomes


def _present(entry: Reference, offered: Offered) -> str:
    """The path of the first PDF of the entry that came along."""
    found = (offered.find(path) for path in _attached(entry))
    return next((path for path in found if path), "")


def _attached(entry: Reference) -> list[str]:
    return [path for files in entry.files for path in attached_paths(files)]


def _find(report: LibraryImport, one: Brought, match: Match, dropped: Dropped) -> Found:
    if match.pk is not None:
        return Found(MATCHED, match.pk, match.by)
    if match.choices:
        same = _with_its_file(report, one.file, dropped) if one.file else None
        if same in match.choices:
            return Found(MATCHED, same, "file")
        return Found(ASKED, choices=match.choices)
    if not one.file:
        return Found(UNMATCHED, reason=_why_no_file(_attached(one.entry), dropped))
    return _add(report, one.file, dropped)


def _why_no_file(wanted: list[str], dropped: Dropped) -> str:
    if not wanted:
        return _("No paper here is this one, and the entry names no PDF.")
    name = PurePosixPath(wanted[0]).name
    if not dropped.pdfs:
        return _("No paper here is this one, and its PDF %(name)s did not come along.") % {
            "name": name
        }
    return _("Its PDF %(name)s is not among the files, or several are called so.") % {"name": name}


def _add(report: LibraryImport, path: str, dropped: Dropped) -> Found:
    """The paper that the attached PDF is: new, or there already under other words."""
    name = PurePosixPath(path).name
    user = report.created_by
    try:
        with dropped.pdfs[path]() as source:
            added = add_file(report.project, path_or_upload=source, file_name=name, user=user)
    except RefusedFileError as error:
        return Found(UNMATCHED, reason=error.message)
    # A worker that died after this had no time to say so.
    is_own = added.created or added.version.document.created_at >= report.created_at
    return Found(CREATED if is_own else MATCHED, added.version.document_id, "file")


def _with_its_file(report: LibraryImport, path: str, dropped: Dropped) -> int | None:
    """The paper of this library whose file is the attached one, byte for byte."""
    with dropped.pdfs[path]() as opened:
        source: Any = opened
        sha256 = hashlib.file_digest(source, "sha256").hexdigest()
    same = Version.objects.present().filter(project=report.project, sha256=sha256)
    return same.values_list("document_id", flat=True).first()


def _only_once(found: Found, seen: set[int]) -> Found:
    """Of two entries that are one paper, the first counts."""
    if found.pk is None:
        return found
    if found.pk in seen:
        reason = _("An earlier entry of this file is the same paper.")
        return Found(UNMATCHED, reason=reason)
    seen.add(found.pk)
    return found


def _known(report: LibraryImport) -> list[Known]:
    """The papers that were there before the import."""
    papers = Document.objects.live().filter(
        project=report.project, versions__isnull=False, created_at__lt=report.created_at
    )
    rows = papers.distinct().order_by("pk")
    return [Known(*row) for row in rows.values_list("pk", "title", "year", "doi", "arxiv_id")]


def _by_paper(pair: tuple[Brought, Found]) -> int:
    """Rows are locked in the order of their keys, as everywhere."""
    return pair[1].pk or 0


def _apply(pk: int, entry: Reference) -> None:
    _say(pk, entry.fields() | {"details": entry.details()})


def _say(pk: int, fields: Mapping[str, Any]) -> None:
    if Version.objects.filter(document_id=pk).exists():
        say(locked(pk), IMPORT, fields)


def _outcome(one: Brought, found: Found) -> Outcome:
    entry = one.entry
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
    if one.file and found.status in (MATCHED, ASKED) and found.reason != "file":
        outcome["file"] = PurePosixPath(one.file).name
    if one.cut and found.status != UNMATCHED:
        outcome["cut"] = list(one.cut)
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
