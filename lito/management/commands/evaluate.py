"""`manage.py evaluate NAME DATA [--json]`: quality on a data set."""

from lito.measuring import MeasuringCommand


class Command(MeasuringCommand):
    help = "Measure quality on a data set."
    measurements = (
        ("blocks", "documents.pages.blocks_evaluation"),
        ("tables", "documents.tables.tables_evaluation"),
        ("retrieval", "retrieval.evaluation"),
        ("coverage", "retrieval.coverage_evaluation"),
        ("locate", "citations.evaluation"),
        ("changes", "citations.changed_quotes"),
        ("answers", "chat.evaluation"),
        ("carryover", "chat.carryover_evaluation"),
    )
