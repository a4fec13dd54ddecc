"""Page numbers as a person writes them. Pure."""

from collections.abc import Sequence


def page_ranges(pages: Sequence[int]) -> str:
    """Page numbers for a person.

    >>> page_ranges((3, 4, 5, 9))
    '3-5, 9'
    """
    ranges: list[tuple[int, int]] = []
    for page in pages:
        if ranges and page == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], page)
        else:
            ranges.append((page, page))
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
