"""Words that tell names of people from other words. Pure, in lower case."""

PARTICLES = frozenset(
    (
        "van", "von", "de", "der", "den", "del", "della", "la", "le", "di", "da", "dos", "du",
        "ter", "ten", "zu", "zur", "af", "av", "bin", "ibn", "al", "el",
    )
)  # fmt: skip
"""Words that begin a family name: van der Berg."""
JOINING_WORDS = frozenset(("y", "e", "do", "das", "'t"))
"""Words that stand within the names of people, beside `PARTICLES`."""
NOT_NAMES = frozenset(
    (
        "the", "of", "for", "in", "on", "to", "with", "from", "by", "at", "as", "is", "are",
        "this", "that", "open", "access", "online", "first", "review", "case", "original",
        "short", "brief", "letter", "note", "supplementary", "materials", "contents",
        "introduction", "methods", "results", "discussion", "conclusion", "conclusions",
        "references", "appendix", "table", "figure", "section", "chapter", "proposed", "rules",
        "notice", "policy", "check", "updates", "authors", "distr", "general", "member", "senior",
        "professor", "student", "fellow", "engineer", "working", "january", "february", "july",
        "september", "october", "november", "december", "monday", "tuesday", "wednesday",
        "thursday", "friday", "saturday", "sunday", "state", "levels", "communications",
        "national", "international", "united", "states", "kingdom", "china", "republic", "city",
        "street", "road", "box", "science", "sciences", "technology", "engineering", "medicine",
        "health", "physics", "mathematics", "statistics", "economics", "computer", "education",
        "business", "administration",
    )
)  # fmt: skip
"""Words of first pages and journals that no name of a person holds."""
