"""Documents, their versions, and what was read out of each file.

A `ParsedFile` is a reading: it belongs to (file hash, label), not to a project, so the same paper
in another project costs nothing, and it never changes once it is complete: another way of reading
is another row. A `Version` puts a file into a project; a citation is locked to a version.
"""

from datetime import datetime
from typing import ClassVar, Self

from django.contrib.auth.models import AnonymousUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from pgvector.django import HalfVectorField

from documents.pages.geometry import unpack_boxes
from documents.pages.page_text import Boxes, PageState, Span
from projects.ids import PUBLIC_ID_LENGTH, new_public_id
from projects.models import Project, User


class DocumentQuerySet(models.QuerySet["Document"]):
    def visible_to(self, user: User | AnonymousUser) -> Self:
        return self.filter(project__in=Project.objects.visible_to(user))

    def live(self) -> Self:
        return self.filter(removed_at=None)

    def with_files(self) -> Self:
        """Those that any file was ever added for. Each once, without sorting thousands of rows."""
        return self.filter(Exists(Version.objects.filter(document=OuterRef("pk"))))


class Document(models.Model):
    """One paper in one project. Its bibliographic fields say where they came from."""

    public_id = models.CharField(
        max_length=PUBLIC_ID_LENGTH, unique=True, default=new_public_id, editable=False
    )
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="documents")
    title = models.CharField(max_length=500, blank=True)
    authors = models.JSONField(default=list)
    year = models.PositiveSmallIntegerField(null=True)
    venue = models.CharField(max_length=300, blank=True)
    doi = models.CharField(max_length=200, blank=True)
    arxiv_id = models.CharField(max_length=40, blank=True)
    language = models.CharField(max_length=10, blank=True)
    provenance = models.JSONField(default=dict, help_text="Field to where its value came from.")
    said = models.JSONField(
        default=dict, help_text="Source other than the file (a person, a DOI) to field to value."
    )
    tags = ArrayField(
        models.CharField(max_length=40), default=list, help_text="As `documents.catalogue.tags`."
    )
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True)

    objects = DocumentQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return self.title


class ParsedFile(models.Model):
    """Everything that one parser version read out of one file: shared by all projects."""

    sha256 = models.CharField(max_length=64)
    parser = models.CharField(max_length=40, help_text="Label (`documents.reading_labels`).")
    page_count = models.PositiveIntegerField()
    metadata = models.JSONField(default=dict)
    warnings = models.JSONField(default=list)
    complete = models.BooleanField(default=False, help_text="All pages stored.")
    chunked = models.BooleanField(default=False, help_text="All chunks and terms stored.")
    tokenizer = models.PositiveSmallIntegerField(
        default=1, help_text="Edition of `documents.chunks.tokens` that made the terms."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(
        default=timezone.now, help_text="Last worked on in the background, or left by a version."
    )
    claimed_by = models.CharField(
        max_length=80, blank=True, help_text="Who makes it in the background, before any version."
    )
    attempts = models.PositiveSmallIntegerField(
        default=0, help_text="Background workers that died over it."
    )
    failure_code = models.CharField(
        max_length=40, blank=True, help_text="Why the background gave it up."
    )

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=("sha256", "parser"), name="one_reading_per_parser")
        ]

    def __str__(self) -> str:
        return f"{self.sha256[:8]} {self.parser}"


class Page(models.Model):
    """A physical page, numbered from 1, with its canonical text and the box of each character."""

    parsed = models.ForeignKey(ParsedFile, on_delete=models.CASCADE, related_name="pages")
    number = models.PositiveIntegerField()
    label = models.CharField(max_length=40, blank=True)
    state = models.CharField(max_length=24, choices=[(s, s) for s in PageState])
    reason = models.CharField(max_length=300, blank=True)
    width = models.FloatField(default=0)
    height = models.FloatField(default=0)
    rotation = models.SmallIntegerField(default=0)
    text = models.TextField(blank=True)
    packed_boxes = models.BinaryField(default=b"")
    blocks = models.JSONField(default=list, help_text="[[kind, start, end, level], ...]")
    tables = models.JSONField(default=list, help_text="As documents.tables.table_json writes them.")

    class Meta:
        ordering = ("number",)
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=("parsed", "number"), name="one_row_per_page"),
            models.CheckConstraint(condition=Q(number__gte=1), name="pages_count_from_one"),
        ]

    def boxes(self) -> Boxes:
        """Character boxes as fractions of the displayed page, shape (len(text), 4)."""
        return unpack_boxes(bytes(self.packed_boxes))


class VersionQuerySet(models.QuerySet["Version"]):
    def visible_to(self, user: User | AnonymousUser) -> Self:
        return self.filter(document__project__in=Project.objects.visible_to(user))

    def present(self) -> Self:
        """Those that are still in their project, current or not: their file can be read."""
        return self.filter(document__removed_at=None, removed_at=None)

    def searchable(self) -> Self:
        """Those whose chunks are stored: they can be found by words, be it without vectors yet."""
        return self.filter(state__in=(Version.State.INDEXING, Version.State.READY))

    def live(self) -> Self:
        """Versions that answers may use: current, not removed, searchable by keywords at least."""
        return self.present().searchable().filter(superseded_at=None)


