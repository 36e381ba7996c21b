"""Which documents are accepted as evidence: by content, not by name; pure."""

import re

from hundi.kernel.refusals import Refusal, RefusalCode

DOCUMENT_BYTES_MAX = 2 * 1024 * 1024
"""Bytes of one document: the networks take some megabytes in all."""
DOCUMENTS_MAX = 10
"""Documents for one phase of a dispute."""
NAME_MAX = 100
_PDF_END_WITHIN = 1024
_SHOWN = re.compile(r"[^\w .()-]")
_STARTS = {
    "application/pdf": re.compile(rb"%PDF-[12]\.[0-9]"),
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
}
_ENDS = {"image/png": b"IEND\xaeB`\x82", "image/jpeg": b"\xff\xd9"}


def media_type(content: bytes) -> str:
    """Return a document's type by its first and last bytes, "" for another type or a cut file."""
    for kind, start in _STARTS.items():
        if start.match(content):
            whole = (
                content.rstrip(b"\r\n\0 ").endswith(_ENDS[kind])
                if kind in _ENDS
                else _ends_as_pdf(content)
            )
            return kind if whole else ""
    return ""


def _ends_as_pdf(content: bytes) -> bool:
    return b"%%EOF" in content[-_PDF_END_WITHIN:]


def document_refusal(content: bytes, documents: int) -> Refusal | None:
    """Return why a document is not accepted, or None. documents: how many the phase has already."""
    if documents >= DOCUMENTS_MAX:
        return _no(f"{documents + 1} documents", f"at most {DOCUMENTS_MAX}")
    if len(content) > DOCUMENT_BYTES_MAX:
        return _no(f"{len(content)} bytes", f"at most {DOCUMENT_BYTES_MAX}")
    if not media_type(content):
        return _no("something else", "a whole PDF, PNG or JPEG")
    return None


def shown_name(name: str) -> str:
    """Return a document's name for display: the last part of a path, without odd characters."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return _SHOWN.sub("_", last).strip()[:NAME_MAX] or "document"


def _no(received: str, allowed: str) -> Refusal:
    return Refusal(RefusalCode.FIELD_INVALID, field="evidence", received=received, allowed=allowed)
