"""Files broken in many ways: each is refused in words or read, and nothing is left over."""

import time
from pathlib import Path

import pytest
from pytest_django import Settings

from documents import ingestion
from documents.ingestion import Outcome
from documents.inspecting import MESSAGES, RefusedFileError
from documents.models import Page, Version
from documents.uploads import add_file
from projects.models import Project
from tests.documents.broken_files import BREAKS, broken
from tests.documents.files import PDFS

SAME_WAY = 5
SECONDS_A_FILE = 10
SOUND = sorted(path for path in PDFS.glob("*.pdf") if path.name != "locked.pdf")

State = Version.State


def added(project: Project, path: Path) -> Version | None:
    """The version that was made of the file; None if it was refused, in words."""
    try:
        return add_file(project, path_or_upload=path, file_name=path.name, user=None).version
    except RefusedFileError as error:
        refusal = error
    assert refusal.message == str(MESSAGES[refusal.code])
    return None


def check_reading(version: Version) -> None:
    """All of its pages, or none that anybody sees."""
    outcome = ingestion.parse_version(version.pk)
    version.refresh_from_db()
    if outcome is Outcome.DONE:
        numbers = Page.objects.filter(parsed=version.parsed).values_list("number", flat=True)
        assert sorted(numbers) == list(range(1, version.page_count + 1))
    else:
        assert outcome is Outcome.FAILED
        assert version.state == State.FAILED
        assert version.failure_code
        assert version not in Version.objects.live()


@pytest.mark.django_db
@pytest.mark.parametrize("way", range(len(BREAKS)), ids=[way.__name__[1:] for way in BREAKS])
def test_broken_files_are_refused_or_read(
    way: int, project: Project, tmp_path: Path, own_files: Path, settings: Settings
) -> None:
    settings.LITO_PAGE_SECONDS = SECONDS_A_FILE
    for turn in range(SAME_WAY):
        seed = way + turn * len(BREAKS)
        sound, other = (SOUND[(seed * step) % len(SOUND)].read_bytes() for step in (1, 5))
        path = tmp_path / f"{seed}.pdf"
        path.write_bytes(broken(sound, other, seed))
        began = time.monotonic()
        version = added(project, path)
        if version is not None:
            check_reading(version)
        assert time.monotonic() - began < SECONDS_A_FILE, seed
    assert not list((own_files / "incoming").iterdir())
    kept = {path.stem for path in own_files.glob("??/*.pdf")}
    assert kept == set(Version.objects.values_list("sha256", flat=True))


def test_one_seed_breaks_a_file_in_one_way() -> None:
    pdf, other = SOUND[0].read_bytes(), SOUND[1].read_bytes()
    assert broken(pdf, other, 7) == broken(pdf, other, 7)
    assert len({broken(pdf, other, seed) for seed in range(36)}) > 20
