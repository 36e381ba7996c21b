"""The kinds of fields in messages: how each is read and written, and its bounds as JSON Schema.

Kinds of requests are strict; kinds of replies accept what a later gateway may add to a field.
"""

import base64
import binascii
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from typing import Any

from hundi.wire import fields
from hundi.wire.fields import FieldError
from hundi.wire.parts import FieldKind, Message, Schema, Value
from hundi.wire.strict_json import JsonValue

SCHEMAS = "#/components/schemas/"
INDIA = timezone(timedelta(hours=5, minutes=30))
# Line and direction controls, which fields refuse; a dot leaves out the rest.
NO_CONTROLS = r"^[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]*$"
_DECIMAL = r"^(?!0{1,10}(\.0{1,2})?$)[0-9]{1,10}(\.[0-9]{1,2})?$"
DIGITS = r"^[0-9]{1,20}$"
_TEXT: Schema = {"type": "string"}


def _same(value: str, _: str) -> JsonValue:
    return value


def written(
    read: Callable[[str, str], str], meaning: str, pattern: str, *examples: str
) -> FieldKind[str]:
    """Return the kind of a text that matches a pattern."""
    schema = {
        "type": "string",
        "description": meaning,
        "pattern": pattern,
        "examples": list(examples),
    }
    return FieldKind(read, _same, schema)


def matching(pattern: str, allowed: str, *examples: str) -> FieldKind[str]:
    """Return the kind of a text that only a pattern describes.

    allowed: the pattern in words.
    """
    compiled = re.compile(pattern + r"\Z")

    def read(text: str, name: str) -> str:
        if not compiled.match(text):
            raise FieldError(name, text, allowed)
        return text

    return written(read, allowed, f"^{pattern}$", *examples)


def text(length_max: int = fields.TEXT_MAX, length_min: int = 0) -> FieldKind[str]:
    """Return the kind of a text without control characters, kept unchanged."""
    return FieldKind(
        lambda sent, name: fields.free_text(sent, name, length_max),
        _same,
        _free(length_max, length_min),
    )


def words(length_max: int = fields.TEXT_MAX) -> FieldKind[str]:
    """Return the kind of people's text, without the card and Aadhaar numbers in it."""
    return FieldKind(
        lambda sent, name: fields.words(sent, name, length_max), _same, _free(length_max, 0)
    )


def _free(length_max: int, length_min: int) -> Schema:
    bounds = {"minLength": length_min, "maxLength": length_max, "pattern": NO_CONTROLS}
    return {"type": "string", "description": "Any script", **bounds}


def one_of(*allowed: str) -> FieldKind[Any]:
    """Return the kind of one of some words."""
    schema = {"type": "string", "description": "", "enum": list(allowed)}
    return FieldKind(lambda sent, name: fields.one_of(sent, name, allowed), _same, schema)


def count(highest: int, lowest: int, pattern: str, example: str) -> FieldKind[int]:
    """Return the kind of a whole number, which travels as text."""
    schema = {"type": "string", "description": "", "pattern": pattern, "examples": [example]}
    return FieldKind(
        lambda sent, name: fields.count(sent, name, highest, lowest),
        lambda number, _: str(number),
        schema,
        numbers=(lowest, highest),
    )


def described(kind: FieldKind[Value], meaning: str) -> FieldKind[Value]:
    """Return a kind with another meaning."""
    return kind.bounded(description=meaning)


def digits(meaning: str, example: str) -> FieldKind[str]:
    """Return the kind of the gateway's number of something."""
    return written(fields.digits, meaning, DIGITS, example)


