"""Doors, home, administration and the settings of a project."""

from django.urls import path

from projects.views import administration, doors, home, members

urlpatterns = [
    path("", home.home, name="home"),
    path("sign-in/", doors.login, name="login"),
    path("sign-out/", doors.logout, name="logout"),
    path("password/", doors.change_password, name="change_password"),
    path("language/", doors.set_language, name="set_language"),
    path("theme/", doors.set_theme, name="set_theme"),
    path("new-project/", home.create_project, name="create_project"),
    path("admin/", administration.administration, name="administration"),
    path("admin/people/", administration.create_person, name="create_person"),
    path("admin/people/<slug:user_id>/", administration.switch_person, name="switch_person"),
    path(
        "admin/people/<slug:user_id>/password/",
        administration.renew_password,
        name="renew_password",
    ),
    path("admin/installation/", administration.change_installation, name="change_installation"),
    path("p/<slug:slug>/settings/", members.project_settings, name="project_settings"),
    path("p/<slug:slug>/members/", members.add_member, name="add_member"),
    path("p/<slug:slug>/members/<slug:user_id>/", members.change_member, name="change_member"),
    path(
        "p/<slug:slug>/members/<slug:user_id>/remove/",
        members.remove_member,
        name="remove_member",
    ),
]
