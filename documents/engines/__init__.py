"""Models that read pictures of pages: OCR, layout, Docling. Each works in a child process."""
