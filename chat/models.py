"""Conversations, their turns, and the agent's run of each turn."""

from typing import ClassVar, Self

from django.contrib.auth.models import AnonymousUser
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from citations.models import Answer
from projects.ids import PUBLIC_ID_LENGTH, new_public_id
from projects.models import Project, User


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def visible_to(self, user: User | AnonymousUser) -> Self:
        """A conversation is its owner's, inside projects that the owner may still read."""
        if not user.is_authenticated:
            return self.none()
        return self.filter(user_id=user.pk, project__in=Project.objects.visible_to(user))


class Conversation(models.Model):
    public_id = models.CharField(
        max_length=PUBLIC_ID_LENGTH, unique=True, default=new_public_id, editable=False
    )
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="conversations")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="conversations")
    title = models.CharField(max_length=200, blank=True)
    document_ids = models.JSONField(
        default=list, blank=True, help_text="What its next question may use, as in `Run`."
    )
    reads_whole = models.BooleanField(default=False, help_text="As in `Run`.")
    leaf = models.ForeignKey(
        "Turn",
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The last turn of the branch that is shown.",
    )
    shared_id = models.CharField(
        max_length=PUBLIC_ID_LENGTH,
        unique=True,
        null=True,
        help_text="In the link by which members of the project may read it. Empty: not shared.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        ordering = ("-updated_at", "-pk")


class Turn(models.Model):
    """A question and, once there is one, its answer.

    `before` is the turn that it follows; several may follow the same one (`chat.branches`).
    """

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="turns")
    before = models.ForeignKey("self", null=True, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveIntegerField(help_text="Its place on its branch, from 1.")
    question = models.TextField()
    answer = models.OneToOneField(Answer, null=True, on_delete=models.SET_NULL, related_name="turn")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("number", "pk")


class TurnWords(models.Model):
    """By which keyword tokens a turn is found (`chat.turn_words`)."""

    turn = models.OneToOneField(
        Turn, on_delete=models.CASCADE, primary_key=True, related_name="words"
    )
    terms = ArrayField(models.TextField())

    class Meta:
        indexes: ClassVar[list[models.Index]] = [GinIndex(fields=("terms",), name="turn_terms")]


class ProjectSkill(models.Model):
    """A skill of a project's own; or, without a text, a switch of one that comes with Lito."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="skills")
    name = models.CharField(max_length=40)
    text = models.TextField(blank=True, help_text="Its SKILL.md.")
    is_on = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=("project", "name"), name="one_skill_per_name")
        ]


class RunQuerySet(models.QuerySet["Run"]):
    def visible_to(self, user: User | AnonymousUser) -> Self:
        return self.filter(turn__conversation__in=Conversation.objects.visible_to(user))


class Run(models.Model):
    """One execution of a turn by the agent, with its trace. Its events are a Redis stream."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        STOPPED = "stopped"
        INTERRUPTED = "interrupted"
        FAILED = "failed"

    public_id = models.CharField(
        max_length=PUBLIC_ID_LENGTH, unique=True, default=new_public_id, editable=False
    )
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="runs")
    state = models.CharField(max_length=12, choices=State.choices, default=State.QUEUED)
    skill = models.CharField(max_length=40, default="question")
    document_ids = models.JSONField(
        default=list, help_text="Public ids of the papers it may use. Empty: all."
    )
    reads_whole = models.BooleanField(
        default=False, help_text="Its papers are put into the context whole, if they fit."
    )
    model = models.CharField(max_length=120, blank=True)
    outcome = models.CharField(max_length=24, blank=True, help_text="answered, not_found, ...")
    error_code = models.CharField(max_length=40, blank=True)
    error = models.TextField(blank=True)
    trace = models.JSONField(default=dict)
    usage = models.JSONField(default=dict)
    retention = models.JSONField(default=list, help_text="After a rewrite: each citation's fate.")
    draft = models.JSONField(default=dict, help_text="Segments and evidence while it runs.")
    heartbeat_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)
