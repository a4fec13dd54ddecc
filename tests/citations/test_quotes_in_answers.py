"""Answers as models write them: the claim and the direct quote that each citation gets."""

import time

import pytest

from citations.claims import claims_of
from citations.markers import read_markers
from citations.quotations import quotations

KNOWN = frozenset(range(1, 10))
Pairs = list[tuple[str, str]]

ENGLISH_QUOTES: list[tuple[str, Pairs]] = [
    (
        "The authors write that ‘warming slows growth in poor regions’ [1].",
        [
            (
                "The authors write that ‘warming slows growth in poor regions’",
                "warming slows growth in poor regions",
            )
        ],
    ),
    (
        "They add that 'warming slows growth in poor regions' [1].",
        [
            (
                "They add that 'warming slows growth in poor regions'",
                "warming slows growth in poor regions",
            )
        ],
    ),
    (
        "It’s the seller’s view that ‘buyers’ trust doesn’t fade’ [2].",
        [
            (
                "It’s the seller’s view that ‘buyers’ trust doesn’t fade’",
                "buyers’ trust doesn’t fade",
            )
        ],
    ),
    (
        "It's the sellers' view that trust doesn't fade [2].",
        [("It's the sellers' view that trust doesn't fade", "")],
    ),
    (
        "In the '90s and the '00s prices rose in all markets' eyes [2].",
        [("In the '90s and the '00s prices rose in all markets' eyes", "")],
    ),
    (
        "“He called it ‘a small miracle’ at the time” [3].",
        [
            (
                "“He called it ‘a small miracle’ at the time”",
                "He called it ‘a small miracle’ at the time",
            )
        ],
    ),
    (
        "‘He called it “a small miracle” at the time’ [3].",
        [
            (
                "‘He called it “a small miracle” at the time’",
                "He called it “a small miracle” at the time",
            )
        ],
    ),
    (
        "“He called it “a small miracle” at the time” [3].",
        [
            (
                "“He called it “a small miracle” at the time”",
                "He called it “a small miracle” at the time",
            )
        ],
    ),
    (
        'They say "he called it "a small miracle" at the time" [3].',
        [
            (
                'They say "he called it "a small miracle" at the time"',
                'he called it "a small miracle" at the time',
            )
        ],
    ),
    (
        'They say “reputation raises prices" [1].',
        [('They say “reputation raises prices"', "reputation raises prices")],
    ),
    (
        'They say "reputation raises prices” [1].',
        [('They say "reputation raises prices”', "reputation raises prices")],
    ),
    (
        'First “one thing holds" [1], then "another thing holds” [2].',
        [
            ('First “one thing holds"', "one thing holds"),
            ('then "another thing holds”', "another thing holds"),
        ],
    ),
    (
        "They say ``reputation raises prices'' [1].",
        [("They say ``reputation raises prices''", "reputation raises prices")],
    ),
    (
        'A 5" pipe and a 7" pipe both broke [4].',
        [('A 5" pipe and a 7" pipe both broke', "")],
    ),
    (
        "“Growth fell . . . in all regions” [1].",
        [("“Growth fell . . . in all regions”", "Growth fell . . . in all regions")],
    ),
    (
        "“Growth fell. It never came back. Nobody knew why.” [1]",
        [
            (
                "“Growth fell. It never came back. Nobody knew why.”",
                "Growth fell. It never came back. Nobody knew why.",
            )
        ],
    ),
    (
        "Cold. Smith wrote: “Growth fell. It never came back.” [1]",
        [
            (
                "Smith wrote: “Growth fell. It never came back.”",
                "Growth fell. It never came back.",
            )
        ],
    ),
    (
        "“[T]he effect [sic] was **large**” [1].",
        [("“[T]he effect [sic] was large”", "[T]he effect [sic] was large")],
    ),
    (
        "“the *effect* was `large` and __clear__” [1].",
        [("“the effect was large and clear”", "the effect was large and clear")],
    ),
    (
        "*“the effect was large”* [1].",
        [("“the effect was large”", "the effect was large")],
    ),
    (
        r"“a mean of $25\,^{\circ}\mathrm{C}$ ($p \leq 0.05$)” [1].",
        [
            (
                r"“a mean of $25,^{\circ}\mathrm{C}$ ($p \leq 0.05$)”",
                "a mean of 25,°C (p ≤ 0.05)",
            )
        ],
    ),
    (
        "“about 10<sup>5</sup> cells and CO<sub>2</sub>” [1].",
        [
            (
                "“about 10<sup>5</sup> cells and CO<sub>2</sub>”",
                "about 10⁵ cells and CO₂",
            )
        ],
    ),
    (
        "“p &lt; 0.05 &amp; rising” [1].",
        [("“p &lt; 0.05 &amp; rising”", "p < 0.05 & rising")],
    ),
    (
        "“it grew” (p. 14) [1].",
        [("“it grew” (p. 14)", "it grew")],
    ),
    (
        "“it grew” (Smith et al., 2020) [1].",
        [("“it grew” (Smith et al., 2020)", "it grew")],
    ),
    (
        "“it grew,” [1] they say, and “it fell” [2].",
        [("“it grew,”", "it grew,"), ("they say, and “it fell”", "it fell")],
    ),
    (
        "Smith [1]: “growth fell in all regions.”",
        [("Smith: “growth fell in all regions.”", "growth fell in all regions.")],
    ),
    (
        "According to Smith [1], “growth fell”.",
        [("According to Smith, “growth fell”", "growth fell")],
    ),
    (
        "Warming slows growth [1], “and prices rise”, they say [2].",
        [("Warming slows growth", ""), ("“and prices rise”, they say", "")],
    ),
    (
        "Smith is clear [1]: “growth fell” [2].",
        [("Smith is clear", ""), ("Smith is clear: “growth fell”", "growth fell")],
    ),
    (
        "“growth fell here” and “prices rose there” [1][2].",
        [
            ("“growth fell here” and “prices rose there”", "growth fell here"),
            ("“growth fell here” and “prices rose there”", "prices rose there"),
        ],
    ),
    (
        "“growth fell in all of the regions” [1][2].",
        [("“growth fell in all of the regions”", "growth fell in all of the regions")] * 2,
    ),
    (
        'The key `"value"` is set to "x" by the tool [1].',
        [('The key "value" is set to "x" by the tool', "")],
    ),
    (
        "With $f''(x) < 0$ and $g'(x) > 0$ demand falls [1].",
        [("With $f''(x) < 0$ and $g'(x) > 0$ demand falls", "")],
    ),
    (
        "The “smart” buyers of the “new” kind pay more than others [1].",
        [("The “smart” buyers of the “new” kind pay more than others", "")],
    ),
    (
        "See [“growth fell in all regions”](https://x.org/a) [1].",
        [("See “growth fell in all regions”", "growth fell in all regions")],
    ),
]

