"""The library and the reader of a project."""

from django.urls import path

from documents.views import (
    as_read,
    imports,
    library,
    papers,
    reading,
    version_changes,
    versions,
)

urlpatterns = [
    path("library/", library.library, name="library"),
    path("library/rows/", library.library_rows_fragment, name="library_rows"),
    path("library/upload/", library.upload, name="upload"),
    path("files/<slug:file_id>/retry/", library.retry_version, name="retry_version"),
    path("files/<slug:file_id>/cancel/", library.cancel_version, name="cancel_version"),
    path("files/<slug:file_id>/", reading.read, name="read"),
    path("files/<slug:file_id>/outline/", reading.outline, name="outline"),
    path("files/<slug:file_id>/original/", reading.original_file, name="original_file"),
    path("files/<slug:file_id>/pages/<int:number>/", reading.page_image, name="page_image"),
    path("files/<slug:file_id>/pages/<int:number>/text/", reading.page_layer, name="page_layer"),
    path("files/<slug:file_id>/as-read/", as_read.find_page_read, name="find_page_read"),
    path("files/<slug:file_id>/pages/<int:number>/as-read/", as_read.page_read, name="page_read"),
    path("papers/<slug:document_id>/versions/", versions.versions, name="versions"),
    path(
        "papers/<slug:document_id>/versions/upload/",
        version_changes.upload_version,
        name="upload_version",
    ),
    path("files/<slug:file_id>/remove/", version_changes.remove_version, name="remove_version"),
    path("library/import/", imports.import_library, name="import_library"),
    path("library/imports/<slug:import_id>/", imports.import_report, name="import_report"),
    path(
        "library/imports/<slug:import_id>/progress/",
        imports.import_progress,
        name="import_progress",
    ),
    path("library/imports/<slug:import_id>/cancel/", imports.cancel_import, name="cancel_import"),
    path("library/imports/<slug:import_id>/settle/", imports.settle_import, name="settle_import"),
    path("export.<slug:ending>", papers.export_library, name="export_library"),
    path("papers/<slug:document_id>/", papers.paper, name="paper"),
    path("papers/<slug:document_id>/tags/", papers.tag_paper, name="tag_paper"),
    path("papers/<slug:document_id>/edit/", papers.edit_paper, name="edit_paper"),
    path(
        "papers/<slug:document_id>/reset/<slug:name>/",
        papers.reset_paper_field,
        name="reset_paper_field",
    ),
    path(
        "papers/<slug:document_id>/reference.<slug:ending>",
        papers.export_paper,
        name="export_paper",
    ),
    path("papers/<slug:document_id>/remove/", library.remove_document, name="remove_document"),
]
