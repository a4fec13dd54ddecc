"""Where the small PDFs of the tests stand."""

from pathlib import Path

PDFS = Path(__file__).resolve().parent.parent / "pdfs"
