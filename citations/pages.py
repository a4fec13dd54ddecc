"""Stored pages, ready for locating: folded text at once, everything else only where needed."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import partial

from django.db import IntegrityError

from citations.models import NormalizedPage
from citations.normalizing import NORMALIZER, normalize, pack_starts, unpack_starts
from citations.searchable_page import PageDetail, SearchablePage
from documents.models import Page, ParsedFile, Version
from documents.pages.geometry import PackedBoxes
from documents.pages.page_text import Block, BlockKind, PageState

BATCH = 200


def searchable_pages(
    version: Version, numbers: Collection[int] | None = None
) -> list[SearchablePage]:
    """The pages of a version in order; only those in `numbers` if given.

    Normalised text that is missing or of an older normaliser is made now and stored.
    """
    if version.parsed_id is None:
        return []
    wanted = Page.objects.filter(parsed_id=version.parsed_id)
    if numbers is not None:
        wanted = wanted.filter(number__in=numbers)
    rows = wanted.order_by("number").values_list(
        "pk", "number", "state", "reason", "normalized__normalizer", "normalized__text"
    )
    found = list(rows)
    stale = [pk for pk, _, _, _, normalizer, _ in found if normalizer != NORMALIZER]
    fresh = dict(_normalize(stale)) if stale else {}
    return [
        SearchablePage(
            number,
            PageState(state),
            reason,
            fresh.get(pk, folded),
            _detail_loader(pk),
        )
        for pk, number, state, reason, _, folded in found
    ]


def normalize_pages(parsed: ParsedFile) -> int:
    """Make the normalised text of every page that lacks it. Returns how many were made."""
    fresh = Page.objects.filter(parsed=parsed, normalized__normalizer=NORMALIZER).values("pk")
    stale = Page.objects.filter(parsed=parsed).exclude(pk__in=fresh)
    return sum(1 for _ in _normalize(list(stale.values_list("pk", flat=True))))


def _normalize(pks: list[int]) -> Iterator[tuple[int, str]]:
    """Fold the pages with these keys and store the result, some hundred at a time."""
    for at in range(0, len(pks), BATCH):
        texts = Page.objects.filter(pk__in=pks[at : at + BATCH]).order_by("pk")
        rows = [_normalized_row(pk, text) for pk, text in texts.values_list("pk", "text")]
        with suppress(IntegrityError):  # the paper was removed meanwhile: nothing is kept of it
            NormalizedPage.objects.bulk_create(
                rows,
                update_conflicts=True,
                unique_fields=["page"],
                update_fields=["normalizer", "text", "packed_map"],
            )
        yield from ((row.page_id, row.text) for row in rows)


def _normalized_row(page_id: int, text: str) -> NormalizedPage:
    normalized = normalize(text)
    return NormalizedPage(
        page_id=page_id,
        normalizer=NORMALIZER,
        text=normalized.text,
        packed_map=pack_starts(normalized.starts),
    )


def _detail_loader(pk: int) -> Callable[[], PageDetail]:
    return partial(_load_detail, pk)


def _load_detail(pk: int) -> PageDetail:
    text, blocks, width, height, packed_map = Page.objects.values_list(
        "text", "blocks", "width", "height", "normalized__packed_map"
    ).get(pk=pk)
    return PageDetail(
        text,
        unpack_starts(bytes(packed_map)),
        tuple(_blocks(blocks)),
        partial(_load_boxes, pk),
        width / height if height else 1.0,
    )


def _blocks(stored: Iterable[tuple[str, int, int, int]]) -> Iterator[Block]:
    return (Block(BlockKind(kind), start, end, level) for kind, start, end, level in stored)


def _load_boxes(pk: int) -> PackedBoxes:
    return PackedBoxes(bytes(Page.objects.values_list("packed_boxes", flat=True).get(pk=pk)))
