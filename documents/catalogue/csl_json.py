"""CSL-JSON, as citation processors and reference managers take it. Pure."""

import json
from collections.abc import Iterable
from typing import Any

from documents.catalogue.references import Person, Reference


def write_csl_json(references: Iterable[Reference]) -> str:
    return json.dumps([_item(one) for one in references], ensure_ascii=False, indent=2) + "\n"


def _item(reference: Reference) -> dict[str, Any]:
    item = {
        "id": reference.key,
        "type": reference.kind,
        "title": reference.title,
        "author": [_name(person) for person in reference.people],
        "issued": {"date-parts": [[reference.year]]} if reference.year else None,
        "container-title": reference.venue,
        "volume": reference.volume,
        "issue": reference.issue,
        "page": reference.pages,
        "publisher": reference.publisher,
        "DOI": reference.doi,
        "URL": f"https://arxiv.org/abs/{reference.arxiv_id}" if reference.arxiv_id else "",
        "language": reference.language,
    }
    return {name: value for name, value in item.items() if value}


def _name(person: Person) -> dict[str, str]:
    if not person.given:
        return {"literal": person.family}
    return {"family": person.family, "given": person.given}
