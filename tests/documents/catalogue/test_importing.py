"""Libraries of reference managers: matched, added, asked about, refused with a reason."""

import io
import tracemalloc
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from documents.catalogue.attachments import Offered, attached_paths
from documents.catalogue.bibtex import LONGEST_FIELD
from documents.catalogue.describing import edit
from documents.catalogue.import_files import (
    UnreadableLibraryError,
    decoded,
    read_dropped,
    read_references,
)
from documents.catalogue.import_jobs import begin, run
from documents.catalogue.import_matching import Known, Match, Matcher
from documents.catalogue.importing import settle
from documents.catalogue.references import AUTHOR_LENGTH, MOST_AUTHORS, Reference
from documents.forms import PaperForm
from documents.models import Document
from documents.record_models import LibraryImport
from projects.models import Project, User
from tests.documents.pdf_making import make_pdf
from tests.projects.library_rows import new_version

DIKES = "@article{berg, title={The growth of dikes in winter}, author={Berg, Ada}, year=2020}"


# --- what a file field says


@pytest.mark.parametrize(
    ("field", "paths"),
    [
        ("Full Text PDF:files/12/Berg - 2020.pdf:application/pdf", ["files/12/Berg - 2020.pdf"]),
        (":Berg2020.pdf:PDF", ["Berg2020.pdf"]),
        (
            r"A\; B.pdf:files/5/A\; B\: C.pdf:application/pdf;Snap:files/6/x.html:text/html",
            ["files/5/A; B: C.pdf"],
        ),
        (r"C\:\\Users\\me\\storage\\AB\\N.pdf", ["C:/Users/me/storage/AB/N.pdf"]),
        (r"N.pdf:C\:\\Users\\me\\N.pdf:application/pdf", ["C:/Users/me/N.pdf"]),
        (r"PDF:C:\Users\me\N.pdf:application/pdf", ["C:/Users/me/N.pdf"]),
        ("file:///home/me/a%20b.pdf", ["/home/me/a b.pdf"]),
        ("a.pdf;b.pdf", ["a.pdf", "b.pdf"]),
        ("全文:files/3/张三_2020.pdf:application/pdf", ["files/3/张三_2020.pdf"]),
        ("Snapshot:files/6/x.html:text/html", []),
        ("", []),
        (":::;;;:", []),
    ],
)
def test_paths_are_found_in_the_ways_that_managers_write_them(field: str, paths: list[str]) -> None:
    assert attached_paths(field) == paths


@pytest.mark.parametrize(
    ("wanted", "offered", "found"),
    [
        ("files/12/Full Text.pdf", ["x/files/12/Full Text.pdf", "x/files/13/Full Text.pdf"], 0),
        ("files/12/A.pdf", ["A.pdf"], 0),
        ("C:/Users/me/storage/AB/N.pdf", ["lib/files/1/n.PDF"], 0),
        ("Full Text.pdf", ["files/12/Full Text.pdf", "files/13/Full Text.pdf"], None),
        ("A.pdf", ["B.pdf"], None),
        ("Müller.pdf", ["Mu\u0308ller.pdf"], 0),
    ],
)
def test_an_attachment_is_found_by_its_longest_common_end_or_not_at_all(
    wanted: str, offered: list[str], found: int | None
) -> None:
    assert Offered(offered).find(wanted) == (None if found is None else offered[found])


# --- which paper an entry is

KNOWN = (
    Known(1, "The growth of dikes in winter", 2020, "10.1000/dikes", ""),
    Known(2, "Deep learning for cats", 2019, "", "1901.00001v2"),
    Known(3, "Deep learning for bats", 2019, "", ""),
    Known(4, "城市扩张的影响研究", 2018, "", ""),
    Known(5, "Annual report", 2017, "", ""),
    Known(6, "Annual report", 2018, "", ""),
)


@pytest.mark.parametrize(
    ("entry", "match"),
    [
        (Reference("Anything", doi="10.1000/DIKES"), Match(1, "doi")),
        (Reference("Anything", arxiv_id="1901.00001"), Match(2, "arxiv_id")),
        (Reference("The Growth of Dikes in Winter.", year=2020), Match(1, "title")),
        (Reference("The growth of dikes in winter", year=2021), Match(1, "title")),
        (Reference("The growth of dikes in winter", year=2012), Match()),
        (
            Reference("The growth of dikes in winter", year=2020, doi="10.1000/preprint"),
            Match(choices=(1,)),
        ),
        (Reference("Deep learning for cats", year=2019), Match(2, "title")),
        (Reference("Deep learning for cats"), Match(choices=(2, 3))),
        (Reference("Deep learning for rats", year=2019), Match(choices=(2, 3))),
        (Reference("The growth of dikes in a winter", year=2020), Match(1, "title")),
        (Reference("The growth of dykes in winters", year=2020), Match(choices=(1,))),
        (Reference("城市扩张的影响研究"), Match(4, "title")),
        (Reference("城市擴張的影響研究"), Match(4, "title")),
        (Reference("Annual report"), Match(choices=(5, 6))),
        (Reference("Annual report", year=2020), Match()),
        (Reference(""), Match()),
        (Reference("Report"), Match()),
    ],
)
def test_an_entry_is_matched_asked_about_or_unknown(entry: Reference, match: Match) -> None:
    assert Matcher(KNOWN).match(entry) == match