class Version(models.Model):
    """One file of a document, known by its hash. `public_id` is the `file_id` of citations."""

    class State(models.TextChoices):
        QUEUED = "queued"
        PARSING = "parsing"
        INDEXING = "indexing"
        READY = "ready"
        FAILED = "failed"
        CANCELLED = "cancelled"

    public_id = models.CharField(
        max_length=PUBLIC_ID_LENGTH, unique=True, default=new_public_id, editable=False
    )
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="versions")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField(default=1)
    sha256 = models.CharField(max_length=64, db_index=True)
    file_name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField(help_text="Bytes.")
    page_count = models.PositiveIntegerField(default=0)
    parsed = models.ForeignKey(
        ParsedFile, null=True, on_delete=models.SET_NULL, related_name="versions"
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    failure_code = models.CharField(max_length=40, blank=True)
    failure = models.TextField(blank=True)
    claimed_at = models.DateTimeField(null=True, help_text="Heartbeat of the worker that has it.")
    claimed_by = models.CharField(max_length=80, blank=True)
    attempts = models.PositiveSmallIntegerField(
        default=0, help_text="Workers that died over this file."
    )
    embedded_chunks = models.PositiveIntegerField(default=0)
    uploaded_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    ready_at = models.DateTimeField(null=True)
    superseded_at = models.DateTimeField(null=True)
    removed_at = models.DateTimeField(null=True)
    declined_label = models.CharField(
        max_length=40, blank=True, help_text="Of a better reading whose making somebody cancelled."
    )
    carried_anchors = models.PositiveIntegerField(
        default=0, help_text="Of citations, that a new reading moved to where the words stand now."
    )
    drifted_anchors = models.PositiveIntegerField(
        default=0, help_text="Of citations, whose words the present reading does not have."
    )

    objects = VersionQuerySet.as_manager()

    class Meta:
        ordering = ("document", "-number")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=("project", "sha256"), name="one_version_per_file"),
            models.UniqueConstraint(fields=("document", "number"), name="version_numbers_unique"),
        ]

    @property
    def gone_since(self) -> datetime | None:
        """When it left its project, alone or with its document; None while it is there."""
        return self.removed_at or self.document.removed_at


class Chunk(models.Model):
    """A retrieval unit as spans of page text. Nothing durable may store its id."""

    parsed = models.ForeignKey(ParsedFile, on_delete=models.CASCADE, related_name="chunks")
    ordinal = models.PositiveIntegerField()
    spans = models.JSONField(help_text="[[page, start, end], ...] in reading order.")
    section = models.JSONField(default=list, help_text="Headings above it, outermost first.")
    kind = models.CharField(max_length=12)
    tokens = models.PositiveSmallIntegerField()
    terms = models.JSONField(default=list, help_text="Keyword tokens, in order, repeats kept.")

    class Meta:
        ordering = ("parsed", "ordinal")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=("parsed", "ordinal"), name="one_chunk_per_ordinal")
        ]

    def span_list(self) -> tuple[Span, ...]:
        return tuple(Span(*span) for span in self.spans)


class EmbeddingSpace(models.Model):
    """Vectors that may be compared: one model at one revision and precision, one dimension.

    The active one is that of the configured embedder; new texts get vectors there.
    """

    name = models.CharField(max_length=160)
    revision = models.CharField(max_length=80)
    dimensions = models.PositiveSmallIntegerField()
    active = models.BooleanField(default=False)
    source = models.JSONField(
        default=dict, help_text="Where its embedder is found, as `documents.embedder_sources`."
    )
    paused = models.BooleanField(
        default=False, help_text="Somebody stopped the making of vectors for it in the background."
    )
    problem = models.CharField(
        max_length=300, blank=True, help_text="Why the making of vectors for it does not go on."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=("name", "revision", "dimensions"), name="one_space_per_model"
            ),
            models.UniqueConstraint(
                fields=("active",), condition=Q(active=True), name="one_active_space"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.dimensions})"


class ProjectSpace(models.Model):
    """A project that is still searched in another space than the active one.

    Without a row it is searched in the active one: to delete the row is to switch.
    """

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="older_space")
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.CASCADE, related_name="projects")


class ChunkVector(models.Model):
    """A chunk's unit vector in one space. `parsed` repeats the chunk's file for filtering.

    Half precision, never moved out of the row: so a scan reads half as much, in one place.
    """

    space = models.ForeignKey(
        EmbeddingSpace, on_delete=models.CASCADE, related_name="vectors", db_index=False
    )
    parsed = models.ForeignKey(ParsedFile, on_delete=models.CASCADE, related_name="+")
    chunk = models.ForeignKey(Chunk, on_delete=models.CASCADE, related_name="vectors")
    shelf = models.BigIntegerField(
        null=True, help_text="The project whose graph may hold it (`retrieval.graphs`)."
    )
    vec = HalfVectorField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=("space", "chunk"), name="one_vector_per_space")
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=("space", "parsed"))]


class Change(models.Model):
    """The log by which retrieval and citations follow documents. Its key only grows."""

    class Kind(models.TextChoices):
        ADDED = "added"
        SWAPPED = "swapped"
        REMOVED = "removed"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="changes")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    file_id = models.CharField(max_length=PUBLIC_ID_LENGTH, help_text="The version's public id.")
    parsed_id = models.BigIntegerField(null=True, help_text="The reading that came or went.")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=("project", "id"))]


from documents.record_models import DoiRecord, LibraryImport, LookupPause  # noqa: E402, F401
