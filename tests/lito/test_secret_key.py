"""The installation's secret: one, kept, and readable by its owner alone."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from lito.secret_key import kept_secret


def test_the_secret_is_made_once_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "new" / "secret_key"
    made = kept_secret(file)
    assert len(made) >= 50
    assert kept_secret(file) == made
    assert file.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in file.parent.iterdir()] == ["secret_key"]


def test_processes_that_start_together_agree_on_one_secret(tmp_path: Path) -> None:
    file = tmp_path / "secret_key"
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as processes:
        assert len(set(processes.map(kept_secret, [file] * 16))) == 1
