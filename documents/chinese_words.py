"""Words of a run of Chinese characters, by jieba's dictionary. Loaded at the first Chinese text."""

import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jieba import Tokenizer

_cache_folder: list[Path] = []


def keep_dictionary_cache_in(folder: Path) -> None:
    """Let jieba keep its parsed dictionary in `folder`, which only this user may write to.

    Without a folder the dictionary is parsed anew in each process (about a second). jieba's own
    choice is a fixed name in the shared temporary folder, which it would load from anybody.
    """
    _cache_folder[:] = [folder]


@lru_cache(maxsize=1)
def _tokenizer() -> "Tokenizer":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # old escapes, and pkg_resources where it still exists
        import jieba
    jieba.setLogLevel("WARNING")
    tokenizer = jieba.Tokenizer()
    if _cache_folder:
        _cache_folder[0].mkdir(parents=True, exist_ok=True, mode=0o700)
        tokenizer.tmp_dir = str(_cache_folder[0])
        tokenizer.initialize()
    else:
        tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
        tokenizer.initialized = True
    return tokenizer


def chinese_words(run: str) -> Iterator[str]:
    """Yield the dictionary words of `run`, longer ones together with the words inside them.

    The hidden Markov model for unknown words stays off: it is slow, it depends on the neighbours
    of a word, and `keyword_tokens` adds the pairs of characters that unknown words are made of.
    """
    yield from _tokenizer().cut_for_search(run, HMM=False)
