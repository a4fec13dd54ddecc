"""Conversations and runs of a project."""

from django.urls import path

from chat import (
    branch_views,
    export_views,
    finding_views,
    scope_views,
    sharing_views,
    skill_views,
    views,
)

urlpatterns = [
    path("", views.desk, name="desk"),
    path("ask/", views.ask, name="ask"),
    path("papers-to-ask/", scope_views.choose_papers, name="choose_papers"),
    path("papers-to-ask/tag/", scope_views.tag_chosen, name="tag_chosen"),
    path("conversations/", finding_views.conversations, name="conversations"),
    path("conversations/<slug:conversation_id>/", views.conversation, name="conversation"),
    path("conversations/<slug:conversation_id>/ask/", views.ask_follow_up, name="ask_follow_up"),
    path(
        "conversations/<slug:conversation_id>/rename/",
        views.rename_conversation,
        name="rename_conversation",
    ),
    path(
        "conversations/<slug:conversation_id>/delete/",
        views.delete_conversation,
        name="delete_conversation",
    ),
    path(
        "conversations/<slug:conversation_id>/export.<slug:ending>",
        export_views.export_conversation,
        name="export_conversation",
    ),
    path(
        "runs/<slug:run_id>/export.<slug:ending>",
        export_views.export_answer,
        name="export_answer",
    ),
    path("runs/<slug:run_id>/copy/", export_views.copy_answer, name="copy_answer"),
    path("runs/<slug:run_id>/", views.turn, name="turn"),
    path(
        "conversations/<slug:conversation_id>/share/",
        sharing_views.share_conversation,
        name="share_conversation",
    ),
    path(
        "conversations/<slug:conversation_id>/unshare/",
        sharing_views.unshare_conversation,
        name="unshare_conversation",
    ),
    path("skills/", skill_views.project_skills, name="project_skills"),
    path("skills/upload/", skill_views.upload_project_skill, name="upload_project_skill"),
    path(
        "skills/<slug:name>/switch/", skill_views.switch_project_skill, name="switch_project_skill"
    ),
    path(
        "skills/<slug:name>/remove/", skill_views.remove_project_skill, name="remove_project_skill"
    ),
    path("shared/<slug:shared_id>/", sharing_views.shared_conversation, name="shared_conversation"),
    path("runs/<slug:run_id>/place/", finding_views.go_to_turn, name="go_to_turn"),
    path("runs/<slug:run_id>/events/", views.run_events, name="run_events"),
    path("runs/<slug:run_id>/papers/", views.why_not, name="why_not"),
    path("runs/<slug:run_id>/ask/", branch_views.ask_beside, name="ask_beside"),
    path("runs/<slug:run_id>/branch/", branch_views.show_branch, name="show_branch"),
    path("runs/<slug:run_id>/stop/", views.stop_run, name="stop_run"),
    path("runs/<slug:run_id>/retry/", views.retry_run, name="retry_run"),
]
