"""Retrieval owns only what it can rebuild: how far each project's keyword index has read."""

from django.db import models

from projects.models import Project


class KeywordIndex(models.Model):
    """The on-disk BM25 index of one project and the last `documents.Change` applied to it."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="keyword_index")
    generation = models.CharField(max_length=40, blank=True)
    applied_change = models.BigIntegerField(default=0)
    updated_at = models.DateTimeField(auto_now=True)
