"""Pages for admins about the indexes."""

from django.urls import path

from retrieval import embedding_views, index_views

urlpatterns = [
    path("embedding/", embedding_views.embedding_models, name="embedding_models"),
    path("embedding/switch/", embedding_views.pause_embedding, name="pause_embedding"),
    path("indexes/", index_views.keyword_indexes, name="keyword_indexes"),
    path("indexes/<slug:slug>/", index_views.check_keyword_index, name="check_keyword_index"),
]
