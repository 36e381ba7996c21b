"""Multipart forms, by which acquirers take documents; pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID, uuid5

from hundi.acquirers.port.disputes import EvidenceFile

_SUFFIX = {"application/pdf": "pdf", "image/png": "png", "image/jpeg": "jpg"}
_BOUNDARIES = UUID("5c3f0a64-6f55-4d0c-8a55-0d8a3d1b7c11")


@dataclass(frozen=True, slots=True)
class MultipartBody:
    """A body of several parts, and its content type."""

    content_type: str
    body: bytes


def file_name(evidence: EvidenceFile) -> str:
    """Return a document's file name at the acquirer: our reference, with the ending of its type."""
    return f"{evidence.reference}.{_SUFFIX.get(evidence.media_type, 'bin')}"


def form_of(evidence: EvidenceFile, fields: Mapping[str, str]) -> MultipartBody:
    """Return a form of fields and, in `file`, a document.

    Its boundary is made of our reference, and is in no part.
    """
    values = "\r\n".join(fields.values()).encode()
    boundary = f"hundi-{uuid5(_BOUNDARIES, evidence.reference).hex}"
    while boundary.encode() in evidence.content or boundary.encode() in values:
        boundary += "x"
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    ]
    head = (
        f'{"".join(parts)}--{boundary}\r\nContent-Disposition: form-data; name="file"; '
        f'filename="{file_name(evidence)}"\r\nContent-Type: {evidence.media_type}\r\n\r\n'
    )
    body = head.encode() + evidence.content + f"\r\n--{boundary}--\r\n".encode()
    return MultipartBody(f"multipart/form-data; boundary={boundary}", body)
