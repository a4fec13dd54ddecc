"""A model's Markdown as plain text: to compare, to quote, to show in one line. Pure."""

import html
import re

LINE_MARKUP = re.compile(
    r"^[ \t]*(?:>[ \t]?)*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?(?:#{1,6}[ \t]+)?\|?",
    re.MULTILINE,
)
EMPHASIS = re.compile(
    r"(\*{1,3}|~~|==|`+|(?<![^\W_])_{1,3})(?=\S)(.+?)(?<=\S)\1(?!(?<=_)[^\W_])", re.DOTALL
)
LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*\)")
TAG = re.compile(
    r"</?(?:b|i|u|em|strong|mark|q|span|small|s|del|ins|cite|blockquote|p|br)\b[^<>]*>"
)
RAISED = re.compile(r"<sup>([-−+]?[\d+]{1,6})</sup>")
LOWERED = re.compile(r"<sub>([-−+]?[\d+]{1,6})</sub>")
OTHER_LEVEL = re.compile(r"</?su[bp]>")
TO_RAISED = str.maketrans("0123456789-−+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁺")
TO_LOWERED = str.maketrans("0123456789-−+", "₀₁₂₃₄₅₆₇₈₉₋₋₊")
TEX = {
    "times": "×", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠",
    "approx": "≈", "lt": "<", "gt": ">", "circ": "°", "cdot": "·", "sim": "~", "to": "→", "mu": "μ",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η",
    "theta": "θ", "kappa": "κ", "lambda": "λ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ",
    "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Delta": "Δ", "Sigma": "Σ", "Omega": "Ω",
    "leqslant": "≤", "geqslant": "≥", "mp": "∓", "ll": "≪", "gg": "≫", "infty": "∞", "div": "÷",
    "rightarrow": "→", "leftarrow": "←", "Gamma": "Γ", "Lambda": "Λ", "Phi": "Φ", "Psi": "Ψ",
    "Theta": "Θ", "zeta": "ζ", "nu": "ν", "xi": "ξ", "varepsilon": "ε", "degree": "°",
}  # fmt: skip
TEX_COMMAND = re.compile(r"\\([A-Za-z]+)")
MATH = re.compile(r"\$\$?([^$\n]{1,300})\$\$?|\\\((.{1,300}?)\\\)|\\\[(.{1,300}?)\\\]", re.DOTALL)


def plain_quote(markdown: str) -> str:
    """A quoted text without the markup that a model put into it: emphasis, TeX, tags, entities."""
    text = MATH.sub(_plain_math, markdown)
    text = RAISED.sub(lambda found: found[1].translate(TO_RAISED), text)
    text = LOWERED.sub(lambda found: found[1].translate(TO_LOWERED), text)
    return plain_text(html.unescape(TAG.sub("", OTHER_LEVEL.sub("", text))))


def _plain_math(found: re.Match[str]) -> str:
    inside = next(group for group in found.groups() if group is not None)
    if found[0].startswith("$") and not re.search(r"[\\^_{}=<>]|^[A-Za-z]$", inside):
        return found[0]
    inside = TEX_COMMAND.sub(lambda m: TEX.get(m[1], ""), inside)
    return re.sub(r"[{}]|\\(?=\W)", "", inside).replace("^°", "°")


def plain_text(markdown: str) -> str:
    """Markdown as one line of plain text, good enough to compare and to show."""
    text = LINE_MARKUP.sub("", markdown)
    text = LINK.sub(r"\1", text)
    for _ in range(2):
        text = EMPHASIS.sub(r"\2", text)
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)
    return " ".join(text.split())
