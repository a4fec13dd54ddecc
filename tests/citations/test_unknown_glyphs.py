"""A font may give its minus any code, or none: the number behind it is never found without it."""

from pathlib import Path

import pytest

from citations.file_locating import locate_in_file

WORDS = "The mean change in the treated group was -0.3 points lower than before the trial."

PAGE = (
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R"
    "/Resources<</Font<</F1 5 0 R>>>>>>"
)


def pdf_with_minus_as(code: str) -> bytes:
    """A page of Helvetica whose ToUnicode map sends its hyphen to `code`."""
    to_unicode = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def"
        " 1 begincodespacerange <00><ff> endcodespacerange"
        f" 1 beginbfchar <2d> <{code}> endbfchar"
        " 2 beginbfrange <20> <2c> <0020> <2e> <7e> <002e> endbfrange"
        " endcmap end end"
    )
    content = f"BT /F1 12 Tf 72 700 Td ({WORDS}) Tj ET"
    parts = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        PAGE,
        f"<</Length {len(content)}>>stream\n{content}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode 6 0 R>>",
        f"<</Length {len(to_unicode)}>>stream\n{to_unicode}\nendstream",
    ]
    out, offsets = "%PDF-1.4\n", []
    for number, part in enumerate(parts, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{part}\nendobj\n"
    start = len(out)
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    out += (
        f"xref\n0 {len(parts) + 1}\n0000000000 65535 f \n{table}"
        f"trailer<</Size {len(parts) + 1}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF"
    )
    return out.encode("latin-1")


@pytest.mark.parametrize("code", ["FFFD", "E031", "200B", "2212", "002D", "F02D", "0002", "00AD"])
def test_a_number_is_never_found_without_the_sign_that_the_page_shows(
    tmp_path: Path, code: str
) -> None:
    path = tmp_path / "minus.pdf"
    path.write_bytes(pdf_with_minus_as(code))
    assert locate_in_file(path, "0.3 points lower than before the trial").status == "not_found"
    assert locate_in_file(path, "was 0.3 points lower than").status == "not_found"
    assert locate_in_file(path, "points lower than before the trial").status == "matched"
