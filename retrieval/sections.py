"""What a section of a paper is for, told by its heading, in English and Chinese. Pure."""

import re
from collections.abc import Sequence

_NUMBERING = re.compile(r"^[\d.\sIVX、．一二三四五六七八九十()（）第章节:：-]+(?=\S)")

_BACK_MATTER = re.compile(
    r"acknowledge?ments?(?: and .*)?|funding(?: (?:statement|sources?|information))?"
    r"|(?:financial )?disclosures?|financial support"
    r"|(?:credit )?authors?['’]?s?['’]? (?:contribution|information|note).*"
    r"|.*(?:conflicts?|declarations?) of (?:competing )?interests?.*|competing interests?.*"
    r"|.*(?:availability of data|(?:data|code) (?:and .* )?availability).*"
    r"|.*consent (?:to|for) publi.*"
    r"|ethic(?:s|al) (?:statement|approval|declaration|consideration).*|publisher['’]s note"
    r"|supplementary (?:materials?|information|data)|abbreviations|about the authors?|orcid.*"
    r"|references|bibliography|works cited|literature cited|additional information|how to cite.*"
    r"|copyright.*|licen[cs]e.*|correspondence.*|keywords?|(?:table of )?contents"
    r"|致\s*谢|基金(?:项目|资助)?|作者(?:简介|贡献).*|.*利益冲突.*|参\s*考\s*文\s*献|数据可用性.*|伦理(?:声明|审批).*"
    r"|目\s*录|关键词",
    re.IGNORECASE,
)
_RESULTS = re.compile(
    r"result|finding|outcome|evaluation|experiment|performance|observation|estimat"
    r"|结果|发现|实验|评价|评估|检验|求解|分析$",
    re.IGNORECASE,
)
_DEFINITIONS = re.compile(
    r"definition|notation|terminolog|concept|preliminar|theor|framework|background|assumption|model"
    r"|定义|术语|概念|符号|假设|理论|模型|总则|范围",
    re.IGNORECASE,
)
_EXPLANATIONS = re.compile(
    r"discussion|interpretation|explanation|mechanism|implication|conclusion|limitation|method"
    r"|讨论|解释|机制|结论|启示|原因|局限|方法|总结",
    re.IGNORECASE,
)


def is_back_matter(section: Sequence[str]) -> bool:
    """Whether a section says who paid, thanks, lists or licenses: nothing of what was found.

    >>> is_back_matter(["5 Acknowledgements"]), is_back_matter(["Results", "Funding of schools"])
    (True, False)
    """
    return bool(section) and bool(_BACK_MATTER.fullmatch(_bare(section[-1])))


def explains(section: Sequence[str]) -> bool:
    """Whether a section gives definitions, results or explanations, by any heading above it.

    >>> explains(["3. Results", "Women"]), explains(["二、模型假设"]), explains(["1 Introduction"])
    (True, True, False)
    """
    kinds = (_RESULTS, _DEFINITIONS, _EXPLANATIONS)
    return any(kind.search(heading) for kind in kinds for heading in section)


def _bare(heading: str) -> str:
    return _NUMBERING.sub("", heading).strip(" .:：*")
