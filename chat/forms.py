"""What people type: a question, a conversation's title."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from chat.asking import LONGEST_QUESTION
from chat.models import Conversation
from chat.scoping import LONGEST_FORM, readable_choice
from chat.skills.built_in import DEFAULT
from chat.skills.choosing import skills_in
from chat.skills.reading import LONGEST_NAME
from projects.models import Project


class QuestionForm(forms.Form):
    question = forms.CharField(
        max_length=LONGEST_QUESTION,
        error_messages={
            "required": _("Type a question first."),
            "max_length": _("That is too long: at most 8,000 characters."),
        },
    )

    scope = forms.CharField(required=False, max_length=LONGEST_FORM)
    """Public ids of papers, a blank between two."""
    whole = forms.BooleanField(required=False)
    skill = forms.CharField(required=False, empty_value=DEFAULT, max_length=LONGEST_NAME)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project = project

    def clean_scope(self) -> list[str] | None:
        """The chosen papers, none for all; nothing where the form doesn't speak of it."""
        if "scope" not in self.data:
            return None
        return readable_choice(self.project, self.cleaned_data["scope"].split())

    def clean_whole(self) -> bool | None:
        """Whether papers are to be read whole; nothing where the form doesn't speak of them."""
        return self.cleaned_data["whole"] if "scope" in self.data else None

    def clean_skill(self) -> str:
        name = str(self.cleaned_data["skill"])
        if name not in skills_in(self.project):
            raise forms.ValidationError(
                _("This project does not offer this way of working any more. Choose another.")
            )
        return name

    def problem(self) -> str:
        """The first thing that is wrong, in a sentence, or nothing."""
        return next((str(error) for errors in self.errors.values() for error in errors), "")


class TitleForm(forms.ModelForm[Conversation]):
    class Meta:
        model = Conversation
        fields = ("title",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["title"].required = True
