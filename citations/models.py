"""Answers, the sources they cite, each place that cites one, and where its text stands."""

from typing import ClassVar, Self

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from documents.models import Page, Version
from projects.ids import PUBLIC_ID_LENGTH, new_public_id
from projects.models import Membership, Project, User


class NormalizedPage(models.Model):
    """A page's text folded for locating, with the way back to page text. Rebuilt at will."""

    page = models.OneToOneField(Page, on_delete=models.CASCADE, related_name="normalized")
    normalizer = models.PositiveSmallIntegerField()
    text = models.TextField(blank=True)
    packed_map = models.BinaryField(default=b"")


class AnswerQuerySet(models.QuerySet["Answer"]):
    def visible_to(self, user: User | AnonymousUser) -> Self:
        """Those of projects that the user may read. One with an owner is its owner's alone, unless
        it is shared by one who is still a member.
        """
        if not user.is_authenticated:
            return self.none()
        in_reach = self.filter(project__in=Project.objects.visible_to(user))
        owners = Membership.objects.filter(project=OuterRef("project"), user=OuterRef("owner"))
        shared = Q(shared=True, owner_is_member=True)
        mine = Q(owner=None) | Q(owner_id=user.pk)
        return in_reach.alias(owner_is_member=Exists(owners)).filter(mine | shared)


class Answer(models.Model):
    """A text with cited places, as segments (`citations.segments`)."""

    public_id = models.CharField(
        max_length=PUBLIC_ID_LENGTH, unique=True, default=new_public_id, editable=False
    )
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="answers")
    owner = models.ForeignKey(
        User,
        null=True,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="Who alone may read it, unless it is shared. Empty: everyone in the project.",
    )
    shared = models.BooleanField(
        default=False, help_text="Everyone who may read the project may read it, too."
    )
    key = models.CharField(
        max_length=PUBLIC_ID_LENGTH,
        unique=True,
        null=True,
        help_text="What it was written for, such as a run: written again, it stays one row.",
    )
    segments = models.JSONField(default=list)
    removed_markers = models.JSONField(default=list, help_text="Numbers never handed out.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = AnswerQuerySet.as_manager()


class Source(models.Model):
    """What an answer cites. `identity` is `file_id` or `file_id#pdf-page=4`."""

    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="sources")
    number = models.PositiveIntegerField(help_text="As shown: from 1 by first appearance.")
    version = models.ForeignKey(Version, null=True, on_delete=models.SET_NULL, related_name="+")
    file_id = models.CharField(max_length=PUBLIC_ID_LENGTH)
    pdf_page = models.PositiveIntegerField(null=True)
    title = models.CharField(max_length=500)
    label = models.CharField(max_length=80, help_text="Cleaned, shortened title of the tag.")

    class Meta:
        ordering = ("number",)
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=("answer", "number"), name="source_numbers_unique")
        ]

    @property
    def identity(self) -> str:
        return self.file_id if self.pdf_page is None else f"{self.file_id}#pdf-page={self.pdf_page}"


class CitationQuerySet(models.QuerySet["Citation"]):
    def visible_to(self, user: User | AnonymousUser) -> Self:
        """Those of the answers that the user may read: cards, places and evidence alike."""
        return self.filter(answer__in=Answer.objects.visible_to(user))


class Citation(models.Model):
    """One place of an answer that cites a source, with the anchor of the evidence it used."""

    class Drift(models.TextChoices):
        """What became of the anchor when the file was read anew. Empty: it was not, or not yet."""

        CARRIED = "carried"
        DRIFTED = "drifted"

    public_id = models.CharField(
        max_length=PUBLIC_ID_LENGTH, unique=True, default=new_public_id, editable=False
    )
    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="citations")
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="citations")
    ordinal = models.PositiveIntegerField(help_text="Which cite segment of the answer, from 0.")
    evidence = models.PositiveIntegerField(help_text="The run's number; meaningless elsewhere.")
    claim = models.TextField(blank=True)
    quote = models.TextField(blank=True)
    anchor = models.JSONField()
    drift = models.CharField(max_length=8, choices=Drift.choices, blank=True)
    held_against = models.BigIntegerField(
        null=True, help_text="The reading that the anchor was last looked for in."
    )

    objects = CitationQuerySet.as_manager()

    class Meta:
        ordering = ("ordinal",)
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=("answer", "ordinal"), name="citation_ordinals_unique")
        ]


class Location(models.Model):
    """Where a quote or claim was looked for, for one user, and what was found there.

    `key` digests file hash, page, quote, claim, locator version and model. Access is checked
    before this table is read, always.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64, db_index=True)
    status = models.CharField(max_length=24)
    places = models.JSONField(default=list)
    nearest = models.JSONField(null=True)
    reason = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    asked_at = models.DateTimeField(
        default=timezone.now, help_text="When somebody last waited for it: a card asks on and on."
    )

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=("user", "key"), name="one_location_per_user_and_key")
        ]


class Signal(models.Model):
    """One look at a citation, and what came of it. Holds no words of the answer."""

    class Action(models.TextChoices):
        HOVER = "hover"
        OPEN = "open"
        LOCATE = "locate"
        WRONG = "wrong"

    class QuoteKind(models.TextChoices):
        QUOTE = "quote"
        SHORT = "short"
        NUMBER = "number"
        CLAIM = "claim"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    citation = models.ForeignKey(Citation, null=True, on_delete=models.SET_NULL, related_name="+")
    version = models.ForeignKey(Version, null=True, on_delete=models.SET_NULL, related_name="+")
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    action = models.CharField(max_length=6, choices=Action.choices)
    status = models.CharField(max_length=24)
    quote_kind = models.CharField(max_length=6, choices=QuoteKind.choices)
    milliseconds = models.PositiveIntegerField(null=True)
    at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=("citation", "user"),
                condition=Q(action="wrong"),
                name="one_wrong_mark_per_user",
            )
        ]


class FollowedChanges(models.Model):
    """The last `documents.Change` of each project that citations have applied."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="+")
    applied_change = models.BigIntegerField(default=0)
