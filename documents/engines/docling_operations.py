"""Tables as Docling sees them. Runs in its own child process only, which never goes online."""

import os
from collections.abc import Callable
from functools import lru_cache
from typing import Any

# Said before the library is loaded: weights come from the given folder or not at all.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"

from docling.datamodel.base_models import ConversionStatus, InputFormat
from docling.datamodel.pipeline_options import PdfPipelineOptions
from docling.document_converter import DocumentConverter, PdfFormatOption

Answer = tuple[dict[str, Any], bytes]

READ = (ConversionStatus.SUCCESS, ConversionStatus.PARTIAL_SUCCESS)


def docling_tables(path: str, number: int, artifacts: str) -> Answer:
    """The tables of page `number` in the shape of a DoclingDocument: `pages` and `tables`.

    `artifacts` is the folder that `docling-tools models download` filled.
    """
    result = _converter(artifacts).convert(path, page_range=(number, number), raises_on_error=False)
    if result.status not in READ:
        reasons = "; ".join(error.error_message for error in result.errors)
        raise ValueError(reasons or f"conversion ended as {result.status}")
    document = result.document.export_to_dict()
    return {"pages": document["pages"], "tables": document["tables"]}, b""


def load_docling(artifacts: str) -> Answer:
    """Load the models, so that missing or broken weights are known before any page is read."""
    _converter(artifacts).initialize_pipeline(InputFormat.PDF)
    return {"loaded": True}, b""


@lru_cache(maxsize=1)
def _converter(artifacts: str) -> DocumentConverter:
    options = PdfPipelineOptions(artifacts_path=artifacts, do_ocr=False, do_table_structure=True)
    # The text of a cell is that of the PDF, not what a model makes of its picture.
    options.table_structure_options.do_cell_matching = True
    options.enable_remote_services = False
    return DocumentConverter(
        allowed_formats=[InputFormat.PDF],
        format_options={InputFormat.PDF: PdfFormatOption(pipeline_options=options)},
    )


OPERATIONS: dict[str, Callable[..., Answer]] = {
    "docling_tables": docling_tables,
    "load_docling": load_docling,
}
