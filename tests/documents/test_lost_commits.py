"""The database goes away at the very moment of a commit, and whether it was stored is unknown."""

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import OperationalError, connection

from documents import claiming
from documents.claiming import Claim
from documents.models import ParsedFile, Version
from documents.parsing import PARSER
from documents.reading_claims import ReadingClaim, claim_reading
from documents.uploads import add_file
from projects.models import Project

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


class CuttingProxy:
    """Passes everything between a client and PostgreSQL on, except the answer to a commit."""

    def __init__(self, folder: Path, real: str) -> None:
        self._real = real
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / ".s.PGSQL.5432"))
        self._listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        client, _address = self._listener.accept()
        self._listener.close()  # whoever comes again finds nobody
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(f"{self._real}/.s.PGSQL.5432")
            is_committing = False
            while True:
                ready, _, _ = select.select([client, server], [], [])
                for source in ready:
                    said = source.recv(65536)
                    is_committing = is_committing or b"COMMIT" in said
                    if not said or (is_committing and source is server):
                        return
                    (server if source is client else client).sendall(said)

    def close(self) -> None:
        self._listener.close()


@contextmanager
def answers_to_commits_are_lost(folder: Path) -> Iterator[None]:
    real = connection.settings_dict["HOST"]
    connection.close()
    proxy = CuttingProxy(folder, real)
    connection.settings_dict["HOST"] = str(folder)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["HOST"] = real
        proxy.close()


@pytest.fixture
def version(project: Project, pdf: Path) -> Version:
    return add_file(project, path_or_upload=pdf, file_name="a.pdf", user=None).version


def test_a_file_whose_claim_was_stored_unseen_is_taken_up_at_once(
    version: Version, tmp_path: Path
) -> None:
    with answers_to_commits_are_lost(tmp_path), pytest.raises(OperationalError):
        claiming.claim(version.pk, Version.State.PARSING, parser=PARSER)
    version.refresh_from_db()
    assert version.claimed_by, "the claim arrived, only nobody heard of it"
    taken = claiming.claim(version.pk, Version.State.PARSING, parser=PARSER)
    assert isinstance(taken, Claim)
    assert taken.version.attempts == 0, "no worker died over this file"


def test_the_same_holds_for_a_reading_in_the_background(version: Version, tmp_path: Path) -> None:
    with answers_to_commits_are_lost(tmp_path), pytest.raises(OperationalError):
        claim_reading(version.sha256, PARSER, page_count=3)
    assert ParsedFile.objects.get().claimed_by
    assert isinstance(claim_reading(version.sha256, PARSER, page_count=3), ReadingClaim)
