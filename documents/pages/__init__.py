"""From the letters of a page to its text in reading order and its blocks."""
