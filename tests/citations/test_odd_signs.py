"""Signs that are no letters and yet change what a quote says: none may be swapped for another."""

import pytest

from citations.locating import locate_quote
from tests.citations.made_pages import searchable


@pytest.mark.parametrize(
    ("page", "quote"),
    [
        ("profits of ▲15 million", "profits of ▼15 million"),
        ("profits of ▲15 million", "profits of 15 million"),
        ("profits of △ 15 million", "profits of ▽ 15 million"),
        ("a rate ↗ 12 %", "a rate ↘ 12 %"),
        ("a score of 3 ★ then", "a score of 3 ☆ then"),
        ("a score of 3★★★ then", "a score of 3★★ then"),
        ("with 12 ♂ and 15 ♀ seen", "with 12 ♀ and 15 ♂ seen"),
        ("the ♂ birds were seen", "the ♀ birds were seen"),
        ("a spread of 15 ‱ in all", "a spread of 15 ‰ in all"),
        ("a spread of 15‱ in all", "a spread of 15 in all"),
        ("a pipe of 5′ in all", "a pipe of 5″ in all"),
        ("a wall of 5′3 in all", "a wall of 53 in all"),
        ("the 12″ lens was used", "the 12‴ lens was used"),
        ("约.5个百分点的增长", "约5个百分点的增长"),
        ("增长▲15个百分点", "增长▼15个百分点"),
        ("x → 5 in the limit", "x ← 5 in the limit"),
        ("a ∨ b holds in all", "a ∧ b holds in all"),
        ("for all a ∈ B we see", "for all a ∉ B we see"),
        ("the sets A ⊂ B are seen", "the sets A ⊃ B are seen"),
        ("a dose of 5 µg was given", "a dose of 5 mg was given"),
        ("heat of 25 ℃ in all", "heat of 25 ℉ in all"),
        ("a price of £15 in all", "a price of €15 in all"),
        ("a share of ½ in all", "a share of ¼ in all"),
        ("a share of 1½ in all", "a share of 1 ½ 2 in all"),
        ("the angle α was held", "the angle β was held"),
        ("in stage Ⅳ of all", "in stage Ⅵ of all"),
        ("between 1,000 and 2,000 cells", "between 1.000 and 2.000 cells"),
        ("between 1,000 and 2,000 cells", "between 1000 and 2000 cells"),
        ("between 5–7 cells in all", "between 5,7 cells in all"),
        ("between 5–7 cells in all", "between 57 cells in all"),
        ("a ratio of 1:10 in all", "a ratio of 1/10 in all"),
        ("a ratio of 2/3 in all", "a ratio of 23 in all"),
        ("a change of −0.3 in all", "a change of 0.3 in all"),
        ("增长三成的地区", "增长三倍的地区"),
        ("增长三十个百分点", "增长三百个百分点"),
        ("下降了二点五个百分点", "下降了二十五个百分点"),
        ("不显著地影响了价格", "显著不影响了价格"),
    ],
)
def test_another_sign_is_another_text(page: str, quote: str) -> None:
    assert locate_quote(page, searchable(page)).status == "matched"
    assert locate_quote(quote, searchable(page)).status == "not_found"
    if "▲" not in page:
        assert locate_quote(page, searchable(quote)).status == "not_found"


@pytest.mark.parametrize(
    ("page", "quote"),
    [
        ("the 5′ UTR and the 3′ end", "the 5' UTR and the 3' end"),
        ("the 5′ UTR and the 3′ end", "the 5’ UTR and the 3’ end"),
        ("a lens of 12″ was used", 'a lens of 12" was used'),
        (
            "these hold:\n▲ 5 kinds of cells\n▲ 7 kinds of birds",
            "5 kinds of cells 7 kinds of birds",
        ),
        ("these hold:\n● five kinds\n● six kinds", "these hold: five kinds six kinds"),
        ("the ® mark of 5 firms", "the mark of 5 firms"),
        ("see Fig.3 for more of it", "see Fig 3 for more of it"),
        ("结果：5个地区增长", "结果:5个地区增长"),
    ],
)
def test_what_is_typed_otherwise_is_still_found(page: str, quote: str) -> None:
    assert locate_quote(quote, searchable(page)).status == "matched"
