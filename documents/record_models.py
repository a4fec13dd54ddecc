"""Bibliographic records that came from elsewhere: registries of DOIs, and imported libraries."""

from django.db import models
from django.utils import timezone

from projects.ids import PUBLIC_ID_LENGTH, new_public_id
from projects.models import Project, User


class DoiRecord(models.Model):
    """What a registry says of one DOI. It is the same for all projects."""

    class State(models.TextChoices):
        WAITING = "waiting"
        FOUND = "found"
        MISSING = "missing"

    doi = models.CharField(max_length=200, unique=True, help_text="Lower case, without https.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    service = models.CharField(max_length=20, blank=True)
    fields = models.JSONField(default=dict, help_text="Field to value, as in `Document`.")
    notices = models.JSONField(default=list, help_text="[{kind, doi, date}, ...]")
    attempts = models.PositiveSmallIntegerField(default=0)
    asked_at = models.DateTimeField(null=True)
    next_at = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return self.doi


class LookupPause(models.Model):
    """Until when a service is to be left alone, because it asked for that or can't be reached."""

    service = models.CharField(max_length=20, primary_key=True)
    until = models.DateTimeField()
    failures = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return self.service


class LibraryImport(models.Model):
    """One imported library file: how far it is, and what became of each of its entries."""

    class State(models.TextChoices):
        WAITING = "waiting"
        WORKING = "working"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

        @classmethod
        def unfinished(cls) -> tuple["LibraryImport.State", ...]:
            return (cls.WAITING, cls.WORKING)

    public_id = models.CharField(
        max_length=PUBLIC_ID_LENGTH, unique=True, default=new_public_id, editable=False
    )
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="imports")
    file_name = models.CharField(max_length=255)
    outcomes = models.JSONField(default=list, help_text="One for each entry, in the file's order.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.DONE)
    failure = models.TextField(blank=True)
    done = models.PositiveIntegerField(default=0, help_text="Entries that are brought in.")
    total = models.PositiveIntegerField(default=0)
    language = models.CharField(
        max_length=20, blank=True, help_text="Of whoever began it: its sentences are stored."
    )
    claimed_by = models.CharField(max_length=80, blank=True)
    claimed_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return self.file_name

    @property
    def is_unfinished(self) -> bool:
        return self.state in self.State.unfinished()
