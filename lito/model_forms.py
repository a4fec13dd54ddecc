"""What admins type about chat models and budgets."""

from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from projects.models import ModelEndpoint, Project, User
from projects.secrets import sealed


class EndpointForm(forms.Form):
    """The key is written and never shown: an empty field keeps the one that is there.

    A key goes only where it was meant to go: with another address it has to be entered again.
    """

    project = forms.ModelChoiceField(
        label=gettext_lazy("For"),
        queryset=Project.objects.order_by("name", "pk"),
        required=False,
        empty_label=gettext_lazy("All projects"),
    )
    role = forms.ChoiceField(
        label=gettext_lazy("Task"),
        choices=(
            (ModelEndpoint.Role.MAIN.value, gettext_lazy("Answers")),
            (ModelEndpoint.Role.LIGHT.value, gettext_lazy("Small judgements")),
        ),
    )
    base_url = forms.CharField(label=gettext_lazy("Address"), max_length=300)
    model = forms.CharField(label=gettext_lazy("Model"), max_length=120)
    key = forms.CharField(
        label=gettext_lazy("API key"),
        required=False,
        max_length=500,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=gettext_lazy("Never shown again. Empty: the key stays as it is."),
    )
    prompt_price = forms.DecimalField(
        label=gettext_lazy("Price of a million tokens read"), required=False, min_value=0
    )
    completion_price = forms.DecimalField(
        label=gettext_lazy("Price of a million tokens written"), required=False, min_value=0
    )

    def clean_base_url(self) -> str:
        address = str(self.cleaned_data["base_url"]).strip().rstrip("/")
        try:
            parts = urlsplit(address)
            is_address = parts.scheme in {"http", "https"} and bool(parts.hostname)
        except ValueError:
            is_address = False
        if not is_address:
            raise ValidationError(_("An address begins with http:// or https://."))
        return address

    def save(self) -> ModelEndpoint:
        """The row of this role, made or changed."""
        wanted = self.cleaned_data
        row = ModelEndpoint.objects.filter(
            project=wanted["project"], role=wanted["role"]
        ).first() or ModelEndpoint(project=wanted["project"], role=wanted["role"])
        if row.base_url != wanted["base_url"]:
            row.sealed_key = ""
        for name in ("base_url", "model", "prompt_price", "completion_price"):
            setattr(row, name, wanted[name])
        row.sealed_key = sealed(wanted["key"]) if wanted["key"] else row.sealed_key
        row.checked, row.check_state = {}, ""
        row.save()
        return row


class BudgetForm(forms.Form):
    """A month's tokens of one project or one person. Empty: no limit."""

    project = forms.ModelChoiceField(
        label=gettext_lazy("Project"), queryset=Project.objects.order_by("name"), required=False
    )
    person = forms.ModelChoiceField(
        label=gettext_lazy("Person"), queryset=User.objects.order_by("username"), required=False
    )
    monthly_tokens = forms.IntegerField(
        label=gettext_lazy("Tokens a month"), required=False, min_value=0, max_value=10**12
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if bool(cleaned.get("project")) == bool(cleaned.get("person")):
            raise ValidationError(_("Choose a project or a person."))
        return cleaned

    def save(self) -> Project | User:
        row: Project | User = self.cleaned_data["project"] or self.cleaned_data["person"]
        row.monthly_tokens = self.cleaned_data["monthly_tokens"]
        row.save(update_fields=["monthly_tokens"])
        return row
