import threading
import time
from pathlib import Path

import pytest
from django.db import connection, transaction

from documents import changes
from documents.models import Change
from documents.uploads import add_file
from projects.models import Project

Kind = Change.Kind


def test_changes_are_read_from_where_a_reader_stopped(
    project: Project, other_project: Project, pdf: Path
) -> None:
    version = add_file(project, path_or_upload=pdf, file_name="a.pdf", user=None).version
    other = add_file(other_project, path_or_upload=pdf, file_name="a.pdf", user=None).version
    first = changes.record(project, Kind.ADDED, version)
    changes.record(other_project, Kind.ADDED, other)
    second = changes.record(project, Kind.REMOVED, version)
    assert list(changes.since(project, 0)) == [first, second]
    assert list(changes.since(project, first.pk)) == [second]
    assert list(changes.since(project, second.pk)) == []


@pytest.mark.django_db(transaction=True)
def test_a_slow_transaction_never_hides_its_change_behind_a_later_one(
    project: Project, pdf: Path, redis: object
) -> None:
    version = add_file(project, path_or_upload=pdf, file_name="a.pdf", user=None).version
    recorded = threading.Event()

    def slowly() -> None:
        try:
            with transaction.atomic():
                changes.record(project, Kind.ADDED, version)
                recorded.set()
                time.sleep(0.5)
        finally:
            connection.close()

    slow = threading.Thread(target=slowly)
    slow.start()
    recorded.wait(10)
    with transaction.atomic():
        changes.record(project, Kind.REMOVED, version)
    seen = [change.kind for change in changes.since(project, 0)]
    slow.join()
    assert seen == [Kind.ADDED, Kind.REMOVED]
