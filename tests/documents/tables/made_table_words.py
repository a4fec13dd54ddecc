"""Words that made tables are filled with."""

_WORDS = """
    age sex income rural urban school log wage cost rate index mean total share effect lag trade
    growth patients baseline follow-up treatment control size dummy year market risk interest
    employment education household consumption Monday within score days test other number of
    cases and the in per capita high low never current smoker left right area depth height
"""
_NAMES = """
    Model OLS IV FE Mean SD Median Min Max N Value Score Rate Ratio Male Female All Test
"""
_CHINESE_WORDS = """
    年龄 性别 收入 农村 城市 教育 工资 对数 成本 比率 均值 总计 影响 贸易 增长 患者 基线 治疗
    对照 规模 年份 市场 风险 就业
"""
WORDS, NAMES, CHINESE_WORDS = _WORDS.split(), _NAMES.split(), _CHINESE_WORDS.split()


def runs_of(text: str) -> list[tuple[str, bool]]:
    """The text cut into runs of Chinese signs and of others."""
    runs: list[tuple[str, bool]] = []
    for sign in text:
        is_wide = ord(sign) > 0x2E80
        if runs and runs[-1][1] == is_wide:
            runs[-1] = (runs[-1][0] + sign, is_wide)
        else:
            runs.append((sign, is_wide))
    return runs
