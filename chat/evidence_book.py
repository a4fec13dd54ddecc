"""The numbers of one run: none ever changes its meaning, and the same passage keeps its own."""

from collections.abc import Iterator, Mapping
from typing import Any, Self

from citations.anchoring import Anchor
from citations.citing import CitedEvidence
from retrieval.evidence import Evidence

Place = tuple[Any, ...]


class EvidenceBook:
    """Hands out numbers from 1. Numbers are for the model; readers never see them."""

    def __init__(self) -> None:
        self._cited: dict[int, CitedEvidence] = {}
        self._passages: dict[int, Evidence] = {}
        self._numbers: dict[Place, int] = {}

    def add(self, evidence: Evidence) -> int:
        """The number of a passage that a search found."""
        number = self._number_of(_cited(evidence))
        self._passages[number] = evidence
        return number

    def add_page(self, page: Evidence) -> int:
        """The number of a whole page, which is a source of its own."""
        number = self._number_of(_cited(page, pdf_page=page.spans[0].page))
        self._passages[number] = page
        return number

    def carry(self, number: int, cited: CitedEvidence) -> None:
        """Register a citation place of an earlier answer under its handle."""
        self._cited[number] = cited
        self._numbers.setdefault(_place(cited), number)

    def __bool__(self) -> bool:
        return bool(self._cited)

    def __contains__(self, number: object) -> bool:
        return number in self._cited

    def cited(self) -> Mapping[int, CitedEvidence]:
        """Everything that this run may cite."""
        return self._cited

    def passages(self) -> Iterator[tuple[int, Evidence]]:
        """What searches found in this run, in the order in which it was found."""
        return iter(sorted(self._passages.items()))

    def _number_of(self, cited: CitedEvidence) -> int:
        place = _place(cited)
        if place not in self._numbers:
            number = max(self._cited, default=0) + 1
            self._numbers[place] = number
            self._cited[number] = cited
        return self._numbers[place]

    def to_json(self) -> dict[str, Any]:
        return {
            str(number): {
                "file_id": cited.file_id,
                "title": cited.title,
                "anchor": cited.anchor.as_json(),
                "pdf_page": cited.pdf_page,
            }
            for number, cited in list(self._cited.items())  # it may grow meanwhile
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        book = cls()
        for number, kept in value.items():
            anchor = Anchor.from_json(kept["anchor"])
            cited = CitedEvidence(kept["file_id"], kept["title"], anchor, kept["pdf_page"])
            book.carry(int(number), cited)
        return book


def _cited(evidence: Evidence, *, pdf_page: int | None = None) -> CitedEvidence:
    version = evidence.version
    anchor = Anchor(
        version.document_id, version.sha256, version.parser, evidence.spans, evidence.text
    )
    return CitedEvidence(version.file_id, version.title, anchor, pdf_page)


def _place(cited: CitedEvidence) -> Place:
    return (cited.file_id, cited.pdf_page, cited.anchor.parser, cited.anchor.spans)
