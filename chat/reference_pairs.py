"""Questions, each with a sentence that answers it: the yardstick of an embedding space.

Plain sentences of many subjects, the same in English and in Chinese, so that the answer to one
question is an unrelated sentence to all others.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pair:
    question: str
    answer: str


ENGLISH = (
    Pair(
        "Does regular exercise help older people sleep better?",
        "Participants over sixty who walked every day fell asleep faster and woke up less often.",
    ),
    Pair(
        "How does a higher interest rate affect house prices?",
        "House prices fell by about three per cent for each point by which interest rates rose.",
    ),
    Pair(
        "Why do bees leave their hives in early spring?",
        "When the first flowers open after winter, bees fly out of the hive to gather pollen.",
    ),
    Pair(
        "What limits the range of electric buses in cold weather?",
        "At low temperatures heating the cabin drains the battery and shortens the bus's trips.",
    ),
    Pair(
        "Which materials are used to filter salt out of sea water?",
        "Thin polymer membranes hold the salt back while sea water is pressed through them.",
    ),
    Pair(
        "How many pupils learn a second language at primary school?",
        "Two thirds of the children in primary schools were taught a foreign language.",
    ),
    Pair(
        "Can a neural network recognise handwriting in old letters?",
        "The trained network read nine of ten words correctly in handwritten historical letters.",
    ),
    Pair(
        "Who is liable when a contract is broken?",
        "The party that fails to perform the contract shall pay damages to the other party.",
    ),
)
CHINESE = (
    Pair(
        "经常锻炼能让老年人睡得更好吗？", "每天散步的六十岁以上参与者入睡更快，夜间醒来的次数更少。"
    ),
    Pair("利率上升如何影响房价？", "利率每上升一个百分点，房价大约下跌百分之三。"),
    Pair("蜜蜂为什么在早春离开蜂巢？", "冬天过后第一批花开放时，蜜蜂飞出蜂巢采集花粉。"),
    Pair(
        "寒冷天气里是什么限制了电动公交车的续航里程？",
        "低温下车厢供暖消耗电池电量，缩短了公交车的行驶距离。",
    ),
    Pair("用什么材料过滤海水中的盐分？", "海水受压通过薄薄的聚合物膜时，盐分被截留下来。"),
    Pair("有多少小学生学习第二语言？", "三分之二的小学儿童接受外语教学。"),
    Pair(
        "神经网络能识别旧信件中的手写文字吗？",
        "训练后的网络能正确读出历史手写信件中十分之九的词语。",
    ),
    Pair("违反合同时由谁承担责任？", "不履行合同的一方应当向另一方支付损害赔偿金。"),
)
