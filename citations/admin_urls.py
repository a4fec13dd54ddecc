"""Pages for admins about citations."""

from django.urls import path

from citations import views

urlpatterns = [path("signals/", views.click_signals, name="click_signals")]
