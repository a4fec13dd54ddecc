"""Every address of Lito. Each app names its own; view name = URL name = template name."""

from django.urls import include, path

from lito import model_views
from lito.search_views import missing_papers, open_passage, search
from lito.views import healthz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("", include("projects.urls")),
    path("admin/models/", model_views.chat_models, name="chat_models"),
    path("admin/models/set/", model_views.set_chat_model, name="set_chat_model"),
    path("admin/models/budget/", model_views.set_budget, name="set_budget"),
    path(
        "admin/models/<int:endpoint_id>/remove/",
        model_views.remove_chat_model,
        name="remove_chat_model",
    ),
    path(
        "admin/models/<int:endpoint_id>/test/",
        model_views.test_chat_model,
        name="test_chat_model",
    ),
    path(
        "admin/models/<int:endpoint_id>/check/",
        model_views.chat_model_check,
        name="chat_model_check",
    ),
    path("admin/", include("citations.admin_urls")),
    path("admin/", include("retrieval.admin_urls")),
    path("p/<slug:slug>/search/", search, name="search"),
    path("p/<slug:slug>/search/missing/", missing_papers, name="missing_papers"),
    path("p/<slug:slug>/files/<slug:file_id>/passage/", open_passage, name="open_passage"),
    path("p/<slug:slug>/", include("documents.urls")),
    path("p/<slug:slug>/", include("retrieval.urls")),
    path("p/<slug:slug>/", include("citations.urls")),
    path("p/<slug:slug>/", include("chat.urls")),
]
