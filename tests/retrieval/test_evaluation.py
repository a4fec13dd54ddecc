"""Question sets in, figures out, nothing left behind."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from documents.models import ParsedFile
from projects.models import Project

pytestmark = pytest.mark.django_db

CORPUS = [
    {"_id": "roots", "title": "Roots", "text": "Root hairs widen the surface that drinks water."},
    {"_id": "leaves", "title": "Leaves", "text": "Leaves breathe through stomata by day."},
    {"_id": "根", "title": "", "text": "根毛扩大了吸收水分的表面积。"},
    {"_id": "sleep", "title": "Sleep", "text": "Children remember words better after a nap."},
]
QUERIES = [
    {"_id": "q1", "text": "Which part drinks water?", "metadata": {}},
    {"_id": "q2", "text": "stomata"},
    {"_id": "q3", "text": "nobody judged this one"},
]
ANSWERS = [{"_id": "q2", "corpus_id": "leaves", "answers": [{"text": "stomata", "start": 23}]}]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, rows in (("corpus", CORPUS), ("queries", QUERIES), ("answers", ANSWERS)):
        lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(lines + "\n", encoding="utf-8")
    (tmp_path / "qrels.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\troots\t1\nq1\tsleep\t0\nq2\tleaves\t2\nq2\tgone\t1\n"
    )
    return tmp_path


def evaluated(*arguments: str) -> dict[str, object]:
    output = StringIO()
    call_command("evaluate", "retrieval", *arguments, "--json", stdout=output)
    [line] = output.getvalue().splitlines()
    figures: dict[str, object] = json.loads(line)
    return figures


def test_each_leg_and_both_are_measured(folder: Path) -> None:
    figures = evaluated(str(folder), "--answers", str(folder / "answers.jsonl"))

    assert (figures["queries"], figures["documents"]) == (2, 4)
    for leg in ("bm25", "vectors", "hybrid"):
        assert set(figures[leg]) >= {"ndcg10", "recall10", "recall50", "mrr"}  # type: ignore[call-overload]
        assert figures[leg]["recall10"] == 1  # type: ignore[index]
    assert figures["recall20_answer_chunk"] == 1


def test_nothing_is_left_behind(folder: Path) -> None:
    indexes = Path(settings.LITO_INDEXES)
    indexes.mkdir(parents=True, exist_ok=True)
    before = set(indexes.iterdir())

    evaluated(str(folder))

    assert not Project.objects.exists()
    assert not ParsedFile.objects.exists()
    assert set(indexes.iterdir()) == before


def test_judgements_need_no_header(folder: Path) -> None:
    bare = folder / "bare.tsv"
    bare.write_text("q2\tleaves\t1\n")

    assert evaluated(str(folder), "--qrels", str(bare))["queries"] == 1


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()

    with pytest.raises(CommandError, match=name):
        call_command("evaluate", "retrieval", str(folder))


def test_a_benchmark_prints_its_fields() -> None:
    output = StringIO()
    call_command("benchmark", "bm25", "--chunks", "600", "--json", stdout=output)
    figures = json.loads(output.getvalue())

    assert figures["chunks"] == 600
    assert figures["parity_max_abs_diff"] < 1e-9
    assert {"ratio_vs_rank_bm25", "add_document_ms", "open_ms", "bytes_per_chunk"} <= set(figures)
