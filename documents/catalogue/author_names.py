"""Lists of authors as papers print them, taken apart into names. Pure.

Whatever does not look like a list of names gives no names: an empty field can be filled in, a wrong
one is believed.
"""

import re

from documents.catalogue.front_lines import RAISED, spelt_out
from documents.catalogue.name_words import JOINING_WORDS, NOT_NAMES, PARTICLES

MOST_AUTHORS = 200
MOST_CHARACTERS = 8000
SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾萧肖田董袁潘于蒋蔡余杜叶程苏魏吕"
    "丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武"
    "戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪"
    "梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳欧管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳时穆农司卓古吉缪"
    "简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄"
    "丛仲虞敖巩明佘池查麻苑迟邝官封谈匡鞠惠荆乐冀郁胥南班储原栗燕楚鄢劳谌奚皮粟冼蔺楼盘满闻位厉伊仝区郜"
    "海阚花权强帅屠豆朴盖练廉禹井祖漆巴丰支卿国狄平计索宣晋相初门云容敬来扈晁芮都普阙浦戈伏鹿薄邸雍辜羊阿"
    "乌母裘亓修邰赫杭况那宿鲜印逯隆茹诺战慕危玉银亢嵇公哈湛宾戎勾茅利於呼居揭干但尉冶斯元束檀衣信展阴昝智幸"
    "張劉陳楊黃趙吳孫馬鄭謝許韓馮鄧蕭葉蘇魏呂盧鍾譚陸範賈鄒閻龍賀顧龔萬錢嚴湯龐顏莊聶魯齊喬關蘭單畢"
)
_COMPOUND = re.compile(
    r"^(?:欧阳|歐陽|司马|司馬|上官|诸葛|諸葛|东方|皇甫|尉迟|公孙|慕容|令狐|司徒|夏侯|长孙|宇文|端木|轩辕)"
)
_KOREAN_SURNAMES = frozenset(
    "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구나민진지엄채원천방공현함변염여추도소석선설마길연위표명기반라왕금옥육인맹제모탁국어은편용"
)
_NOISE = re.compile(
    r"universit|institut|department|school|college|facult|laborat|hospital|cent(?:er|re)\b|@"
    r"|https?:|www\.|\bdoi\b|received|accepted|published|correspond|abstract|licen[sc]e|keyword"
    r"|journal|\bvol(?:ume|\.)|copyright|©|editor|reviewed|article|\binc\b|\bltd\b|\bgmbh\b"
    r"|research(?:er|ers)?\b|\bproject\b|\bindependent\b|ministry|academy|division|foundation"
    r"|association|society|\bunit\b|\bgroup\b|\bteam\b|\breport\b|\bpaper\b|\bpreprint\b"
    r"|大学|学院|研究所|研究院|中心|公司|实验室|医院|摘要|关键词|邮箱|收稿|基金|通信作者|通讯作者",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"\btodo\b|\bauthors?\b|\banonymous\b|\bfirst ?name\b|\blast ?name\b|\byour name\b|\bname\b"
    r"|作者|姓名|匿名|某某|저자",
    re.IGNORECASE,
)
_JUNK_ACCOUNT = re.compile(
    r"^(?:administrator|admin|user|usuario|utilisateur|benutzer|owner|guest|unknown|author|authors"
    r"|anonymous|microsoft|windows|lenovo|dell|hp|asus|acer|thinkpad|office|default|root|pc|me|test"
    r"|微软用户|用户|作者)\W*\d*$",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[\d¹²³⁰⁴-⁹*†‡§¶#∗∥‖✉⁎⁑◦⋆☆★◇♦♣\uf000-\uf8ff" + RAISED + r"]+")
_SEPARATORS = re.compile(
    r"[,;&，、；·•|]|\band\b|\bund\b|\bet\b(?! al)|\by\b|\bwith\b|(?<=\s)和(?=\s)"
)
_BEFORE = re.compile(r"^(?:by|von|par|por|written by|authors?)\s*:?\s+", re.IGNORECASE)
_TITLES = re.compile(
    r"\b(?:Ph\.?\s?D|M\.?D|M\.?Sc|B\.?Sc|M\.?P\.?H|Dr\.?-Ing|Prof|Dr|RN|MBA|FRCP|MBBS|Jr|Sr|III|II"
    r"|Esq)\b\.?",
)
_ENDINGS = re.compile(r"^(?:Jr|Sr|II|III|IV)\.?$", re.IGNORECASE)
_INITIALS = re.compile(r"^[A-ZÀ-Þ](?:\.?-?[A-ZÀ-Þ])*\.?$")
_WORD = re.compile(r"^(?:[dDlO]['’]|Mc|Mac)?[^\W\d_a-zß-ÿ][^\W\d_]*(?:[-'’‐‑][^\W\d_]+)*\.?$")
_WITHIN_NAMES = PARTICLES | JOINING_WORDS


def names_in(text: str) -> list[str]:
    """The names of a printed list ("A. Author1,2, B. Author*", "张三1 李四2"); [] if it is none.

    `RAISED` in `text` stands for raised signs.
    """
    plain = spelt_out(text.replace(RAISED, "‖"))
    plain = _BEFORE.sub("", " ".join(plain.split()))
    if len(plain) > MOST_CHARACTERS or _NOISE.search(plain) or _PLACEHOLDER.search(plain):
        return []
    if any("\u3400" <= c <= "\u9fff" for c in plain):
        return _chinese_names(plain)
    if any("\uac00" <= c <= "\ud7af" for c in plain):
        return _korean_names(plain)
    return _latin_names(plain)


def names_from_info(author: str, shown: str) -> list[str]:
    """Names out of a PDF's own author field, as far as all of them stand in the text `shown`.

    What stands nowhere on the first pages is an account, a typist or a company.
    """
    if _JUNK_ACCOUNT.match(author.strip()) or re.search(r"\bet al\b|等$", author):
        return []
    reversed_list = re.fullmatch(r"[^,;]+, [^,;]+(?:; ?[^,;]+, [^,;]+)*", author.strip())
    if reversed_list and (";" in author or _is_inverted(author)):
        author = ", ".join(
            " ".join(reversed(part.strip().split(", "))) for part in author.split(";")
        )
    names = names_in(author)
    known = shown.casefold()
    return names if all(_last_word(name).casefold() in known for name in names) else []


def looks_like_noise(text: str) -> bool:
    """An affiliation, an address, a date or another line that is no list of names."""
    return bool(_NOISE.search(text)) or any(c.isdigit() for c in _MARKS.sub("", text))


def is_placeholder(text: str) -> bool:
    return bool(_PLACEHOLDER.search(text))


def _is_inverted(author: str) -> bool:
    """ "Smith, John": one word, a comma, given names; and not two whole names."""
    before, _, after = author.partition(",")
    return len(before.split()) == 1 and bool(after.strip()) and len(after.split()) <= 3


def _last_word(name: str) -> str:
    words = [word for word in name.split() if not _ENDINGS.match(word)]
    return words[-1] if words else name


def _latin_names(plain: str) -> list[str]:
    pieces = [piece.strip(" .()[]{}:") for piece in _SEPARATORS.split(_MARKS.sub(",", plain))]
    pieces = [_TITLES.sub("", piece).strip(" .,") for piece in pieces]
    pieces = [piece for piece in pieces if len(piece) > 1 and not _ENDINGS.match(piece)]
    pieces = [re.sub(r"\s+[a-z](?:\s+[a-z])*$", "", piece) for piece in pieces]
    if not pieces or len(pieces) > MOST_AUTHORS:
        return []
    several = len(pieces) > 1
    if not all(_is_latin_name(piece, several=several) for piece in pieces):
        return []
    return pieces


def _is_latin_name(piece: str, *, several: bool) -> bool:
    words = piece.split()
    if not 2 <= len(words) <= 7:
        return False
    if any(word.lower().strip(".") in NOT_NAMES for word in words):
        return False
    whole = [word for word in words if _WORD.match(word) and len(word.strip(".")) > 1]
    odd = [
        word
        for word in words
        if not (_WORD.match(word) or _INITIALS.match(word) or word.lower() in _WITHIN_NAMES)
    ]
    lower_surname = several and odd == words[-1:] and odd[0].isalpha()
    return bool(whole) and (not odd or lower_surname)


def _chinese_names(plain: str) -> list[str]:
    plain = re.sub(r"[(（][^)）]*[)）]", " ", plain)
    names: list[str] = []
    for part in re.split(r"[,，、;；]+", _MARKS.sub(",", plain)):
        words = part.split()
        if not words:
            continue
        spaced = all(len(word) == 1 for word in words) and 2 <= len(words) <= 4
        names += ["".join(words)] if spaced else _closed_up(words)
    names = [name for name in names if name != "等"]
    return names if names and all(is_chinese_name(name) for name in names) else []


def _closed_up(words: list[str]) -> list[str]:
    """ "张 三 李四" was set with a space inside the two-character name."""
    closed: list[str] = []
    for word in words:
        if closed and len(word) == 1 and len(closed[-1]) == 1:
            closed[-1] += word
        else:
            closed.append(word)
    return closed


def is_chinese_name(name: str) -> bool:
    """Two to four characters that begin with a surname, or a transcription with its dot."""
    if re.fullmatch(r"[\u3400-\u9fff]{1,8}·[\u3400-\u9fff]{1,8}(?:·[\u3400-\u9fff]{1,8})?", name):
        return True
    if not re.fullmatch(r"[\u3400-\u9fff]{2,4}", name):
        return False
    if len(name) == 4:
        return bool(_COMPOUND.match(name))
    return name[0] in SURNAMES or bool(_COMPOUND.match(name))


def _korean_names(plain: str) -> list[str]:
    names: list[str] = []
    for part in re.split(r"[,，、;·]+", _MARKS.sub(",", plain)):
        words = part.split()
        spaced = words and all(len(word) == 1 for word in words)
        names += ["".join(words)] if spaced else words
    fits = all(re.fullmatch(r"[\uac00-\ud7af]{2,4}", n) and n[0] in _KOREAN_SURNAMES for n in names)
    return names if names and fits else []
