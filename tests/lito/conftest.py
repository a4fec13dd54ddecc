"""Data folders of their own, on which services can be started, killed and spoilt."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from lito.paths import home


@pytest.fixture
def data_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty LITO_HOME that `nobody` can walk to, short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="d-", dir=home()))
    folder.chmod(0o755)
    monkeypatch.setenv("LITO_HOME", str(folder))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
