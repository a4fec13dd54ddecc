import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from documents.vectors.bundled_embedder import (
    MODEL_FILE,
    MOST_TOKENS,
    BundledEmbedder,
    NanoEmbedder,
    WordPieces,
    _package_folder,
    load,
)
from documents.vectors.e5_graph import _quantised
from documents.vectors.embedder import Side
from documents.vectors.packed_e5 import NotAPackedModelError, PackedE5, decode_rows

TEXTS = [
    "Sea-ice extent in the Arctic has declined since satellite records began in 1979.",
    "Patients with p < 0.05 were kept; the ﬁnal sample had n = 1,204 (52.3 % women).",
    "我们提出一种面向中文文献的引用定位方法，并在两个数据集上评估。",
    "北极海冰的范围自一九七九年有卫星记录以来一直在缩小。",
    "La producción de trigo cayó un 12 % en 2021.",
    "𝑓(𝑥) = ∑ αᵢ · xᵢ  ☃  \ud7a3 \x01 tabs\tand\nlines",
    "x",
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def bundled(cache: Path) -> BundledEmbedder:
    return BundledEmbedder(cache=cache)


@pytest.fixture(scope="module")
def nano() -> NanoEmbedder:
    return NanoEmbedder()


@pytest.fixture(scope="module")
def pieces() -> WordPieces:
    return WordPieces(PackedE5(_package_folder() / MODEL_FILE).vocabulary())


@pytest.mark.parametrize("side", ["query", "passage"])
def test_its_vectors_are_those_of_the_wheels_own_engine(
    bundled: BundledEmbedder, nano: NanoEmbedder, side: Side
) -> None:
    cosines = np.sum(bundled.embed(TEXTS, side) * nano.embed(TEXTS, side), axis=1)
    assert cosines.mean() >= 0.998
    assert cosines.min() >= 0.99


def test_every_vector_has_length_one_and_the_dimensions_of_the_space(
    bundled: BundledEmbedder,
) -> None:
    vectors = bundled.embed([*TEXTS, "", " "], "passage")
    assert vectors.shape == (len(TEXTS) + 2, bundled.space.dimensions)
    assert bundled.space.dimensions == 384
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_vector_does_not_depend_on_its_neighbours(bundled: BundledEmbedder) -> None:
    together = bundled.embed(TEXTS, "passage")
    for row, text in zip(together, TEXTS, strict=True):
        np.testing.assert_array_equal(row, bundled.embed([text], "passage")[0])


def test_question_and_passage_are_written_differently(bundled: BundledEmbedder) -> None:
    query = bundled.embed(TEXTS[:1], "query")[0]
    assert query @ bundled.embed(TEXTS[:1], "passage")[0] < 0.995


def test_a_question_finds_its_answer_in_another_language(bundled: BundledEmbedder) -> None:
    passages = bundled.embed(TEXTS[:5], "passage")
    query = bundled.embed(["北极海冰是什么时候开始减少的？"], "query")[0]
    assert set(np.argsort(passages @ query)[-2:]) == {0, 3}


def test_a_text_beyond_512_tokens_is_cut_there(bundled: BundledEmbedder) -> None:
    long = "citation " * 2000
    same = bundled.embed([long, long + "and an ending that is not seen"], "passage")
    np.testing.assert_array_equal(same[0], same[1])


@pytest.mark.parametrize("text", [*TEXTS[:5], "a  b   c", " leading", "", "ＦＵＬＬ ｗｉｄｔｈ"])
def test_it_counts_the_tokens_that_the_wheels_engine_counts(
    pieces: WordPieces, nano: NanoEmbedder, text: str
) -> None:
    assert len(pieces.ids("passage: " + text)) == nano._engine.token_count(text)


def test_a_long_text_has_at_most_512_token_ids(pieces: WordPieces) -> None:
    ids = pieces.ids("方法 method " * 1000)
    assert len(ids) == MOST_TOKENS
    assert (ids[0], ids[-1]) == (0, 2)


@pytest.mark.parametrize("damage", ["emptied", "cut", "changed", "no_digest"])
def test_a_damaged_cache_is_built_again(
    bundled: BundledEmbedder, tmp_path: Path, damage: str
) -> None:
    BundledEmbedder(cache=tmp_path)
    (graph,) = tmp_path.rglob("*.onnx")
    whole = graph.read_bytes()
    match damage:
        case "emptied":
            graph.write_bytes(b"")
        case "cut":
            graph.write_bytes(whole[: len(whole) // 2])
        case "changed":
            graph.write_bytes(whole[:5000] + b"\0" * 64 + whole[5064:])
        case "no_digest":
            graph.with_suffix(".sha256").unlink()
    again = BundledEmbedder(cache=tmp_path)
    assert graph.read_bytes() == whole
    np.testing.assert_array_equal(again.embed(TEXTS, "query"), bundled.embed(TEXTS, "query"))


def test_a_whole_cache_is_used_as_it_is(tmp_path: Path) -> None:
    BundledEmbedder(cache=tmp_path)
    (graph,) = tmp_path.rglob("*.onnx")
    before = graph.stat()
    BundledEmbedder(cache=tmp_path)
    assert graph.stat() == before


def test_processes_that_start_together_build_one_cache(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from documents.vectors.bundled_embedder import BundledEmbedder;"
        "print(BundledEmbedder(cache=pathlib.Path(sys.argv[1])).embed(['x'], 'query')[0, 0])"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    firsts = {process.communicate(timeout=60)[0] for process in started}
    assert [process.returncode for process in started] == [0, 0]
    assert len(firsts) == 1
    names = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
    assert len(names) == 3, names


def test_where_the_graph_cannot_be_kept_the_wheels_engine_embeds(tmp_path: Path) -> None:
    blocked = tmp_path / "a file where the folder should be"
    blocked.write_text("")
    embedder = load(cache=blocked)
    assert isinstance(embedder, NanoEmbedder)
    assert embedder.space.name != BundledEmbedder(cache=tmp_path / "free").space.name
    np.testing.assert_allclose(np.linalg.norm(embedder.embed(TEXTS, "query"), axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("content", [b"", b"E5S1", b"PK" + b"\0" * 200, b"E5S1" + b"\2" * 200])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(content)
    with pytest.raises((NotAPackedModelError, ValueError)):
        PackedE5(path)


def test_a_block_holds_its_low_halves_before_its_high_halves() -> None:
    scale = np.array([0.5], "<f2").view(np.uint8)
    halves = np.arange(16, dtype=np.uint8) | (8 << 4)
    (row,) = decode_rows(np.concatenate([scale, halves])[None])
    np.testing.assert_array_equal(row[:16], (np.arange(16) - 8) * 0.5)
    np.testing.assert_array_equal(row[16:], 0)


def test_signed_and_unsigned_weights_mean_the_same() -> None:
    weights = np.random.default_rng(7).normal(size=(64, 16)).astype(np.float32)
    restored = [
        (quantised.astype(np.float32) - zeros) * scales
        for scales, quantised, zeros in (_quantised(weights, "int8"), _quantised(weights, "uint8"))
    ]
    np.testing.assert_array_equal(restored[0], restored[1])
    assert np.abs(restored[0] - weights).max() <= np.abs(weights).max() / 127 / 2 + 1e-6


def test_the_word_table_is_mapped_and_not_loaded() -> None:
    code = (
        "import resource, sys; from documents.vectors.packed_e5 import PackedE5;"
        "from pathlib import Path; model = PackedE5(Path(sys.argv[1]));"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        "model.embeddings([0, 200_000, 2]);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    grown = subprocess.run(
        [sys.executable, "-c", code, str(_package_folder() / MODEL_FILE)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    assert int(grown.stdout) < 20_000, "kilobytes"
