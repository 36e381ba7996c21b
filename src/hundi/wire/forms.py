"""URL-encoded fields, read in a time that grows with their size alone."""

from urllib.parse import unquote_to_bytes

ESCAPES_MAX = 12_288
"""Percent signs of one form: half as many again as Base64 of the longest body has."""


class Unreadable(ValueError):  # noqa: N818 (one word for one fact, shared by every reader of the wire)
    """The form has more than is read of one."""


def pairs(form: bytes, fields_max: int) -> list[tuple[str, str]]:
    """Return names and values in the order sent. Raises Unreadable, with a sentence for the sender.

    Text is UTF-8, a declared charset changes nothing, and a wrong byte damages itself. Of bytes and not of text, as
    `urllib.parse.parse_qsl` would: that takes text apart at every character that is not ASCII.
    """
    if form.count(b"&") >= fields_max:
        message = f"more than {fields_max} form fields"
        raise Unreadable(message)
    if form.count(b"%") > ESCAPES_MAX:
        message = f"more than {ESCAPES_MAX} percent signs: send as they are the characters that can be"
        raise Unreadable(message)
    fields = (field.partition(b"=") for field in form.split(b"&") if field)
    return [(_text(name), _text(value)) for name, _, value in fields]


def _text(sent: bytes) -> str:
    return unquote_to_bytes(sent.replace(b"+", b" ")).decode("utf-8", "replace")
