"""A need goes in, numbered passages of the right papers come out, on a real PostgreSQL."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from documents.models import Chunk
from documents.vectors.embedding import _embedder
from projects.models import Project
from retrieval.scope import project_scope
from retrieval.search import search
from retrieval.tracing import Cut, Fate
from tests.retrieval.papers import add_paper, new_project, remove_paper

pytestmark = pytest.mark.django_db

ENZYMES = (
    ("front_matter", "", "Thermal stability of polymer-degrading enzymes. A. Reader, B. Writer."),
    ("abstract", "Abstract", "We measure how heat changes the activity of a PET hydrolase."),
    ("text", "Results", "At 70 °C the hydrolase kept 82% of its activity for ten hours."),
    ("text", "Results", "The mutant S121E melted at 81 °C, nine degrees above the wild type."),
    ("text", "Discussion", "A disulfide bridge explains the higher melting temperature."),
    ("reference", "References", "[1] Smith J. Melting temperature of PET hydrolase. 2019."),
)
MEMORY = (
    ("abstract", "Abstract", "Sleep after learning helps children to remember new words."),
    ("text", "Results", "Children who slept recalled 3.2 more words than those who stayed awake."),
    ("text", "Results", "The effect was absent when the nap was shorter than 20 minutes."),
)
SEGMENTATION = (
    ("abstract", "摘要", "本文综述深度学习在医学图像分割中的应用。"),
    ("text", "结果", "在肝脏数据集上，该网络的平均骰子系数达到0.93。"),
    ("text", "讨论", "训练样本不足仍是主要困难。"),
)


@pytest.fixture
def project() -> Project:
    project = new_project()
    add_paper(project, "Enzymes", ENZYMES)
    add_paper(project, "Memory", MEMORY)
    add_paper(project, "分割", SEGMENTATION)
    return project


@pytest.mark.parametrize(
    ("need", "title", "words"),
    [
        ("What is the melting temperature of the mutant S121E?", "Enzymes", "melted at 81"),
        ("how many more words did sleeping children recall", "Memory", "3.2 more words"),
        ("肝脏分割的骰子系数是多少？", "分割", "0.93"),
        ("睡眠对儿童记忆单词有什么影响", "Memory", "Sleep after learning"),
    ],
)
def test_the_best_passage_is_of_the_right_paper(
    project: Project, need: str, title: str, words: str
) -> None:
    found = search(need, scope=project_scope(project))

    assert found.evidence[0].version.title == title
    assert words in " ".join(each.text for each in found.evidence if each.version.title == title)
    assert [each.number for each in found.evidence] == list(range(1, len(found.evidence) + 1))


def test_evidence_text_is_the_page_text_of_its_spans(project: Project) -> None:
    for each in search("melting temperature", scope=project_scope(project)).evidence:
        pages = dict(
            Chunk.objects.filter(parsed_id=each.version.parsed_id).values_list(
                "parsed__pages__number", "parsed__pages__text"
            )
        )
        assert each.text == "\n".join(
            pages[span.page][span.start : span.end] for span in each.spans
        )


def test_neighbours_of_a_section_are_one_passage_and_reference_lists_are_none(
    project: Project,
) -> None:
    found = search("melting temperature of PET hydrolase", scope=project_scope(project))

    texts = [each.text for each in found.evidence]
    assert any("82%" in text and "S121E" in text for text in texts)
    assert not any("Smith J." in text for text in texts)
    assert found.trace.cuts[Cut.REFERENCE_LIST] == 1


def test_front_matter_stands_behind_the_bodies(project: Project) -> None:
    found = search("thermal stability of polymer-degrading enzymes", scope=project_scope(project))

    kinds = [each.kind for each in found.evidence]
    assert kinds.index("front_matter") == len(kinds) - 1


def test_a_scope_of_chosen_documents_gives_only_those(project: Project) -> None:
    [memory] = [each for each in project_scope(project).versions if each.title == "Memory"]
    scope = project_scope(project, document_ids=[memory.document_id])

    found = search("melting temperature of the hydrolase", scope=scope)

    assert {each.version.title for each in found.evidence} == {"Memory"}
    assert [paper.title for paper in found.trace.papers] == ["Memory"]


def test_another_project_is_never_searched(project: Project) -> None:
    stranger = new_project("stranger")
    add_paper(stranger, "Hidden", (("text", "Results", "The mutant S121E is a hidden secret."),))

    found = search("mutant S121E hidden secret", scope=project_scope(project))

    assert "Hidden" not in {each.version.title for each in found.evidence}


def test_a_removed_paper_is_gone_at_once(project: Project) -> None:
    search("sleep", scope=project_scope(project))
    [memory] = project.versions.filter(document__title="Memory")
    remove_paper(memory)

    found = search("children who slept recalled words", scope=project_scope(project))

    assert "Memory" not in {each.version.title for each in found.evidence}


def test_every_paper_in_scope_has_a_status(project: Project) -> None:
    found = search("melting temperature", scope=project_scope(project), limit=1)

    fates = {paper.title: paper for paper in found.trace.papers}
    assert fates["Enzymes"].status is Fate.GIVEN
    assert fates["Enzymes"].evidence == (1,)
    assert fates["Memory"].status in {Fate.CUT, Fate.NOT_RECALLED}
    json.dumps(found.trace.as_json())


@pytest.mark.parametrize("need", ["", "   ", "?!", "the of and", "的", "zzzqqqxxx"])
def test_a_need_without_words_is_no_error(project: Project, need: str) -> None:
    search(need, scope=project_scope(project))


def test_an_empty_project_gives_no_evidence() -> None:
    found = search("anything", scope=project_scope(new_project("empty")))

    assert found.evidence == ()
    assert found.trace.papers == ()


def test_without_an_embedder_keywords_find_it_and_the_trace_says_so(settings: object) -> None:
    project = new_project()
    add_paper(project, "Enzymes", ENZYMES, embedded=False)
    settings.LITO_EMBEDDER = "openai"  # type: ignore[attr-defined]  # and no address of one
    _embedder.cache_clear()
    found = search("mutant S121E", scope=project_scope(project))
    _embedder.cache_clear()

    assert "S121E" in found.evidence[0].text
    assert found.trace.vectors != "ok"


def test_chunks_cut_anew_are_found_though_the_index_names_the_old_ones(project: Project) -> None:
    search("disulfide bridge", scope=project_scope(project))
    chunk = Chunk.objects.get(kind="text", spans__0__0=2, section=["Discussion"], ordinal=4)
    chunk.vectors.all().delete()
    terms, fields = chunk.terms, {
        "parsed": chunk.parsed, "ordinal": 4, "spans": chunk.spans, "section": chunk.section,
        "kind": "text", "tokens": chunk.tokens,
    }  # fmt: skip
    chunk.delete()
    Chunk.objects.create(**fields, terms=terms)

    found = search("disulfide bridge", scope=project_scope(project))

    assert any("disulfide" in each.text for each in found.evidence)


@pytest.mark.usefixtures("project")
def test_the_command_prints_one_line_of_json() -> None:
    output = StringIO()
    call_command("search", "骰子系数", project="library", json=True, stdout=output)

    [line] = output.getvalue().splitlines()
    shown = json.loads(line)
    assert {"number", "document", "title", "sha256", "spans", "section", "text", "score"} <= set(
        shown["evidence"][0]
    )
    assert shown["evidence"][0]["title"] == "分割"
    assert shown["trace"]["queries"][0]["from"] == "user"


def test_the_command_names_a_project_that_is_not_there() -> None:
    with pytest.raises(CommandError, match="nowhere"):
        call_command("search", "x", project="nowhere")
