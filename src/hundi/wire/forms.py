"""URL-encoded fields, read in linear time."""

import re

ESCAPES_MAX = 12_288
"""The most escaped places of one form, each of any length.

Half as many again as Base64 of the longest body has.
"""
_ESCAPES = re.compile(rb"(?:%[0-9A-Fa-f]{2})++")
_SINGLE = {
    f"%{digits}".encode(): bytes((code,))
    for code in range(256)
    for digits in {f"{code:02x}", f"{code:02X}"}
}


class UnreadableForm(ValueError):  # noqa: N818 (one word for one fact, shared by every reader of the wire)
    """The form exceeds a limit."""


def pairs(form: bytes, fields_max: int) -> list[tuple[str, str]]:
    """Return names and values in the order sent.

    Raises UnreadableForm, with a sentence for the sender. Text is UTF-8, a declared charset changes
    nothing, and a wrong byte damages only itself. It reads bytes, because `urllib.parse.parse_qsl`
    splits text at every character that is not ASCII.
    """
    if form.count(b"&") >= fields_max:
        message = f"more than {fields_max} form fields"
        raise UnreadableForm(message)
    left, found = ESCAPES_MAX, list[tuple[str, str]]()
    is_short = form.count(b"%") <= ESCAPES_MAX
    if b"%" not in form:
        for field in form.replace(b"+", b" ").decode("utf-8", "replace").split("&"):
            name, _, value = field.partition("=")
            if field:
                found.append((name, value))
        return found
    for field in form.split(b"&"):
        name, _, value = field.partition(b"=")
        name, value = name.replace(b"+", b" "), value.replace(b"+", b" ")
        if is_short and b"%" in value:
            # Nearly all that Base64 needs escaped; none of these can make another escape.
            value = value.replace(b"%2B", b"+").replace(b"%2F", b"/").replace(b"%3D", b"=")
        if b"%" in name or b"%" in value:
            name, in_name = _ESCAPES.subn(_unescaped, name, left + 1)
            value, in_value = _ESCAPES.subn(_unescaped, value, left + 1)
            left -= in_name + in_value
            if left < 0:
                message = (
                    f"more than {ESCAPES_MAX} escaped places: send as they are the "
                    "characters that can be"
                )
                raise UnreadableForm(message)
        if field:
            found.append((name.decode("utf-8", "replace"), value.decode("utf-8", "replace")))
    return found


def _unescaped(escapes: re.Match[bytes]) -> bytes:
    sent = escapes[0]
    return _SINGLE.get(sent) or bytes.fromhex(sent.replace(b"%", b"").decode("ascii"))
