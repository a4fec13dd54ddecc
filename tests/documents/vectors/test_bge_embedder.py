"""BGE-M3's loading and embedding code, on a checkpoint of its layout that is made here.

Its tests need the extra `bge`; what is said without it is tested everywhere.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from pytest_django import Settings

from documents.vectors import bge_embedder, local_embedder
from documents.vectors.embedder import EmbedderUnavailableError

INSTALLED = find_spec("FlagEmbedding") is not None
needs_extra = pytest.mark.skipif(not INSTALLED, reason="needs the extra bge: make install-bge")
pytestmark = pytest.mark.filterwarnings("default")  # torch and transformers warn of themselves


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.documents.vectors.tiny_bge import make_checkpoint

    return make_checkpoint(tmp_path_factory.mktemp("bge") / "tiny-bge-m3")


@pytest.fixture
def embedder(checkpoint: Path) -> bge_embedder.BgeEmbedder:
    return bge_embedder.load(str(checkpoint))


@needs_extra
def test_the_settings_choose_it_and_the_model_says_its_dimensions(
    checkpoint: Path, settings: Settings
) -> None:
    settings.LITO_EMBEDDER = "bge-m3"
    settings.LITO_BGE_PATH = str(checkpoint)
    embedder = local_embedder.load_configured()
    assert embedder.space.dimensions == 64
    assert "bge-m3" in embedder.space.name
    assert "tiny-bge-m3" in embedder.space.revision


@needs_extra
def test_its_vectors_have_length_one_and_are_those_of_the_checkpoint(
    embedder: bge_embedder.BgeEmbedder, checkpoint: Path
) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    texts = ["sea ice declined", "患者死亡风险", "x"]
    vectors = embedder.embed(texts, "passage")
    assert vectors.shape == (3, 64)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    # The dense vector of M3 is the normalised last state of the first token.
    tokens = AutoTokenizer.from_pretrained(checkpoint)(texts[0], return_tensors="pt")
    with torch.no_grad():
        state = AutoModel.from_pretrained(checkpoint)(**tokens).last_hidden_state[0, 0]
    expected = torch.nn.functional.normalize(state, dim=0).numpy()
    np.testing.assert_allclose(vectors[0], expected, atol=1e-5)


@needs_extra
def test_it_knows_no_sides_and_takes_nothing_and_long_texts(
    embedder: bge_embedder.BgeEmbedder,
) -> None:
    query, passage = embedder.embed(["sea ice"], "query"), embedder.embed(["sea ice"], "passage")
    np.testing.assert_array_equal(query, passage)
    assert embedder.embed([], "passage").shape == (0, 64)
    long = "sea ice " * 3000
    np.testing.assert_array_equal(*embedder.embed([long, long + " and more"], "passage"))


@needs_extra
@pytest.mark.parametrize("missing", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_checkpoint_that_lacks_a_file_is_said_to(
    checkpoint: Path, tmp_path: Path, missing: str
) -> None:
    import shutil

    copy = Path(shutil.copytree(checkpoint, tmp_path / "copy"))
    (copy / missing).unlink()
    for other in copy.glob("sentencepiece*"):
        other.unlink()
    with pytest.raises(EmbedderUnavailableError, match="usable BGE-M3 checkpoint"):
        bge_embedder.load(str(copy))


@needs_extra
def test_cut_weights_are_refused(checkpoint: Path, tmp_path: Path) -> None:
    import shutil

    copy = Path(shutil.copytree(checkpoint, tmp_path / "copy"))
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(EmbedderUnavailableError, match="usable BGE-M3 checkpoint"):
        bge_embedder.load(str(copy))


@needs_extra
@pytest.mark.parametrize("path", ["BAAI/bge-m3", "/no/such/folder"])
def test_without_network_and_weights_it_says_what_to_do(tmp_path: Path, path: str) -> None:
    code = (
        "import sys; from documents.vectors import bge_embedder, embedder\n"
        "try: bge_embedder.load(sys.argv[1])\n"
        "except embedder.EmbedderUnavailableError as error: print(error)"
    )
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    command = [sys.executable, "-c", code, path]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert path in said.stdout
    assert "LITO_BGE_PATH" in said.stdout


@pytest.mark.skipif(INSTALLED, reason="the extra bge is installed here")
def test_without_the_extra_it_says_how_to_get_it() -> None:
    with pytest.raises(EmbedderUnavailableError, match="make install-bge"):
        bge_embedder.load("BAAI/bge-m3")
