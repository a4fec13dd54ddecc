"""Cards and places of citations."""

from django.urls import path

from citations import views

urlpatterns = [
    path("citations/<slug:citation_id>/", views.open_citation, name="open_citation"),
    path("citations/<slug:citation_id>/card/", views.citation_card, name="citation_card"),
    path(
        "citations/<slug:citation_id>/evidence/", views.citation_evidence, name="citation_evidence"
    ),
    path("citations/<slug:citation_id>/wrong/", views.call_wrong, name="call_wrong"),
]
