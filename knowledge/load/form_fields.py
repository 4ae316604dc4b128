"""What somebody filled in: the values of form fields are no part of a page's text."""

import ctypes
import logging
from collections.abc import Callable, Iterator

import pypdfium2 as pdfium
import pypdfium2.raw as raw

MAX_FIELDS = 2_000
"""Of one page."""

_WITH_TEXT = (
    raw.FPDF_FORMFIELD_TEXTFIELD,
    raw.FPDF_FORMFIELD_COMBOBOX,
    raw.FPDF_FORMFIELD_LISTBOX,
)
_IS_PASSWORD = 1 << 13
"""ISO 32000-1, table 228."""

# It warns that XFA forms are not shown, which nobody can change here.
logging.getLogger("pypdfium2").setLevel(logging.ERROR)


def filled_fields(page: pdfium.PdfPage) -> Iterator[str]:
    """`label: value` of each text field, list and choice with a value; the label is what a screen
    reader says, or the field's name. Needs `PdfDocument.init_forms` before the page is loaded."""
    form = page.formenv
    if form is None:
        return
    for at in range(min(raw.FPDFPage_GetAnnotCount(page), MAX_FIELDS)):
        annotation = raw.FPDFPage_GetAnnot(page, at)
        try:
            if raw.FPDFAnnot_GetFormFieldType(form, annotation) not in _WITH_TEXT:
                continue
            if raw.FPDFAnnot_GetFormFieldFlags(form, annotation) & _IS_PASSWORD:
                continue
            value = _string(raw.FPDFAnnot_GetFormFieldValue, form, annotation)
            if value.strip():
                label = _string(raw.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
                label = label or _string(raw.FPDFAnnot_GetFormFieldName, form, annotation)
                yield f"{label}: {value}" if label else value
        finally:
            raw.FPDFPage_CloseAnnot(annotation)


def _string(get: Callable[..., int], form: object, annotation: object) -> str:
    size = get(form, annotation, None, 0)  # in bytes, with two of a NUL
    buffer = (ctypes.c_ushort * (size // 2))()
    get(form, annotation, buffer, size)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")
