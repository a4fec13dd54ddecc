"""The keyword index against the database: every kind of harm is seen, and heals itself."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from documents.chunks.tokens import TOKENIZER, keyword_tokens
from documents.models import Chunk, ParsedFile
from documents.retokenizing import outdated_readings
from projects.models import Project, User
from retrieval import keyword_index, tasks
from retrieval.index_checking import check, heal
from retrieval.index_files import MANIFEST
from retrieval.models import KeywordIndex
from retrieval.scope import project_scope
from retrieval.search import search
from tests.retrieval.papers import add_paper, new_project

pytestmark = pytest.mark.django_db

Finding = KeywordIndex.Finding


@pytest.fixture
def project() -> Project:
    project = new_project()
    for number in range(4):
        texts = [f"Leaf {number} breathes through stomata.", f"Root {number} drinks water."]
        add_paper(project, f"Paper {number}", [("text", "", text) for text in texts])
    keyword_index.keyword_index(project)
    return project


def found(project: Project, query: str) -> int:
    index = keyword_index.keyword_index(project)
    return len(index.search(keyword_tokens(query), limit=99))


def segment_of(folder: Path) -> Path:
    [segment] = folder.glob("segment-*")
    return segment


def _changed_in_the_middle(folder: Path) -> None:
    segment = segment_of(folder)
    content = bytearray(segment.read_bytes())
    content[len(content) // 2] ^= 0xFF
    with segment.open("r+b") as file:  # in place, as a disk would: who has it open sees it
        file.write(content)


def _cut(folder: Path) -> None:
    os.truncate(segment_of(folder), 100)


def _other_numbers_in_the_manifest(folder: Path) -> None:
    manifest = folder / MANIFEST
    manifest.write_text(manifest.read_text().replace('"changes": [', '"changes": [1'))


def _without(*patterns: str) -> Callable[[Path], object]:
    def harm(folder: Path) -> None:
        for pattern in patterns:
            for path in folder.glob(pattern):
                path.unlink()

    return harm


HARMS: list[tuple[Callable[[Path], object], Finding]] = [
    (_changed_in_the_middle, Finding.DAMAGED),
    (_without("segment-*"), Finding.MISSING),
    (_without("terms-*"), Finding.MISSING),
    (_without(MANIFEST), Finding.MISSING),
    (_without("*"), Finding.MISSING),
    (lambda folder: (folder / MANIFEST).write_bytes(b"\0" * 99), Finding.MISSING),
    (_other_numbers_in_the_manifest, Finding.MISSING),
    (_cut, Finding.MISSING),
]


def _as_a_new_process_sees_it(project: Project) -> None:
    """Nothing of the index is open in this process."""
    folder = keyword_index.folder_of(project)
    project.public_id = f"moved-{project.pk}"
    project.save()
    folder.rename(keyword_index.folder_of(project))


@pytest.mark.parametrize("open_before", [True, False])
@pytest.mark.parametrize(("harm", "finding"), HARMS)
def test_harm_to_the_files_is_found_and_mended(
    project: Project,
    harm: Callable[[Path], object],
    finding: Finding,
    open_before: bool,
) -> None:
    if not open_before:
        _as_a_new_process_sees_it(project)
    harm(keyword_index.folder_of(project))
    assert check(project).finding is finding

    heal(project)

    row = KeywordIndex.objects.get(project=project)
    assert row.finding == finding
    assert row.healed_at is not None
    assert check(project).agrees
    assert found(project, "stomata") == 4
    heal(project)
    assert KeywordIndex.objects.get(project=project).finding == Finding.AGREES


def test_chunks_that_were_made_anew_behind_its_back_are_found(project: Project) -> None:
    chunk = Chunk.objects.order_by("pk").first()
    assert chunk is not None
    chunk.terms = [*chunk.terms, "wax"]
    chunk.save()
    assert found(project, "wax") == 0
    assert check(project).finding is Finding.DIFFERS

    tasks.check_index(project.pk)

    assert check(project).agrees
    assert found(project, "wax") == 1


def test_a_restored_old_copy_of_the_files_is_brought_up_to_date(project: Project) -> None:
    folder = keyword_index.folder_of(project)
    old = {path.name: path.read_bytes() for path in folder.iterdir()}
    add_paper(project, "New", [("text", "", "Guard cells close stomata.")])
    assert found(project, "stomata") == 5
    for path in folder.iterdir():
        path.unlink()
    for name, content in old.items():
        (folder / name).write_bytes(content)

    assert found(project, "stomata") == 5
    assert check(project).agrees


def test_a_search_that_meets_damage_mends_it_and_answers(project: Project) -> None:
    _as_a_new_process_sees_it(project)
    segment = segment_of(keyword_index.folder_of(project))
    size = segment.stat().st_size
    segment.write_bytes(b"\x7f" * size)

    result = search("stomata", scope=project_scope(project))

    assert len(result.evidence) == 4
    assert check(project).agrees


def test_terms_of_an_older_tokenizer_are_made_anew_while_search_works(
    project: Project, redis: object
) -> None:
    reading = ParsedFile.objects.order_by("pk")[0]
    for chunk in reading.chunks.all():
        chunk.terms = ["of", "another", "time", "stomata"]
        chunk.save()
    ParsedFile.objects.exclude(pk=reading.pk).update(tokenizer=TOKENIZER)
    ParsedFile.objects.filter(pk=reading.pk).update(tokenizer=0)
    keyword_index.rebuild(project)
    assert found(project, "stomata") == 5

    tasks.renew_terms_of_next()

    assert not outdated_readings().exists()
    assert found(project, "stomata") == 4
    assert found(project, "time") == 0
    assert check(project).agrees
    kept = reading.chunks.order_by("ordinal").values_list("terms", flat=True)
    assert list(kept) == [
        keyword_tokens("Leaf 0 breathes through stomata."),
        keyword_tokens("Root 0 drinks water."),
    ]


def test_admins_see_what_a_check_found_and_can_ask_for_one(
    project: Project, client: Client
) -> None:
    client.force_login(User.objects.create_user("boss", is_staff=True))
    assert "not checked yet" in client.get(reverse("keyword_indexes")).content.decode()
    segment_of(keyword_index.folder_of(project)).write_bytes(b"")

    client.post(reverse("check_keyword_index", args=[project.slug]))

    page = client.get(reverse("keyword_indexes")).content.decode()
    assert "made anew" in page
    assert "8" in page
    assert check(project).agrees
