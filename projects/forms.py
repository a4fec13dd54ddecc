"""What people type about projects, members and accounts."""

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm, SetPasswordForm
from django.utils.crypto import get_random_string
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from projects.models import Membership, Project, User

ROLE_NAMES = (
    (Membership.Role.VIEWER.value, _("Viewer")),
    (Membership.Role.EDITOR.value, _("Editor")),
    (Membership.Role.OWNER.value, _("Owner")),
)
UNREADABLE_SIGNS = "0O1lI"


class SignInForm(AuthenticationForm):
    error_messages = {  # noqa: RUF012  # as Django declares it
        "invalid_login": _("This user name and password do not go together."),
        "inactive": _("This account has been switched off. An admin can switch it on again."),
    }


class FirstPasswordForm(SetPasswordForm[User]):
    error_messages = {"password_mismatch": _("The two passwords differ.")}  # noqa: RUF012

    def save(self, commit: bool = True) -> User:  # noqa: FBT001, FBT002  # Django's signature
        self.user.must_change_password = False
        return super().save(commit)


class ProjectForm(forms.ModelForm[Project]):
    name = forms.CharField(
        label=_("Name"),
        max_length=120,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    description = forms.CharField(
        label=_("Description"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Optional. What these papers are about."),
    )

    class Meta:
        model = Project
        fields = ("name", "description")

    def new_slug(self) -> str:
        """A free address: the name in Latin letters where it has any, else random letters."""
        wanted = slugify(self.cleaned_data["name"])[:50].strip("-")
        base = wanted or "p-" + get_random_string(6, "abcdefghjkmnpqrstuvwxyz23456789")
        slug, number = base, 1
        while Project.objects.filter(slug=slug).exists():
            number += 1
            slug = f"{base}-{number}"
        return slug


class ProjectSettingsForm(ProjectForm):
    """What can be changed once the project is there."""

    ocr = forms.BooleanField(
        label=_("Read scans by OCR"),
        required=False,
        help_text=_("In the background. Text that was read by OCR may contain wrong letters."),
    )

    class Meta:
        model = Project
        fields = ("name", "description", "ocr")


class RoleForm(forms.Form):
    role = forms.ChoiceField(label=_("Role"), choices=ROLE_NAMES)


class MemberForm(RoleForm):
    """Add a person to `project` by user name."""

    username = forms.CharField(
        label=_("User name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    field_order = ("username", "role")

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project = project

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"].strip()
        self.person = User.objects.filter(username=name, is_active=True).first()
        if self.person is None:
            raise forms.ValidationError(_("Nobody here has this user name."))
        if self.project.memberships.filter(user=self.person).exists():
            raise forms.ValidationError(_("This person is a member already."))
        return name


def give_one_time_password(person: User) -> str:
    """Store `person` with a new password, to be replaced at the next sign-in, and return it.

    Every session of the person ends.
    """
    alphabet = "".join(
        sign
        for sign in "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"
        if sign not in UNREADABLE_SIGNS
    )
    password = get_random_string(14, alphabet)
    person.set_password(password)
    person.must_change_password = True
    person.save()
    return password


class PersonForm(forms.ModelForm[User]):
    """A new account, made by an admin. The one-time password is shown once."""

    username = forms.CharField(
        label=_("User name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    is_staff = forms.BooleanField(label=_("Is an admin"), required=False)

    class Meta:
        model = User
        fields = ("username", "is_staff")

    def save_with_one_time_password(self) -> str:
        """Store the account and return its one-time password."""
        return give_one_time_password(self.save(commit=False))
