"""Read fields of a decrypted `encdata`.

Numbers as their text, null as absent, older names resolved.
"""

from collections.abc import Mapping

from hundi.wire import fields
from hundi.wire.fields import FieldError
from hundi.wire.strict_json import JsonValue

Values = Mapping[str, JsonValue]

_OF_THE_PAGE = "buyer"
_OF_A_REPLY = ("response_code", "status_code", "transaction_status", "ap_SecureHash")


def text(values: Values, name: str, *aliases: str) -> str:
    """Return the first text that is not empty among a field and its aliases.

    "" for absent and null.
    """
    for spelling in (name, *aliases):
        value = values.get(spelling)
        if isinstance(value, str):
            if value:
                return str(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        elif value is not None:
            raise FieldError(name, type(value).__name__, "text or a number")
    return ""


def words(values: Values, name: str, *aliases: str, length_max: int = fields.TEXT_MAX) -> str:
    """Return free text that people write, without card and Aadhaar numbers; "" for absent."""
    return fields.words(text(values, name, *aliases), name, length_max)


def required(values: Values, name: str, *aliases: str) -> str:
    """Return the text of a field that must not be empty. Raises FieldError."""
    found = text(values, name, *aliases)
    if not found:
        raise FieldError(name, "", "a value: this field is required")
    return found


def free(values: Values, name: str, *aliases: str, length_max: int = fields.TEXT_MAX) -> str:
    """Return an optional text of any script within its length. Raises FieldError."""
    return fields.free_text(text(values, name, *aliases), name, length_max)


def refuse_reply(values: Values) -> None:
    """Raise FieldError for a message that the gateway itself encrypted.

    A reply, return or notification.

    They are sealed with the same key as requests, and a return leg passes through the customer's
    browser: sent back as a request it must open nothing. See docs/spec/wire.md#page-messages.
    """
    for name in _OF_A_REPLY:
        if name in values:
            raise FieldError(name, "a field of a reply", "the fields of a request")


def refuse_page_fields(values: Values, allowed: str) -> None:
    """Raise FieldError for a payload with a buyer field: it was made for the customer's browser.

    The cipher cannot tell who made a message, so one that was made for the payment page must open
    nothing else. allowed: the operation's own fields, for the error. See
    docs/spec/wire.md#page-messages.
    """
    for sent in values:
        if sent.lower().startswith(_OF_THE_PAGE):
            raise FieldError(sent, "a field of the payment page", f"only {allowed}")
