"""Documents that people give: their type by content, not by name, and the name that is shown."""

import re

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


def shown_name(name: str) -> str:
    """Return a document's name for display: the last part of a path, without odd characters."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return _SHOWN.sub("_", last).strip(" .")[:NAME_MAX] or "document"
