"""`manage.py benchmark NAME [--json]`: ratios against peers, in one run on this machine."""

from lito.measuring import MeasuringCommand


class Command(MeasuringCommand):
    help = "Measure speed against peers."
    measurements = (
        ("bm25", "retrieval.benchmark"),
        ("embed", "documents.vectors.embedding_benchmark"),
        ("ingest", "lito.ingestion_benchmark"),
        ("locate", "citations.benchmark"),
        ("pages", "lito.pages_benchmark"),
        ("search", "retrieval.search_benchmark"),
        ("vectors", "retrieval.vector_benchmark"),
        ("stream", "lito.stream_benchmark"),
    )
