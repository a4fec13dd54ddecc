"""Every address of Lito. Each app names its own; view name = URL name = template name."""

from django.urls import include, path

from lito.search_views import missing_papers, open_passage, search
from lito.views import healthz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("", include("projects.urls")),
    path("admin/", include("citations.admin_urls")),
    path("admin/", include("retrieval.admin_urls")),
    path("p/<slug:slug>/search/", search, name="search"),
    path("p/<slug:slug>/search/missing/", missing_papers, name="missing_papers"),
    path("p/<slug:slug>/files/<slug:file_id>/passage/", open_passage, name="open_passage"),
    path("p/<slug:slug>/", include("documents.urls")),
    path("p/<slug:slug>/", include("citations.urls")),
    path("p/<slug:slug>/", include("chat.urls")),
]
