"""Who may see what: users, projects, memberships, and the record of who did what."""

from typing import Any, ClassVar, Self

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.db import models
from django.db.models import Q

from projects.ids import PUBLIC_ID_LENGTH, new_public_id


class User(AbstractUser):
    """A person who signs in. The first admin is made by `make up`."""

    public_id = models.CharField(
        max_length=PUBLIC_ID_LENGTH, unique=True, default=new_public_id, editable=False
    )
    language = models.CharField(max_length=10, blank=True, help_text="Empty: as the browser asks.")
    must_change_password = models.BooleanField(default=False)
    monthly_tokens = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Of chat models, a calendar month. Empty: no limit."
    )

    class Meta:
        ordering = ("username",)


class Installation(models.Model):
    """The one row of settings that admins change in the browser."""

    anyone_may_create_projects = models.BooleanField(default=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(pk=1), name="installation_is_one_row")
        ]

    @classmethod
    def load(cls) -> Self:
        return cls.objects.get_or_create(pk=1)[0]


class ProjectQuerySet(models.QuerySet["Project"]):
    def visible_to(self, user: User | AnonymousUser) -> Self:
        """Projects that `user` may read. Everything that shows user data starts here."""
        return self.filter(memberships__user_id=user.pk) if user.is_authenticated else self.none()

    def editable_by(self, user: User | AnonymousUser) -> Self:
        roles = (Membership.Role.OWNER, Membership.Role.EDITOR)
        if not user.is_authenticated:
            return self.none()
        return self.filter(memberships__user_id=user.pk, memberships__role__in=roles)

    def owned_by(self, user: User | AnonymousUser) -> Self:
        if not user.is_authenticated:
            return self.none()
        return self.filter(memberships__user_id=user.pk, memberships__role=Membership.Role.OWNER)


class Project(models.Model):
    """A library of documents with its conversations and its members."""

    public_id = models.CharField(
        max_length=PUBLIC_ID_LENGTH, unique=True, default=new_public_id, editable=False
    )
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    ocr = models.BooleanField(default=True, help_text="Scans are read by OCR.")
    monthly_tokens = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Of chat models, a calendar month. Empty: no limit."
    )
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    members: "models.ManyToManyField[User, Membership]" = models.ManyToManyField(
        User, through="Membership", related_name="projects"
    )

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering = ("name", "pk")

    def __str__(self) -> str:
        return self.name

    def role_of(self, user: User | AnonymousUser) -> "Membership.Role | None":
        if not user.is_authenticated:
            return None
        membership = self.memberships.filter(user_id=user.pk).first()
        return Membership.Role(membership.role) if membership else None


class Membership(models.Model):
    class Role(models.TextChoices):
        OWNER = "owner"
        EDITOR = "editor"
        VIEWER = "viewer"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.VIEWER)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=("project", "user"), name="one_membership_per_user"),
            models.CheckConstraint(
                condition=Q(role__in=("owner", "editor", "viewer")), name="membership_role_known"
            ),
        ]


class AuditEvent(models.Model):
    """One thing somebody did that an admin may have to explain later."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    project = models.ForeignKey(Project, null=True, on_delete=models.SET_NULL, related_name="+")
    action = models.CharField(max_length=60)
    detail = models.JSONField(default=dict)

    class Meta:
        ordering = ("-at", "-pk")

    @classmethod
    def record(
        cls, action: str, *, user: User | None, project: Project | None = None, **detail: Any
    ) -> None:
        cls.objects.create(action=action, user=user, project=project, detail=detail)


class ModelEndpointQuerySet(models.QuerySet["ModelEndpoint"]):
    def chosen(self, project_id: int | None, role: str) -> "ModelEndpoint | None":
        """The endpoint of a role: the project's own, its main one, the installation's."""
        found = self.filter(Q(project=None) | Q(project_id=project_id or 0))
        rows = {(row.project_id is not None, row.role): row for row in found.order_by("pk")}
        roles = (role,) if role == ModelEndpoint.Role.MAIN else (role, ModelEndpoint.Role.MAIN)
        wanted = [(is_own, each) for is_own in (True, False) for each in roles]
        return next((rows[each] for each in wanted if each in rows), None)


class ModelEndpoint(models.Model):
    """A chat model that admins chose, for the installation or for one project."""

    class Role(models.TextChoices):
        MAIN = "main"
        LIGHT = "light"

    project = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.CASCADE, related_name="model_endpoints"
    )
    role = models.CharField(max_length=5, choices=Role.choices, default=Role.MAIN)
    base_url = models.CharField(max_length=300)
    model = models.CharField(max_length=120)
    sealed_key = models.TextField(blank=True)
    prompt_price = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    completion_price = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    checked = models.JSONField(default=dict, help_text="What the last test found.")
    check_state = models.CharField(max_length=8, blank=True, help_text="testing, or empty.")

    objects = ModelEndpointQuerySet.as_manager()

    class Meta:
        ordering = ("project_id", "-role", "pk")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=("project", "role"), nulls_distinct=False, name="one_endpoint_a_role"
            )
        ]


class TokenUse(models.Model):
    """What one run asked of a chat model."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="token_uses")
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    run = models.CharField(max_length=PUBLIC_ID_LENGTH)
    model = models.CharField(max_length=120)
    prompt_tokens = models.PositiveIntegerField()
    completion_tokens = models.PositiveIntegerField()
    is_estimate = models.BooleanField(default=False, help_text="The server did not say.")
    cost = models.DecimalField(max_digits=14, decimal_places=6, default=0)

    class Meta:
        ordering = ("-at", "-pk")
