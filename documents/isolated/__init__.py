"""The child process in which PDFs are opened, its limits, and how it is asked."""
