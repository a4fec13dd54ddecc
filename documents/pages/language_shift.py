"""Carrying a query's vector over to another language.

A multilingual embedder puts texts of one language nearer to each other than to texts of another
that mean the same: a Chinese question finds every Chinese paragraph before the English one that
answers it, and an English question finds program code in a Chinese paper. The difference between
the mean vectors of a few sentences and of their translations points from one language to the other;
added to a query's vector it takes that head start away.
"""

from functools import lru_cache

import numpy as np

from documents.models import EmbeddingSpace
from documents.pages.languages import is_han
from documents.vectors.embedder import Vectors
from documents.vectors.embedding import active_space, embed_passages

PAIRS = (
    ("The results show that the method works well.", "结果表明该方法效果良好。"),
    ("We collected data from several hundred patients.", "我们收集了数百名患者的数据。"),
    ("Prices rose during the second quarter of the year.", "第二季度价格上涨。"),
    ("The temperature of the water affects the growth of plants.", "水温影响植物的生长。"),
    (
        "Each operator must keep records and protect information.",
        "每个经营者都必须保存记录并保护信息。",
    ),
    ("The model was trained on a large collection of texts.", "该模型在大量文本上进行了训练。"),
    ("Animals move across the road at night.", "动物在夜间穿过道路。"),
    ("This risk increases with age and with income.", "这种风险随年龄和收入的增加而增加。"),
    ("The equation describes the motion of the system.", "该方程描述了系统的运动。"),
    ("Further studies are needed to confirm these findings.", "需要进一步研究来证实这些发现。"),
    ("The government published new rules last year.", "政府去年颁布了新规定。"),
    ("Students reported higher levels of anxiety.", "学生报告的焦虑水平更高。"),
)
"""Plain sentences of several subjects, so that only the language is what they differ by."""


def toward(
    vector: Vectors, text: str, language: str, *, space: EmbeddingSpace | None = None
) -> Vectors:
    """The unit vector of `text` as if it were written in `language` (ISO 639-1).

    In `space`, or the active one.

    Only Chinese and languages in Latin letters are told apart; else the vector is given back.
    """
    source, target = is_han(text), language == "zh"
    if source == target:
        return vector
    direction = _to_chinese(space or active_space())
    moved = vector + (direction if target else -direction)
    return np.asarray(moved / np.linalg.norm(moved), dtype=np.float32)


@lru_cache(maxsize=4)
def _to_chinese(space: EmbeddingSpace) -> Vectors:
    """From the mean of the English sentences to that of the Chinese ones."""
    english = embed_passages([one for one, _ in PAIRS], space=space).mean(axis=0)
    chinese = embed_passages([other for _, other in PAIRS], space=space).mean(axis=0)
    return np.asarray(chinese - english, dtype=np.float32)