# --- files in any state


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_chinese_libraries_are_read_in_their_encodings(encoding: str) -> None:
    text = "@article{k, title={基于深度学习的城市扩张研究}, author={张三 and 李四}, year=2020}"
    (entry,), _broken = read_references(text.encode(encoding))
    assert entry.title == "基于深度学习的城市扩张研究"


def test_latin_1_is_not_taken_for_chinese() -> None:
    text = "@article{k, title={Über das Wachstum der Dämme}, author={Müller, Jörg}, year=2020}"
    assert decoded(text.encode("cp1252")) == text


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ([("notes.txt", b"hello")], "no .bib or .ris"),
        ([("a.bib", DIKES.encode()), ("b.ris", b"TY  - JOUR")], "several library files"),
        ([("a.bib", b"just words")], "neither BibTeX nor RIS"),
        ([("a.bib", b"")], "neither BibTeX nor RIS"),
        ([("a.bib", b"\x00\x01\x02" * 99)], "not a text file"),
        ([("a.bib", b"@article{k, title={never closed")], "damaged"),
        ([("a.bib", b"@a{k, t={" + b"{" * 300_000)], "damaged"),
        ([("a.bib", b"@" * 300_000)], "neither BibTeX nor RIS"),
        ([("a.bib", b"x" * (20 * 1024 * 1024 + 1))], "larger than 20 MB"),
        ([("a.zip", b"PK\x03\x04 not really")], "zip is damaged"),
        ([("a.bib", b"@misc{k, title={x}}\n" * 5001)], "at most 5000"),
        ([("a.bib", b"@misc{k,title={x}}" * 500_000)], "at most 5000"),
        ([("a.bib", b"\n" * 1_000_000 + b"x")], "neither BibTeX nor RIS"),
        ([("a.ris", b"TY  - JOUR\nTI  - x\n" + b"more\n" * 1_000_000)], "damaged"),
    ],
)
def test_what_cannot_be_imported_is_refused_in_a_sentence(
    files: list[tuple[str, bytes]], sentence: str
) -> None:
    with pytest.raises(UnreadableLibraryError) as refusal:
        read_dropped([SimpleUploadedFile(name, content) for name, content in files])
    assert sentence.lower() in str(refusal.value).lower()


def test_a_zip_of_many_libraries_is_refused_before_any_is_unpacked() -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(30):
            archive.writestr(f"{number}.bib", b" " * (10 * 1024 * 1024))
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableLibraryError, match="several library files"):
            read_dropped([SimpleUploadedFile("a.zip", held.getvalue())])
        _now, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 8 * 1024 * 1024


@pytest.mark.parametrize("sign", ["%", "\\frac", "$\\a ", "{}"])
def test_an_endless_title_is_cut_before_it_is_decoded(sign: str) -> None:
    content = "@misc{k, title={The growth of dikes " + sign * 200_000 + "}}"
    entries, _broken = read_references(content.encode())
    assert len(entries) == 1
    assert entries[0].title.startswith("The growth of dikes")
    assert len(entries[0].title) <= LONGEST_FIELD


def test_broken_entries_of_a_ris_file_are_told_by_their_lines() -> None:
    endless = "TY  - JOUR\nTI  - x\n" + "more\n" * 6000
    whole = "TY  - JOUR\nTI  - The growth of dikes\nER  - \n"
    entries, broken = read_references((whole + endless + whole + endless).encode())
    assert ([entry.title for entry in entries], broken) == (
        ["The growth of dikes", "The growth of dikes"],
        ["4", "6009"],
    )


# --- into a project


@pytest.fixture
def paper(project: Project, pdf: Path) -> Document:
    document = new_version(project, pdf, title="x", text="x").document
    edit(document, {"title": "The growth of dikes in winter", "year": 2020})
    return document


