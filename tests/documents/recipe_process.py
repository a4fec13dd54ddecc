"""A process that does one recipe, to be killed: `python -m` this, with RECIPE VERSION FOLDER."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

PAUSE = 0.1


def main(recipe: str, version_id: int, folder: Path) -> None:
    import django

    django.setup()
    from django.conf import settings

    settings.LITO_FILES = folder
    from documents import ingestion
    from documents.pages.page_text import ParsedPage
    from documents.rereading import WayOfReading, reread
    from tests.documents.other_parser import NAME, other_pages

    def slow_pages(path: Path, start: int, before: ParsedPage | None) -> Iterator[ParsedPage]:
        for page in other_pages(path, start, before):
            time.sleep(PAUSE)
            yield page

    if recipe == "parse":
        ingestion.parse_version(version_id)
    elif recipe == "index":
        ingestion.index_version(version_id, watcher=lambda _version: time.sleep(5 * PAUSE))
    elif recipe == "refine":
        reread(version_id)
    else:
        reread(version_id, way=WayOfReading(NAME, slow_pages))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
