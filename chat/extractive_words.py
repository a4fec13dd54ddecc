"""The few sentences that the extractive answerer says itself, in the language of the question."""

from collections.abc import Mapping
from dataclasses import dataclass

from chat.prompts import is_chinese


@dataclass(frozen=True, slots=True)
class Words:
    not_found_one: str
    not_found_many: str
    not_mentioned: str
    between_names: str
    check_names: str
    not_found_advice: str
    nothing_to_change: str
    nothing_left: str
    not_cited: str
    no_shorter: str
    cannot: Mapping[str, str]

    def not_found_in(self, papers: int) -> str:
        return (self.not_found_one if papers == 1 else self.not_found_many).format(papers=papers)


_NO_MODEL = "No language model is set up here, and without one Lito only quotes. "
_NO_MODEL_ZH = "这里没有设置语言模型，Lito 只能逐字引用原文，"

ENGLISH = Words(
    not_found_one=(
        "Not found in this project. In its one paper no sentence that answers was found: "
    ),
    not_found_many=(
        "Not found in this project. In its {papers} papers no sentence that answers was found: "
    ),
    not_mentioned="\n\nNo paper here mentions ",
    between_names=", ",
    check_names=". Check the spelling, or ask without it.",
    not_found_advice="\n\nOther words, or the language of the papers, may find more.",
    nothing_to_change="The latest answer has nothing that could be dropped. It stands as it was.",
    nothing_left="Nothing would be left of the answer. It stands as it was.",
    not_cited="The latest answer does not cite that number. It stands as it was.",
    no_shorter="Dropping sentences can't make the answer shorter. It stands as it was.",
    cannot={
        "part": _NO_MODEL + "It can't rewrite one part. The answer above stands as it was.",
        "quote": "The answer above is made of quotations already. It stands as it was.",
        "translate": _NO_MODEL + "It can't translate. The answer above stands as it was.",
        "restructure": _NO_MODEL
        + "It can't restructure a text. The answer above stands as it was.",
        "rephrase": _NO_MODEL
        + "It can't put a text in other words. The answer above stands as it was.",
    },
)
CHINESE = Words(
    not_found_one="在本项目中没有找到。在唯一的一篇论文里没有找到能回答的句子：",
    not_found_many="在本项目中没有找到。在 {papers} 篇论文里没有找到能回答的句子：",
    not_mentioned="\n\n本项目的论文都没有提到",
    between_names="、",
    check_names="。请检查写法，或去掉它再提问。",
    not_found_advice="\n\n换一种说法，或改用论文的语言提问，也许能找到。",
    nothing_to_change="上一个回答里没有可以删去的引文，保持原样。",
    nothing_left="这样删下去就什么也不剩了，上一个回答保持原样。",
    not_cited="上一个回答没有引用这个编号，保持原样。",
    no_shorter="上一个回答无法再靠删句缩短，保持原样。",
    cannot={
        "part": _NO_MODEL_ZH + "不能只改写其中一段。上面的回答保持原样。",
        "quote": "上面的回答本来就由原文摘句组成，保持原样。",
        "translate": _NO_MODEL_ZH + "不能翻译。上面的回答保持原样。",
        "restructure": _NO_MODEL_ZH + "不能重组文字。上面的回答保持原样。",
        "rephrase": _NO_MODEL_ZH + "不能改写文字。上面的回答保持原样。",
    },
)


def words_for(question: str) -> Words:
    return CHINESE if is_chinese(question) else ENGLISH
