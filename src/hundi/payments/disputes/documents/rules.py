"""Which documents are accepted as evidence: by content, not by name; pure."""

from hundi.kernel.refusals import Refusal, RefusalCode

DOCUMENT_BYTES_MAX = 2 * 1024 * 1024
"""Bytes of one document: the networks take some megabytes in all."""
DOCUMENTS_MAX = 10
"""Documents for one phase of a dispute."""


def size_refusal(content: bytes) -> Refusal | None:
    """Return why a document is too large, or None."""
    if len(content) > DOCUMENT_BYTES_MAX:
        return _no(f"{len(content)} bytes", f"at most {DOCUMENT_BYTES_MAX}")
    return None


def document_refusal(fault: str, documents: int) -> Refusal | None:
    """Return why a document is not accepted, or None.

    fault: what was found when it was opened. documents: how many the phase has already.
    """
    if documents >= DOCUMENTS_MAX:
        return _no(f"{documents + 1} documents", f"at most {DOCUMENTS_MAX}")
    return _no(fault, "a whole PDF, PNG or JPEG, and nothing else") if fault else None


def _no(received: str, allowed: str) -> Refusal:
    return Refusal(RefusalCode.FIELD_INVALID, field="evidence", received=received, allowed=allowed)
