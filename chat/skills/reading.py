"""Read a `SKILL.md`: front matter in YAML, then instructions. Strict, and pure.

The form is that of Agent Skills: `name`, `description` and `allowed-tools`, and under `metadata`
what is Lito's own, all of it text:

    title, title-zh, description-zh, when-to-use, when-to-use-zh
    evidence-reading: "off", "on" (papers may be read), "required" (an answer needs a reading)
    checks: names from `chat.skills.checks`, a blank between two, such as "paragraphs-cited"

The instructions stand under the headings `# English` and `# 中文`; without these they serve both.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

import yaml
from django.utils.translation import gettext as _

from chat.skills.checks import Check, UnknownCheckError, read_check

MOST_BYTES = 20_000
LONGEST_NAME = 40
LONGEST_DESCRIPTION = 1024
LONGEST_TITLE = 60
TOOLS = frozenset({"search", "list_papers", "read_papers"})
READING = ("off", "on", "required")

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)(.*)\Z", re.DOTALL)
_LANGUAGES = re.compile(r"^# (English|中文)[ \t]*$", re.MULTILINE)
_FIELDS = frozenset(
    {"name", "description", "license", "compatibility", "allowed-tools", "metadata"}
)
_OWN = frozenset(
    {
        "title",
        "title-zh",
        "description-zh",
        "when-to-use",
        "when-to-use-zh",
        "evidence-reading",
        "checks",
    }
)
_MEANT_FOR_OTHERS = frozenset({"author", "version"})


class SkillError(Exception):
    """The text is no skill. It says what is wrong, for the person who wrote it."""


@dataclass(frozen=True, slots=True)
class Skill:
    """A way of working. What ends in `_zh` is for Chinese and may be empty."""

    name: str
    description: str
    title: str
    body: str
    tools: frozenset[str] = TOOLS
    checks: tuple[Check, ...] = ()
    reading: str = "off"
    title_zh: str = ""
    description_zh: str = ""
    when: str = ""
    when_zh: str = ""
    body_zh: str = ""

    @property
    def may_read(self) -> bool:
        """Whether a run may read papers for evidence."""
        return self.reading != "off" and "read_papers" in self.tools

    @property
    def must_read(self) -> bool:
        """Whether an answer needs a reading before it."""
        return self.reading == "required" and self.may_read

    @property
    def usable_tools(self) -> frozenset[str]:
        return self.tools if self.may_read else self.tools - {"read_papers"}

    def instructions(self, *, chinese: bool) -> str:
        return (self.body_zh if chinese else "") or self.body


def read_skill(content: bytes, *, folder: str = "") -> Skill:
    """The skill that a `SKILL.md` describes; its name must be the `folder`'s, if there is one.

    Raises `SkillError`.
    """
    if len(content) > MOST_BYTES:
        raise SkillError(_("SKILL.md is too long: at most %(most)s bytes.") % {"most": MOST_BYTES})
    front, body = _parts(content)
    _refuse_unknown(front, _FIELDS, "SKILL.md")
    own = front.get("metadata") or {}
    if not isinstance(own, dict):
        raise SkillError(_("`metadata` must be names with texts."))
    _refuse_unknown(own, _OWN | _MEANT_FOR_OTHERS, "`metadata`")
    name = _text(front, "name", LONGEST_NAME)
    if not _NAME.fullmatch(name):
        raise SkillError(_("`name` must be small letters and digits, with single hyphens between."))
    if folder and folder != name:
        raise SkillError(
            _("The folder is called “%(folder)s”, and the skill “%(name)s”.")
            % {"folder": _short(folder), "name": name}
        )
    english, chinese = _bodies(body)
    return Skill(
        name=name,
        description=_text(front, "description", LONGEST_DESCRIPTION),
        title=_text(own, "title", LONGEST_TITLE, or_else=name.replace("-", " ").capitalize()),
        body=english,
        tools=_tools(front),
        checks=_checks(own),
        reading=_reading(own),
        title_zh=_text(own, "title-zh", LONGEST_TITLE, or_else=""),
        description_zh=_text(own, "description-zh", LONGEST_DESCRIPTION, or_else=""),
        when=_text(own, "when-to-use", LONGEST_DESCRIPTION, or_else=""),
        when_zh=_text(own, "when-to-use-zh", LONGEST_DESCRIPTION, or_else=""),
        body_zh=chinese,
    )


def _parts(content: bytes) -> tuple[dict[str, Any], str]:
    try:
        text = content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise SkillError(_("SKILL.md must be text in UTF-8.")) from error
    if "\0" in text:
        raise SkillError(_("SKILL.md must be text in UTF-8."))
    found = _FRONT.match(text)
    if found is None:
        raise SkillError(_("SKILL.md must begin with a front matter between two lines of `---`."))
    return _front(found[1]), found[2].strip()


def _front(written: str) -> dict[str, Any]:
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(written)):
            raise SkillError(_("The front matter must not refer to itself (`*`)."))
        front = yaml.safe_load(written)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise SkillError(_("The front matter is no YAML that can be read.")) from error
    if not isinstance(front, dict):
        raise SkillError(_("The front matter must be names with values."))
    if _has_odd_characters(front):
        raise SkillError(_("The front matter has characters that no text may have."))
    return front


def _has_odd_characters(value: Any) -> bool:
    """Escapes such as `\\0` and `\\ud800` write what can be neither stored nor shown."""
    if isinstance(value, dict):
        return any(map(_has_odd_characters, (*value.keys(), *value.values())))
    if isinstance(value, list | tuple | set):
        return any(map(_has_odd_characters, value))
    return isinstance(value, str) and any(
        unicodedata.category(each) in {"Cc", "Cs"} and not each.isspace() for each in value
    )


def _refuse_unknown(given: dict[Any, Any], known: frozenset[str], where: str) -> None:
    if unknown := [str(name) for name in given if name not in known]:
        raise SkillError(
            _("%(where)s has a field that is not known: “%(name)s”.")
            % {"where": where, "name": _short(unknown[0])}
        )


def _text(given: dict[str, Any], name: str, longest: int, *, or_else: str | None = None) -> str:
    value = given.get(name, or_else)
    if not isinstance(value, str) or (not value.strip() and or_else is None):
        raise SkillError(_("`%(name)s` must be a text.") % {"name": name})
    value = " ".join(value.split())
    if len(value) > longest:
        raise SkillError(
            _("`%(name)s` is too long: at most %(most)s letters.") % {"name": name, "most": longest}
        )
    return value


def _bodies(body: str) -> tuple[str, str]:
    """The instructions in English and in Chinese."""
    pieces = _LANGUAGES.split(body)
    by_language = {
        language: text.strip() for language, text in zip(pieces[1::2], pieces[2::2], strict=True)
    }
    if not by_language:
        by_language = {"English": body}
    english, chinese = by_language.get("English", ""), by_language.get("中文", "")
    if not (english or chinese):
        raise SkillError(_("SKILL.md has no instructions below its front matter."))
    return english or chinese, chinese


def _words(value: Any, name: str) -> list[str]:
    """A list, or words with blanks or commas between them."""
    if isinstance(value, str):
        return value.replace(",", " ").split()
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    raise SkillError(_("`%(name)s` must be names with a blank between two.") % {"name": name})


def _tools(front: dict[str, Any]) -> frozenset[str]:
    """All of them where the skill names none."""
    if "allowed-tools" not in front:
        return TOOLS
    named = frozenset(_words(front["allowed-tools"], "allowed-tools"))
    if unknown := sorted(named - TOOLS):
        known = ", ".join(sorted(TOOLS))
        raise SkillError(
            _("There is no tool “%(name)s”. The tools are: %(known)s.")
            % {"name": _short(unknown[0]), "known": known}
        )
    return named


def _checks(own: dict[str, Any]) -> tuple[Check, ...]:
    try:
        return tuple(read_check(each) for each in _words(own.get("checks", ""), "checks"))
    except UnknownCheckError as error:
        raise SkillError(
            _("There is no check “%(name)s”.") % {"name": _short(str(error))}
        ) from error


def _reading(own: dict[str, Any]) -> str:
    value = own.get("evidence-reading", "off")
    value = {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value
    if value not in READING:
        raise SkillError(_("`evidence-reading` must be one of: off, on, required."))
    return str(value)


def _short(words: str) -> str:
    return words if len(words) <= LONGEST_NAME else words[:LONGEST_NAME] + "…"
