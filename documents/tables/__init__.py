"""Tables: from rules, gaps and headers to cells that are spans of page text."""
