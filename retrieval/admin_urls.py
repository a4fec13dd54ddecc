"""Pages for admins about the indexes."""

from django.urls import path

from retrieval import index_views

urlpatterns = [
    path("indexes/", index_views.keyword_indexes, name="keyword_indexes"),
    path("indexes/<slug:slug>/", index_views.check_keyword_index, name="check_keyword_index"),
]
