"""Title, authors, year, identifiers and language of a file, each with its source. Pure."""

from collections.abc import Mapping, Sequence

from documents.page_text import Field, ParsedPage


def read_metadata(
    pages: Sequence[ParsedPage], *, info: Mapping[str, str], file_name: str
) -> dict[str, Field]:
    return {}
