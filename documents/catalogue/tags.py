"""Tags of papers: words that the editors of a project sort its papers by."""

import unicodedata
from collections import Counter
from collections.abc import Iterable

from django.db import transaction

from documents.models import Document
from projects.models import Project

LONGEST_TAG = 40
MOST_TAGS = 20
"""Of one paper."""


def tags_in(text: str) -> list[str]:
    """The tags written in `text`, a comma or a line end between two; each once, in that order.

    >>> tags_in("Trade,  game  theory ，trade\\n综述")
    ['Trade', 'game theory', '综述']
    """
    parts = text.replace("，", ",").replace("、", ",").replace("\n", ",").split(",")
    found: dict[str, str] = {}
    for part in parts:
        shown = "".join(sign if sign.isprintable() else " " for sign in part)
        tag = unicodedata.normalize("NFC", " ".join(shown.split()))[:LONGEST_TAG].strip()
        if tag:
            found.setdefault(tag.casefold(), tag)
    return list(found.values())[:MOST_TAGS]


def tag_counts(project: Project) -> dict[str, int]:
    """The tags of a project's live papers with how many have each, the commonest first."""
    live = Document.objects.live().with_files().filter(project=project)
    rows = live.exclude(tags=[]).values_list("tags", flat=True)
    counts = Counter(tag for tags in rows for tag in tags)
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0].casefold())))


def set_tags(document: Document, text: str) -> None:
    """As its project writes a tag already, so it is written here."""
    document.tags = _as_known(document.project, tags_in(text))
    document.save(update_fields=["tags"])


@transaction.atomic
def add_tag(project: Project, document_ids: Iterable[str], text: str) -> int:
    """Give these papers each tag in `text`, as far as they may have more; how many were changed."""
    tags = _as_known(project, tags_in(text))
    changed = []
    papers = Document.objects.live().filter(project=project, public_id__in=list(document_ids))
    for paper in papers.select_for_update().order_by("pk"):
        more = [tag for tag in tags if tag not in paper.tags]
        if more and len(paper.tags) + len(more) <= MOST_TAGS:
            paper.tags = [*paper.tags, *more]
            changed.append(paper)
    Document.objects.bulk_update(changed, ["tags"], batch_size=500)
    return len(changed)


def _as_known(project: Project, tags: Iterable[str]) -> list[str]:
    known = {tag.casefold(): tag for tag in tag_counts(project)}
    return [known.get(tag.casefold(), tag) for tag in tags]
