"""Terms that mean the same: what is asked with one of them finds what is written with the other."""

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from documents.chunks.tokens import query_tokens
from documents.models import Chunk
from projects.models import Membership, Project, User
from retrieval.library_terms import TermPair, introduced_terms, tokens_with_terms
from retrieval.models import LibraryTerm
from retrieval.planning import plan_without_model
from retrieval.recall import recall
from retrieval.scope import project_scope
from tests.retrieval.papers import add_paper, new_project

TSR = TermPair("TSR", "tip-speed ratio")
LSTM = TermPair("LSTM", "长短期记忆网络")


@pytest.mark.parametrize(
    ("asked", "pair", "added"),
    [
        ("What TSR is best?", TSR, {"tip", "speed", "ratio"}),
        ("the best tip speed ratio", TSR, {"tsr"}),
        ("Tip–speed Ratio", TSR, {"tsr"}),
        ("TSRs of the best", TSR, set()),
        ("TSR is the tip-speed ratio", TSR, set()),
        ("a speed ratio", TSR, set()),
        ("长短期记忆网络的优点", LSTM, {"lstm"}),
        ("LSTM的优点", LSTM, {"记忆", "网络"}),
        ("anything", TermPair("…", "?"), set()),
    ],
)
def test_a_question_gets_the_tokens_of_the_other_half(
    asked: str, pair: TermPair, added: set[str]
) -> None:
    own, tokens = query_tokens(asked), tokens_with_terms(asked, [pair])
    assert tokens[: len(own)] == own
    new = set(tokens[len(own) :])
    assert added <= new
    assert bool(added) == bool(new)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It depends on the tip-speed ratio (TSR).", [TSR]),
        ("the tip-speed\nratio (TSR) and", [TSR]),
        ("Polymerase chain reaction (PCR) was", [TermPair("PCR", "Polymerase chain reaction")]),
        ("long short-term memory（LSTM）", [TermPair("LSTM", "long short-term memory")]),
        ("as shown (see Table 3) and (Smith)", []),
        ("no such words before it (XQZ)", []),
        ("(TSR)", []),
        ("a ratio (r)", []),
        ("", []),
    ],
)
def test_acronyms_are_found_with_their_words(text: str, found: list[TermPair]) -> None:
    assert introduced_terms([text]) == found


def test_the_words_that_most_texts_give_win_and_known_terms_are_left_out() -> None:
    texts = ["tip-speed ratio (TSR)", "a tip-speed ratio (TSR)", "total serum retinol (TSR)"]
    assert introduced_terms(texts) == [TSR]
    assert introduced_terms(texts, known={"TSR"}) == []


@given(text=st.text(st.sampled_from("ab AB()（）-TSR\n一İß"), max_size=80))
def test_any_text_gives_words_that_stand_in_it(text: str) -> None:
    for pair in introduced_terms([text]):
        assert pair.term in text
        assert pair.meaning in " ".join(text.split())


@pytest.fixture
def project(db: None) -> Project:
    project = new_project()
    add_paper(
        project,
        "Turbines",
        [
            ("text", "", "Power peaks at a tip-speed ratio (TSR) of seven."),
            ("text", "", "The tip-speed ratio falls in gusts."),
            ("text", "", "Blades are made of glass fibre."),
        ],
        embedded=False,
    )
    return project


def _keyword_hits(project: Project, asked: str) -> list[str]:
    recalled = recall(plan_without_model(asked), project_scope(project))
    chunks = [hit.chunk for hit in recalled.queries[0].keywords]
    ordinals = dict(Chunk.objects.values_list("pk", "ordinal"))
    return sorted(str(ordinals[chunk]) for chunk in chunks)


def test_a_search_for_the_acronym_finds_its_words(project: Project) -> None:
    assert _keyword_hits(project, "TSR") == ["0"]
    LibraryTerm.objects.create(project=project, term="TSR", meaning="tip-speed ratio")
    assert _keyword_hits(project, "TSR") == ["0", "1"]


def test_the_terms_of_one_project_are_not_those_of_another(project: Project) -> None:
    other = new_project("other")
    LibraryTerm.objects.create(project=other, term="TSR", meaning="tip-speed ratio")
    assert _keyword_hits(project, "TSR") == ["0"]


def test_an_editor_takes_over_what_was_found_and_removes_it_again(
    project: Project, client: Client
) -> None:
    editor = User.objects.create_user("editor")
    Membership.objects.create(project=project, user=editor, role=Membership.Role.EDITOR)
    client.force_login(editor)
    url = reverse("library_terms", args=[project.slug])
    page = client.get(url).content.decode()
    assert "Found in the papers" in page
    assert "tip-speed ratio" in page

    add = reverse("add_library_term", args=[project.slug])
    client.post(add, {"term": "TSR", "meaning": "tip-speed ratio"})
    client.post(add, {"term": "TSR", "meaning": "tip speed ratio"})
    term = LibraryTerm.objects.get(project=project)
    assert term.meaning == "tip speed ratio"
    assert "Found in the papers" not in client.get(url).content.decode()
    assert client.post(add, {"term": "TSR\0", "meaning": ""}).status_code == 422

    stranger = Client()
    stranger.force_login(User.objects.create_user("stranger"))
    remove = reverse("remove_library_term", args=[project.slug, term.pk])
    assert stranger.post(remove).status_code == 404
    client.post(remove)
    assert not LibraryTerm.objects.exists()


def test_a_term_of_another_project_can_not_be_removed(project: Project, client: Client) -> None:
    other = new_project("other")
    term = LibraryTerm.objects.create(project=other, term="TSR", meaning="tip-speed ratio")
    editor = User.objects.create_user("editor")
    Membership.objects.create(project=project, user=editor, role=Membership.Role.EDITOR)
    client.force_login(editor)
    url = reverse("remove_library_term", args=[project.slug, term.pk])
    assert client.post(url).status_code == 404
    assert LibraryTerm.objects.filter(pk=term.pk).exists()