OTHER_QUOTES: list[tuple[str, Pairs]] = [
    (
        "Er schreibt „die Preise steigen“ [1].",
        [("Er schreibt „die Preise steigen“", "die Preise steigen")],
    ),
    (
        "Er schreibt ‚die Preise steigen‘ [1].",
        [("Er schreibt ‚die Preise steigen‘", "die Preise steigen")],
    ),
    (
        "Er schreibt »die Preise steigen« [1].",
        [("Er schreibt »die Preise steigen«", "die Preise steigen")],
    ),
    (
        "Er sagt „sie nennt es ‚gut‘ und geht“ [1].",
        [("Er sagt „sie nennt es ‚gut‘ und geht“", "sie nennt es ‚gut‘ und geht")],
    ),
    ("Il dit « les prix montent » [1].", [("Il dit « les prix montent »", "les prix montent")]),
    (
        "Il dit « ils notent “une hausse” des prix » [1].",
        [("Il dit « ils notent “une hausse” des prix »", "ils notent “une hausse” des prix")],
    ),
    ("他们写道：“价格上升”[1]。", [("他们写道：“价格上升”", "价格上升")]),
    ("他们写道：‘价格上升’[1]。", [("他们写道：‘价格上升’", "价格上升")]),
    ('他们写道："价格上升"[1]。', [('他们写道："价格上升"', "价格上升")]),
    ("他们写道：＂价格上升＂[1]。", [("他们写道：＂价格上升＂", "价格上升")]),
    ('他们写道：“价格上升"[1]。', [('他们写道：“价格上升"', "价格上升")]),
    (
        "著者は「価格が『急に』上がる」と書く[1]。",
        [("著者は「価格が『急に』上がる」と書く", "価格が『急に』上がる")],
    ),
    ("著者写道﹁價格上升﹂[1]。", [("著者写道﹁價格上升﹂", "價格上升")]),
    (
        "作者说“所谓‘信誉’就是价格”[1]。",
        [("作者说“所谓‘信誉’就是价格”", "所谓‘信誉’就是价格")],
    ),
    (
        "作者说“所谓“信誉”就是价格”[1]。",
        [("作者说“所谓“信誉”就是价格”", "所谓“信誉”就是价格")],
    ),
    (
        "研究指出“变暖……减缓增长”[1]。",
        [("研究指出“变暖……减缓增长”", "变暖……减缓增长")],
    ),
    (
        "前文已述。研究指出：“变暖减缓增长。价格随之上升。”[1]",
        [("研究指出：“变暖减缓增长。价格随之上升。”", "变暖减缓增长。价格随之上升。")],
    ),
    (
        "“变暖减缓增长。”作者据此认为价格会上升[1]。",
        [("作者据此认为价格会上升", "")],
    ),
    ("《论语》与〈学而〉都谈到了学习[1]。", [("《论语》与〈学而〉都谈到了学习", "")]),
    (
        "《经济研究》写道“价格上升”（第3页）[1]。",
        [("《经济研究》写道“价格上升”（第3页）", "价格上升")],
    ),
    ("文献[1]指出：“价格上升”。", [("文献指出：“价格上升”", "价格上升")]),
    ("根据[1]，变暖减缓了增长。", [("根据，变暖减缓了增长。", "")]),
    ("文献[1]指出变暖减缓增长。", [("文献指出变暖减缓增长。", "")]),
    (
        "价格上升[1]，需求下降[2]；供给不变[3]。",
        [("价格上升", ""), ("需求下降", ""), ("供给不变", "")],
    ),
    (
        "“智能”方法在所有地区都更好[1]。",
        [("“智能”方法在所有地区都更好", "")],
    ),
]