def document(bytes_max: int, types: str) -> FieldKind[bytes]:
    """Return the kind of a file, which travels in base64; a refused one is not repeated.

    types: the accepted files, in words.
    """
    characters_max = 4 * -(-bytes_max // 3)

    def read(text: str, name: str) -> bytes:
        if len(text) > characters_max:
            raise FieldError(name, "", f"base64 of at most {bytes_max} bytes")
        try:
            return base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise FieldError(name, "", f"base64 of {types}") from None

    schema = {"type": "string", "pattern": "^([A-Za-z0-9+/]{4})+$", "x-max-length": characters_max}
    return FieldKind(read, lambda content, _: base64.b64encode(content).decode(), schema)


def objects(inside: type[Message]) -> FieldKind[tuple[Message, ...]]:
    """Return the kind of an array of messages."""
    schema = {"type": "array", "items": {"$ref": SCHEMAS + inside.__name__}}
    return FieldKind(_array, _never, schema, "objects", inside)


def spread(inside: type[Message]) -> FieldKind[Any]:
    """Return the kind of a message whose fields are among the outer message's fields."""
    return FieldKind(_never, _never, {}, "spread", inside)


def _array(value: object, name: str) -> Any:  # noqa: ANN401 (its items are read by `message`)
    if not isinstance(value, list):
        raise FieldError(name, type(value).__name__, "an array of objects")
    return value  # pyright: ignore[reportUnknownVariableType]


def _never(value: object, name: str) -> Any:  # noqa: ANN401
    raise AssertionError(name, value)


def _write_amount(paise: int, name: str) -> JsonValue:
    if type(paise) is not int or paise <= 0:
        raise FieldError(name, repr(paise), "whole paise above zero, an int")
    return fields.text_from_paise(paise)


AMOUNT = FieldKind(
    fields.paise_from_text,
    _write_amount,
    {
        "type": "string",
        "description": "Decimal above zero, at most two places, in the currency's units",
        "pattern": _DECIMAL,
        "examples": ["1499.50", "1"],
    },
    numbers=(1, fields.PAISE_MAX),
)
"""Paise above zero, as rupees with two places at most."""
AMOUNT_OR_ALL = FieldKind(
    AMOUNT.read, AMOUNT.write, AMOUNT.schema, reads_empty=True, numbers=AMOUNT.numbers
)
"""The same, where a missing one means all; an empty text is refused as a probable mistake."""
ORDER_ID = written(
    fields.order_id,
    "The merchant's own order id, unique for each merchant",
    r"^[A-Za-z0-9_.-]{1,64}$",
    "ORD-1001",
)
TRANSACTION_ID = digits("The gateway's transaction id", "215000000000001")
EMAIL = written(
    fields.email,
    "At most 254 characters",
    r"^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,60}\.[a-z]{2,20}$",
    "asha@example.in",
)
PHONE = written(
    fields.phone,
    "8 to 15 digits; + - ( ) and spaces may stand between them",
    r"^\+?[0-9]{8,15}$",
    "+919876543210",
)
CUSTOMER = written(
    lambda text, _: fields.customer(text),
    "The merchant's own name of its customer",
    r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,254}$",
    "asha-7",
)
SAVED_CARD = described(text(length_min=1), "A saved card, as the record and the list name it")
RRN = described(text(fields.RRN_MAX), "The bank's retrieval reference number")
CHANNEL_CODES = fields.CHANNELS
_CHANNEL = "|".join(sorted(CHANNEL_CODES))
CHANNELS = FieldKind(
    fields.channels,
    lambda codes, _: "_".join(codes),
    {
        "type": "string",
        "description": "Channel codes joined by _",
        "pattern": f"^({_CHANNEL})(_({_CHANNEL})){{0,3}}$",
        "examples": ["upi_pg"],
    },
)
"""Codes of `chmod`, each once; none for all."""
SHOP = written(
    fields.free_text,
    "Base64 of the origin of the merchant's site",
    r"^[A-Za-z0-9+/]*={0,2}$",
    "aHR0cHM6Ly9zaG9wLmV4YW1wbGU=",
)
"""`mer_dom` as it was sent; `fields.origin` reads it. The SDK fills it in."""
VPA = written(
    lambda text, name: fields.vpa(text.strip(), name).lower(),
    "A UPI address",
    r"^[A-Za-z0-9][A-Za-z0-9._-]{1,180}@[A-Za-z][A-Za-z0-9]{1,63}$",
    "asha@okaxis",
)
"""Without outer spaces and in lower case, as addresses are compared."""