@pytest.mark.django_db
def test_fields_of_a_paper_are_brought_up_to_date(
    project: Project, paper: Document, user: User
) -> None:
    entry = DIKES.replace("year=2020", "year=2020, journal={Journal of Dikes}, doi={10.1000/D}")
    report = _import(project, user, ("lib.bib", entry.encode()))
    paper.refresh_from_db()
    assert _statuses(report) == ["matched"]
    assert (paper.venue, paper.doi) == ("Journal of Dikes", "10.1000/d")
    assert paper.provenance["venue"] == "import"
    assert paper.provenance["title"] == "user"


@pytest.mark.django_db
def test_a_zip_of_a_zotero_export_adds_its_papers_once(
    project: Project, user: User, tmp_path: Path
) -> None:
    bib = "\n".join(
        f"@article{{k{n}, title={{Paper number {word}}}, year=2020,"
        f" file={{Full Text:files/{n}/Full Text.pdf:application/pdf}}}}"
        for n, word in ((1, "one of many"), (2, "two of the same"))
    )
    pdfs = {f"lib/files/{n}/Full Text.pdf": _pdf(tmp_path, f"p{n}") for n in (1, 2, 3)}
    report = _import(project, user, ("lib.zip", _zip({"lib/lib.bib": bib.encode(), **pdfs})))
    assert _statuses(report) == ["created", "created", "unmatched"]
    assert report.outcomes[2]["title"] == "Full Text.pdf"
    titles = set(Document.objects.filter(project=project).values_list("title", flat=True))
    assert titles == {"Paper number one of many", "Paper number two of the same"}
    again = _import(project, user, ("lib.zip", _zip({"lib/lib.bib": bib.encode(), **pdfs})))
    assert _statuses(again) == ["matched", "matched", "unmatched"]
    assert Document.objects.filter(project=project).count() == 2


@pytest.mark.django_db
def test_of_papers_that_are_called_alike_the_file_tells_which(
    project: Project, user: User, tmp_path: Path
) -> None:
    bib = "\n".join(
        f"@article{{k{n}, title={{Letters of the dike masters, part {n}}}, file={{:p{n}.pdf:PDF}}}}"
        for n in (1, 2)
    )
    files = [("a.bib", bib.encode()), *((f"p{n}.pdf", _pdf(tmp_path, f"p{n}")) for n in (1, 2))]
    assert _statuses(_import(project, user, *files)) == ["created", "created"]
    again = _import(project, user, *files)
    assert [(one["status"], one["by"]) for one in again.outcomes] == [("matched", "file")] * 2
    assert _statuses(_import(project, user, files[0])) == ["asked", "asked"]


@pytest.mark.django_db
def test_pdfs_may_come_beside_the_library(project: Project, user: User, tmp_path: Path) -> None:
    ris = b"TY  - JOUR\r\nTI  - Dams in spring\r\nL1  - C:\\me\\Dams.pdf\r\nER  - \r\n"
    report = _import(project, user, ("a.ris", ris), ("Dams.pdf", _pdf(tmp_path, "dams")))
    assert _statuses(report) == ["created"]
    assert Document.objects.get(project=project).title == "Dams in spring"


@pytest.mark.django_db
def test_nothing_comes_of_an_entry_without_a_reason(
    project: Project, user: User, tmp_path: Path
) -> None:
    bib = rb"""
    @article{a, title={A paper that nobody has here}}
    @article{b, title={A paper whose file stayed behind}, file={:gone.pdf:PDF}}
    @article{c, title={A paper that is no PDF at all}, file={:bad.pdf:PDF}}
    @article{d, title={An entry that never ends
    """
    report = _import(project, user, ("a.bib", bib), ("bad.pdf", b"<html>not found</html>"))
    reasons = [one["reason"] for one in report.outcomes]
    assert _statuses(report) == ["unmatched"] * 4
    assert "names no PDF" in reasons[0]
    assert "gone.pdf" in reasons[1]
    assert "PDF" in reasons[2]
    assert "can't be read" in reasons[3]
    assert not Document.objects.filter(project=project).exists()


@pytest.mark.django_db
def test_the_pdf_of_a_paper_that_has_one_is_said_not_to_be_added(
    project: Project, paper: Document, user: User, tmp_path: Path, client: Client
) -> None:
    entry = DIKES.replace("year=2020", "year=2020, file={:other.pdf:PDF}")
    report = _import(
        project, user, ("a.bib", entry.encode()), ("other.pdf", _pdf(tmp_path, "other"))
    )
    assert _statuses(report) == ["matched"]
    assert Document.objects.filter(project=project).count() == 1
    client.force_login(user)
    page = client.get(reverse("import_report", args=(project.slug, report.public_id)))
    assert "other.pdf was not added" in page.content.decode()


