"""Retrieval owns only what it can rebuild: what stands in its indexes."""

from typing import ClassVar

from django.db import models

from documents.models import EmbeddingSpace, ParsedFile
from projects.models import Project


class KeywordIndex(models.Model):
    """The on-disk BM25 index of one project, the last `documents.Change` applied to it, and what
    the last check found.
    """

    class Finding(models.TextChoices):
        AGREES = "agrees"
        MISSING = "missing"
        DAMAGED = "damaged"
        DIFFERS = "differs"

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="keyword_index")
    generation = models.CharField(max_length=40, blank=True)
    applied_change = models.BigIntegerField(default=0)
    updated_at = models.DateTimeField(auto_now=True)
    chunks = models.PositiveIntegerField(default=0)
    size = models.PositiveBigIntegerField(default=0, help_text="Bytes of its files.")
    problem = models.CharField(
        max_length=200, blank=True, help_text="Why its files could not be written, as things are."
    )
    checked_at = models.DateTimeField(null=True)
    finding = models.CharField(max_length=8, choices=Finding.choices, blank=True)
    healed_at = models.DateTimeField(null=True, help_text="Last made anew since a check failed.")

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]


class ShelvedReading(models.Model):
    """A reading whose vectors of one space are marked for the graph of one project.

    `rows` counts them. A reading that stands in several projects is on the shelf of one.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.CASCADE, related_name="+")
    parsed = models.ForeignKey(ParsedFile, on_delete=models.CASCADE, related_name="+")
    rows = models.PositiveIntegerField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=("space", "parsed"), name="one_shelf_per_reading")
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=("space", "project"))]


class LibraryTerm(models.Model):
    """A term of one library and what means the same there (`retrieval.library_terms`)."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="library_terms")
    term = models.CharField(max_length=80)
    meaning = models.CharField(max_length=200)

    class Meta:
        ordering: ClassVar[list[str]] = ["term", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=("project", "term"), name="one_meaning_per_term")
        ]

    def __str__(self) -> str:
        return self.term
