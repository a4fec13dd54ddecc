"""What a person asks the library search: words and filters, as they stand in the address."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self
from urllib.parse import urlencode

from django.db.models import Q
from django.utils.translation import gettext as _

from documents.library import matching
from documents.models import Document
from projects.models import Project
from projects.requests import whole_number

LONGEST = 400
"""Characters of the words that are searched for; what is beyond is said to be left off."""
LONGEST_TITLE = 200
KINDS: Mapping[str, frozenset[str]] = {
    "abstract": frozenset({"abstract", "front_matter"}),
    "text": frozenset({"text"}),
    "table": frozenset({"table", "caption"}),
    "footnote": frozenset({"footnote"}),
}
"""Parts of a paper, by the kinds of their chunks."""


@dataclass(frozen=True, slots=True)
class LibraryQuery:
    """`paper` is a public id, `part` a key of `KINDS`, `since` and `until` are years.

    What makes no sense in an address is left out, as if it had not been said.
    """

    q: str = ""
    paper: str = ""
    title: str = ""
    since: int | None = None
    until: int | None = None
    part: str = ""
    language: str = ""
    page: int = 1

    @classmethod
    def from_address(cls, given: Mapping[str, str]) -> Self:
        part = given.get("part", "")
        return cls(
            q=plain(given.get("q", "")),
            paper=plain(given.get("paper", ""))[:LONGEST_TITLE],
            title=plain(given.get("title", ""))[:LONGEST_TITLE],
            since=_year(given.get("since", "")),
            until=_year(given.get("until", "")),
            part=part if part in KINDS else "",
            language=plain(given.get("language", ""))[:10],
            page=whole_number(given.get("page", "")) or 1,
        )

    @property
    def words(self) -> str:
        """What is searched for."""
        return self.q[:LONGEST]

    @property
    def left_off(self) -> int:
        """Characters beyond the longest query."""
        return max(0, len(self.q) - LONGEST)

    @property
    def is_filtered(self) -> bool:
        return replace(self, q="", page=1) != LibraryQuery()

    def address(self, **changes: Any) -> str:
        """`?q=lemons&part=table`, with `changes`, without parts that say nothing."""
        return f"?{urlencode(replace(self, **changes).said())}"

    def said(self) -> dict[str, str]:
        """The parameters that say something."""
        parts = {name: str(value) for name, value in asdict(self).items() if value}
        if self.page == 1:
            del parts["page"]
        return parts

    def anywhere(self) -> str:
        """The same in all papers."""
        return self.address(paper="", page=1)

    def first_page(self) -> str:
        return self.address(page=1)

    def without_filters(self) -> str:
        return LibraryQuery(q=self.q).address()

    def document_ids(self, project: Project) -> list[str] | None:
        """Public ids of the live papers that the filters let through; None if there is no filter
        on papers.
        """
        if not (self.paper or self.title or self.since or self.until or self.language):
            return None
        wanted = Q(project=project)
        if self.paper:
            wanted &= Q(public_id=self.paper)
        if self.since:
            wanted &= Q(year__gte=self.since)
        if self.until:
            wanted &= Q(year__lte=self.until)
        if self.language:
            wanted &= Q(language__startswith=self.language)
        papers = matching(Document.objects.live().filter(wanted), self.title)
        return list(papers.values_list("public_id", flat=True))


def part_names() -> dict[str, str]:
    return {
        "abstract": _("Abstract, first page"),
        "text": _("Body text"),
        "table": _("Tables and captions"),
        "footnote": _("Footnotes"),
    }


def plain(given: str) -> str:
    """One line without control characters, which PostgreSQL may refuse."""
    return " ".join("".join(c if c.isprintable() else " " for c in given).split())


def _year(given: str) -> int | None:
    number = whole_number(given)
    return number if number and number < 10_000 else None
