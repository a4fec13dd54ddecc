"""Real little PDFs for tests."""

from pathlib import Path

import pymupdf

SENTENCES = (
    "The measured growth of the population slowed down in every region.",
    "We asked four hundred people about their sleep and their work.",
    "No effect of the treatment was found in the second group.",
)


def make_pdf(path: Path, pages: int = 3, *, mark: str = "", blank: tuple[int, ...] = ()) -> Path:
    """A PDF whose page N says "Page N" and `mark` beside some sentences; `blank` pages say nothing.

    Files with another `mark` have other bytes.
    """
    with pymupdf.open() as document:  # type: ignore[no-untyped-call]
        for number in range(1, pages + 1):
            page = document.new_page()
            if number not in blank:
                page.insert_text((72, 90), f"Page {number} {mark}".strip() + " begins here.")
                for line, sentence in enumerate(SENTENCES):
                    page.insert_text((72, 120 + 18 * line), sentence)
        document.set_metadata({"title": f"A paper about {mark or 'growth'}"})
        document.save(path, no_new_id=True)
    return path