# Kinds of replies.


def _named(value: str, name: str) -> str:
    if not value:
        raise FieldError(name, "", "a value")
    return value


def _read_paise(value: str, name: str) -> int:
    return fields.paise_from_text(value, name) if value.strip("0.") or not value else 0


def _read_signed(value: str, name: str) -> int:
    return -_read_paise(value[1:], name) if value.startswith("-") else _read_paise(value, name)


def _read_moment(value: str, name: str) -> datetime | None:
    if not value:
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise FieldError(name, value, "a time with its offset, ISO 8601")
    return found


def _write_moment(value: datetime | None, _: str) -> JsonValue:
    return value.astimezone(INDIA).isoformat(timespec="seconds") if value else ""


def _read_day(value: str, name: str) -> date | None:
    try:
        return date.fromisoformat(value) if value else None
    except ValueError:
        raise FieldError(name, value, "a day, ISO 8601") from None


def _read_whole(value: str, name: str) -> int:
    if not value.isdecimal():
        raise FieldError(name, value, "a whole number that is not below zero")
    return int(value)


def _read_limit(value: str, name: str) -> int | None:
    return _read_paise(value, name) if value else None


def _write_limit(paise: int | None, _: str) -> JsonValue:
    return "" if paise is None else fields.text_from_paise(paise)


def _read_texts(value: object, name: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise FieldError(name, type(value).__name__, "an array of texts")
    return tuple(map(str, value))  # pyright: ignore[reportUnknownArgumentType]


NAME = FieldKind(_named, _same, _TEXT)
"""A text that is always there."""
WORDS = FieldKind(lambda value, _: value, _same, _TEXT)
"""A text that may be empty."""
MONEY = FieldKind(_read_paise, lambda paise, _: fields.text_from_paise(paise), _TEXT)
"""Paise, zero included, as rupees with two places."""
BALANCE = FieldKind(_read_signed, lambda paise, _: fields.signed_text_from_paise(paise), _TEXT)
"""Paise that may be below zero."""
MONEY_OR_NONE = FieldKind(
    lambda value, name: _read_paise(value, name) if value else 0,
    lambda paise, _: fields.text_from_paise(paise) if paise else "",
    _TEXT,
)
"""Paise; 0 is the empty text."""
MOMENT = FieldKind(_read_moment, _write_moment, _TEXT)
"""A time in India with its offset; None is the empty text."""
DAY = FieldKind(_read_day, lambda value, _: value.isoformat() if value else "", _TEXT)
"""A day; None is the empty text."""
WHOLE = FieldKind(_read_whole, lambda number, _: number, {"type": "integer"})
"""A whole number, not below zero, which travels as a number."""
LIMIT = FieldKind(_read_limit, _write_limit, _TEXT)
"""Paise; None, no limit, is the empty text."""
NUMBER = FieldKind(
    lambda value, _: "" if value == "0" else value,
    lambda digits, _: int(digits or 0),
    {"type": "integer"},
)
"""The gateway's number of something, which travels as a number: "" is 0."""
YES_OR_NO = FieldKind(
    lambda value, name: _named(value, name).lower() == "true",
    lambda yes, _: "true" if yes else "false",
    _TEXT,
)
"""True or false, as these words."""
TEXTS = FieldKind(
    _read_texts, lambda texts, _: list(texts), {"type": "array", "items": _TEXT}, "raw"
)
"""An array of texts."""
FLAG = FieldKind(lambda value, _: value is True, lambda flag, _: flag, {"type": "boolean"}, "raw")
"""True or false; a missing one is false."""


def whole_or_none(none: int) -> FieldKind[int | None]:
    """Return the kind of a whole number that is None where the wire has a certain number."""

    def read(value: str, name: str) -> int | None:
        found = _read_whole(value, name)
        return None if found == none else found

    return FieldKind(
        read, lambda number, _: none if number is None else number, {"type": "integer"}
    )
