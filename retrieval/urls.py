"""Pages of a project about how it is searched."""

from django.urls import path

from retrieval import term_views

urlpatterns = [
    path("terms/", term_views.library_terms, name="library_terms"),
    path("terms/add/", term_views.add_library_term, name="add_library_term"),
    path("terms/<int:number>/remove/", term_views.remove_library_term, name="remove_library_term"),
]
