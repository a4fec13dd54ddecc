"""`manage.py evaluate NAME DATA [--json]`: quality on a data set."""

from lito.measuring import MeasuringCommand


class Command(MeasuringCommand):
    help = "Measure quality on a data set."
    measurements = (
        ("retrieval", "retrieval.evaluation"),
        ("locate", "citations.evaluation"),
        ("citations", "citations.gold_evaluation"),
        ("carryover", "chat.carryover_evaluation"),
        ("answers", "chat.evaluation"),
    )
