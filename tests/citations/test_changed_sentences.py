"""Sentences of real papers, changed by one meaningful step, are never matched."""

from pathlib import Path

from citations.changed_quotes import CHANGES, run

PAPERS = (
    "en_exergy_PMC7514871.pdf",
    "en_med_PMC12832621.pdf",
    "en_pair2_hbn.pdf",
    "zh_pair2_hbn.pdf",
    "zh_pair3_cpet.pdf",
)


def test_no_changed_sentence_of_a_real_paper_is_matched(corpus: Path, tmp_path: Path) -> None:
    for name in PAPERS:
        (tmp_path / name).symlink_to(corpus / "papers" / name)
    found = run({"folder": tmp_path, "quotes": 150})
    assert found["matched"] == 0, found["examples"]
    assert found["quotes"] >= 130
    tried = {name: counts["tried"] for name, counts in found["by_change"].items()}
    assert set(tried) == set(CHANGES)
    assert all(tried.values()), tried
