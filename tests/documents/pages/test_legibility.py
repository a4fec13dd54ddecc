"""Text that is not what the page shows is told page by page."""

import pytest

from documents.pages.legibility import is_cjk, looks_like_mojibake

ENGLISH = "The growth of plants was measured in the spring. " * 10


@pytest.mark.parametrize(
    "text",
    [
        "¸zOé [1–3]¥^u)˚å˛`zØK!œ^!øÖrå!`zé{µe œL|^yk!)øÖ”û3)òm•UY|¢ß¸zOéU63‹n!ûmSÈ+Å`)",
        'u¿ìâå!!†ÿ©"M5("\nx"(": !<•#!"†ÿ©5¸zOé•ƒu"©?z!Ê!¸—6, ¥3u¿ì\nâå"Ù÷a¨ / $¨ ( û"¿ )',
        "2.1 ı8I`zØK . . . . . . 3\n1.1 Ôƒ!8!⁄ø¬ . . . . . . 1\n1.2 !©§â!Ûä⁄SNS¸ . . . . 2",
        "ÖÐ¹úÈËÃñ¹²ºÍ¹ú ÖÐ¹úÈËÃñ¹²ºÍ¹ú ÖÐ¹úÈËÃñ¹²ºÍ¹ú",
        "杁条杯杊来杮杮杹本权条杯杙条杴条杮 本文用杂杅杒杔模型" * 2,
        "7KLV LV WKH WH[W RI D SDSHU ZKRVH DOSKDEHW LV VKLIWHG E\\ WZHQW\\QLQH " * 5,
    ],
)
def test_mojibake_is_recognised(text: str) -> None:
    assert looks_like_mojibake(text)


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH,
        "L'élève a été très étonné: où est la forêt près de l'hôtel? " * 10,
        "Þetta er íslenskur texti með mörgum séríslenskum stöfum, þótt þér þyki það ótrúlegt. " * 5,
        "Où est «l'été»(été)? ¿Dónde está la niña? Müller (Köln), José/María, São-Paulo; " * 5,
        "Příliš žluťoučký kůň úpěl ďábelské ódy. " * 10,
        "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi. " * 5,
        "数字化能否助力脱碳？来自因果森林分析的证据。" * 10,
        "杉木人工林与杨树、柏木、松树混交林的枝条含水量不同，李树和杏树的木材本来没有机会比较。"
        * 9,
        "江河湖海的水质与汉江流域、漳河、沁河的浊度、泥沙和污染物浓度有关，渔业和港口受影响。" * 9,
        "GFAP TNF-α IL-6 BRCA1 TP53 EGFR ALK ROS1 MET RET 0.05 0.01 " * 10,
        "f(x) = ∑ αᵢ xᵢ + β, where α ≤ 0.05 and β ≥ ½ · π" * 3,
        "",
    ],
)
def test_real_text_is_never_taken_for_mojibake(text: str) -> None:
    assert not looks_like_mojibake(text)


def test_cjk_signs_are_cjk() -> None:
    assert all(is_cjk(ord(c)) for c in "中，。（）한ア")
    assert not any(is_cjk(ord(c)) for c in "aé,.(αЖ")