CLAIMS: list[tuple[str, Pairs]] = [
    (
        "Buyers pay more [1]; sellers do not gain [2].",
        [("Buyers pay more", ""), ("sellers do not gain", "")],
    ),
    (
        "Buyers pay more; [1] sellers do not gain; [2]",
        [("Buyers pay more", ""), ("sellers do not gain", "")],
    ),
    ("Buyers pay more (see [1]).", [("Buyers pay more", "")]),
    ("Buyers pay more (e.g., [1], [2]).", [("Buyers pay more", "")] * 2),
    ("价格因此上升（参见[1]）。", [("价格因此上升", "")]),
    ("Smith [1] shows that buyers pay more.", [("Smith shows that buyers pay more.", "")]),
    ("[1] shows that buyers pay more. Sellers differ.", [("shows that buyers pay more.", "")]),
    ("Prices rose [1] and wages fell [2].", [("Prices rose", ""), ("and wages fell", "")]),
    ("The chance P(A|B) of loss is small [1].", [("The chance P(A|B) of loss is small", "")]),
    (
        "| Study | Finding | |\n| --- | --- | --- |\n| Ann | rose | [1] |\n| Jo | “fell” | [2] |",
        [("Ann; rose", ""), ("Jo; “fell”", "fell")],
    ),
    (
        "| prices rose by 5 % [1] | wages fell by 3 % [2] |",
        [("prices rose by 5 %", ""), ("wages fell by 3 %", "")],
    ),
    (
        "Results follow.\n\n- **Prices:** they rose by 5 % [1]\n- **Wages:** they fell [2]",
        [("Prices: they rose by 5 %", ""), ("Wages: they fell", "")],
    ),
    (
        "1. Prices rose by 5 % [1]\n2. Wages fell by 3 % [2]\n   and stayed low [3]",
        [("Prices rose by 5 %", ""), ("Wages fell by 3 %", ""), ("and stayed low", "")],
    ),
    ("- [x] Prices rose by 5 % [1]", [("Prices rose by 5 %", "")]),
    (
        "## Prices rose [1]\nThey rose by 5 % in all years [2].",
        [("Prices rose", ""), ("They rose by 5 % in all years", "")],
    ),
    ("### Prices\nThey rose by 5 % [1].", [("They rose by 5 %", "")]),
    (
        "> Growth fell. It never\n> came back.\n> — Smith (2020) [1]",
        [("Growth fell. It never came back.", "Growth fell. It never came back.")],
    ),
    (
        "Smith writes:\n\n> “Growth fell. It never came back.”\n\n[1]",
        [("Growth fell. It never came back.", "Growth fell. It never came back.")],
    ),
    (
        "> The authors call it “a smart move” and mean it [1]",
        [
            (
                "The authors call it “a smart move” and mean it",
                "The authors call it “a smart move” and mean it",
            )
        ],
    ),
    ("> **Note:** growth fell in all regions [1]", [("Note: growth fell in all regions", "")]),
    (
        "Growth fell in all regions.\n\n[1][2]",
        [("Growth fell in all regions.", "")] * 2,
    ),
    (
        "- “growth fell in all regions” [1]\n- ‘wages fell too’ [2]",
        [
            ("“growth fell in all regions”", "growth fell in all regions"),
            ("‘wages fell too’", "wages fell too"),
        ],
    ),
    (
        "Prices rose, as expected.[1] Wages fell.[2]",
        [("Prices rose, as expected.", ""), ("Wages fell.", "")],
    ),
    ("~~old~~ ==Prices rose by 5 %== [1]", [("old Prices rose by 5 %", "")]),
]


@pytest.mark.parametrize(("answer", "expected"), [*ENGLISH_QUOTES, *OTHER_QUOTES, *CLAIMS])
def test_each_citation_gets_its_claim_and_its_quote(answer: str, expected: Pairs) -> None:
    found = [(each.claim, each.quote) for each in claims_of(read_markers(answer, KNOWN))]
    assert found == expected


def test_a_hostile_run_of_marks_is_read_in_linear_time() -> None:
    started = time.process_time()
    for run in ("“", '"', "'", "‘ ", "«“‘", " '", "“x ‘y "):
        quotations(run * 20_000)
    assert time.process_time() - started < 5
