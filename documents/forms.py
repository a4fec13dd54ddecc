"""What people type about a paper, checked and brought into the form that is stored."""

import re
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from documents.catalogue.references import AUTHOR_LENGTH, LENGTHS, MOST_AUTHORS
from documents.catalogue.titles import plain_title as one_line
from documents.models import Document

FIRST_YEAR = 1000
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_DOI_PREFIX = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_ARXIV = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z][a-z.-]*/\d{7})(?:v\d{1,3})?", re.IGNORECASE)
_ARXIV_PREFIX = re.compile(r"^(?:https?://arxiv\.org/(?:abs|pdf)/|arxiv:\s*)", re.IGNORECASE)
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,4})?", re.IGNORECASE)


class LinesField(forms.CharField):
    """Text in lines, whichever signs ended them on the way."""

    widget = forms.Textarea

    def to_python(self, value: Any) -> str:
        return "\n".join(str(super().to_python(value)).splitlines())


class PaperForm(forms.Form):
    """The fields of a paper. `edited()` are those that differ from what the page had shown.

    The values at the time of showing travel with the form, so that somebody who saves an old page
    does not undo what another person changed meanwhile.
    """

    title = LinesField(
        label=gettext_lazy("Title"),
        max_length=LENGTHS["title"],
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": gettext_lazy("A paper has to have a title.")},
    )
    authors = LinesField(
        label=gettext_lazy("Authors"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("One name in each line."),
    )
    year = forms.CharField(
        label=gettext_lazy("Year"),
        required=False,
        max_length=20,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )
    venue = forms.CharField(
        label=gettext_lazy("Published in"), required=False, max_length=LENGTHS["venue"]
    )
    doi = forms.CharField(label=gettext_lazy("DOI"), required=False, max_length=LENGTHS["doi"])
    arxiv_id = forms.CharField(label=gettext_lazy("arXiv id"), required=False, max_length=80)
    language = forms.CharField(
        label=gettext_lazy("Language"),
        required=False,
        max_length=LENGTHS["language"],
        help_text=gettext_lazy("Two letters: en, zh, de, fr..."),
    )

    def __init__(self, typed: QueryDict | None = None, *, document: Document) -> None:
        super().__init__(typed, initial=_initial(document))
        for field in self.fields.values():
            field.show_hidden_initial = True

    def clean_title(self) -> str:
        title = one_line(self.cleaned_data["title"])
        if not title:
            raise forms.ValidationError(_("A paper has to have a title."))
        return title

    def clean_authors(self) -> list[str]:
        names = [one_line(line) for line in self.cleaned_data["authors"].splitlines()]
        names = [name for name in names if name]
        if len(names) > MOST_AUTHORS or any(len(name) > AUTHOR_LENGTH for name in names):
            raise forms.ValidationError(_("This is too long. Write one name in each line."))
        return names

    def clean_year(self) -> int | None:
        text = self.cleaned_data["year"].strip()
        if not text:
            return None
        last = timezone.now().year + 2
        year = int(text) if re.fullmatch(r"[0-9]{4}", text) else 0
        if not FIRST_YEAR <= year <= last:
            words = _("Write the year as four digits, from %(first)d to %(last)d.")
            raise forms.ValidationError(words % {"first": FIRST_YEAR, "last": last})
        return year

    def clean_venue(self) -> str:
        return one_line(self.cleaned_data["venue"])

    def clean_doi(self) -> str:
        doi = _DOI_PREFIX.sub("", one_line(self.cleaned_data["doi"])).lower()
        if doi and not _DOI.fullmatch(doi):
            raise forms.ValidationError(_("A DOI looks like 10.1000/xyz123."))
        return doi

    def clean_arxiv_id(self) -> str:
        arxiv = _ARXIV_PREFIX.sub("", one_line(self.cleaned_data["arxiv_id"]))
        arxiv = re.sub(r"\.pdf$", "", arxiv)
        if arxiv and not _ARXIV.fullmatch(arxiv):
            raise forms.ValidationError(_("An arXiv id looks like 2301.01234 or math/0309136."))
        return arxiv

    def clean_language(self) -> str:
        language = one_line(self.cleaned_data["language"]).lower()
        if language and not _LANGUAGE.fullmatch(language):
            raise forms.ValidationError(_("Write the language as two letters, such as en or zh."))
        return language

    def edited(self) -> dict[str, Any]:
        """The fields that were changed, with their new values."""
        return {name: self.cleaned_data[name] for name in self.changed_data}


def _initial(document: Document) -> dict[str, str]:
    return {
        "title": document.title,
        "authors": "\n".join(str(name) for name in document.authors),
        "year": str(document.year or ""),
        "venue": document.venue,
        "doi": document.doi,
        "arxiv_id": document.arxiv_id,
        "language": document.language,
    }