@pytest.mark.django_db
def test_two_entries_for_one_paper_are_not_both_believed(
    project: Project, paper: Document, user: User
) -> None:
    twice = DIKES + "\n" + DIKES.replace("{berg,", "{berg2,").replace("Ada", "Eve")
    report = _import(project, user, ("a.bib", twice.encode()))
    assert _statuses(report) == ["matched", "unmatched"]
    assert "same paper" in report.outcomes[1]["reason"]


@pytest.mark.django_db
def test_what_is_not_certain_is_asked_and_then_done(
    project: Project, paper: Document, user: User, client: Client
) -> None:
    near = DIKES.replace("dikes in winter", "dykes in winters").replace("2020}", "2020, volume=7}")
    report = _import(project, user, ("a.bib", near.encode()))
    assert _statuses(report) == ["asked"]
    assert "import" not in Document.objects.get(pk=paper.pk).said
    client.force_login(user)
    page = client.get(reverse("import_report", args=(project.slug, report.public_id)))
    assert f'name="entry-0" value="{paper.pk}"' in page.content.decode()
    settle_url = reverse("settle_import", args=(project.slug, report.public_id))
    assert client.post(settle_url, {"entry-0": str(paper.pk)}).status_code == 302
    paper.refresh_from_db()
    assert paper.said["import"]["authors"] == ["Ada Berg"]
    report.refresh_from_db()
    assert _statuses(report) == ["matched"]


@pytest.mark.django_db
def test_only_what_was_offered_can_be_chosen(
    project: Project, other_project: Project, paper: Document, user: User, tmp_path: Path
) -> None:
    other = new_version(other_project, make_pdf(tmp_path / "o.pdf", mark="o"), title="y", text="y")
    near = DIKES.replace("dikes in winter", "dykes in winters")
    report = _import(project, user, ("a.bib", near.encode()))
    settle(report, {0: other.document_id, 7: paper.pk})
    assert _statuses(report) == ["asked"]
    other.document.refresh_from_db()
    assert "import" not in other.document.said


@pytest.mark.django_db
def test_the_page_refuses_with_a_sentence_and_stores_nothing(
    project: Project, user: User, client: Client
) -> None:
    client.force_login(user)
    url = reverse("import_library", args=(project.slug,))
    for files in ([], [SimpleUploadedFile("a.bib", b"words")]):
        response = client.post(url, {"files": files})
        assert response.status_code == 422
        assert 'role="alert"' in response.content.decode()
    assert not LibraryImport.objects.exists()


@pytest.mark.django_db
def test_an_import_is_reported_on_its_own_page(
    project: Project, paper: Document, user: User, client: Client
) -> None:
    client.force_login(user)
    hostile = DIKES + "\n@misc{x, title={<script>alert(1)</script> and more}}"
    response = client.post(
        reverse("import_library", args=(project.slug,)),
        {"files": [SimpleUploadedFile("lib.bib", hostile.encode())]},
    )
    report = LibraryImport.objects.get()
    assert response["Location"] == reverse("import_report", args=(project.slug, report.public_id))
    assert "Waits for a free worker" in client.get(response["Location"]).content.decode()
    run(report.pk)
    page = client.get(response["Location"]).content.decode()
    assert "1 paper was here already" in page
    assert "Nothing came of 1 entry" in page
    assert "<script>alert(1)" not in page
    listed = client.get(reverse("import_library", args=(project.slug,))).content.decode()
    assert response["Location"] in listed


def _import(project: Project, user: User, *files: tuple[str, bytes]) -> LibraryImport:
    dropped = [SimpleUploadedFile(name, content) for name, content in files]
    report = begin(project, dropped, user=user)
    run(report.pk)
    report.refresh_from_db()
    return report


def _statuses(report: LibraryImport) -> Sequence[Any]:
    return [one["status"] for one in report.outcomes]


def _pdf(folder: Path, name: str) -> bytes:
    return make_pdf(folder / f"{name}.pdf", mark=name).read_bytes()


def _zip(members: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return content.getvalue()


@pytest.mark.django_db
def test_endless_fields_are_stored_as_far_as_the_form_of_a_paper_takes_them(
    project: Project, user: User, paper: Document
) -> None:
    names = " and ".join(["Berg, Ada " + "x" * 500] * 5000)
    library = f"@article{{b, title={{{paper.title}}}, year=2020, author={{{names}}}}}".encode()
    report = _import(project, user, ("a.bib", library))
    assert report.outcomes[0]["cut"] == ["authors"]
    paper.refresh_from_db()
    assert (len(paper.authors), max(map(len, paper.authors))) == (MOST_AUTHORS, AUTHOR_LENGTH)
    typed = QueryDict(mutable=True)
    for name, value in PaperForm(document=paper).initial.items():
        typed[name] = typed[f"initial-{name}"] = value
    assert PaperForm(typed, document=paper).is_valid()
