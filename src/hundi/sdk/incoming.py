"""How values are taken out of the gateway's replies."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from hundi.sdk.errors import UnreadableReplyError
from hundi.wire import fields as wire_fields
from hundi.wire.strict_json import JsonValue

Record = Mapping[str, JsonValue]


def data(envelope: Record, operation: str) -> Record:
    """Return the object in `data`. Raises UnreadableReplyError for anything else."""
    found = envelope.get("data")
    if not isinstance(found, Mapping):
        message = f"the reply to {operation} holds no object"
        raise UnreadableReplyError(message)
    return found


def records(value: JsonValue, operation: str) -> Sequence[Record]:
    """Return a list of objects. Raises UnreadableReplyError for anything else."""
    listed = value if isinstance(value, list) else [None]
    found = [each for each in listed if isinstance(each, Mapping)]
    if len(found) != len(listed):
        message = f"the reply to {operation} holds no list of objects"
        raise UnreadableReplyError(message)
    return found


def text(record: Record, name: str) -> str:
    """Return a text or number as text; "" where there is none."""
    value = record.get(name)
    return "" if value is None else str(value)


def demanded(record: Record, name: str) -> str:
    """Return a text that must not be empty. Raises UnreadableReplyError."""
    found = text(record, name)
    if not found:
        message = f"a reply holds no {name}"
        raise UnreadableReplyError(message)
    return found


def paise(written: str, name: str) -> int:
    """Return whole paise; a zero is an amount here. Raises UnreadableReplyError."""
    try:
        return wire_fields.paise_from_text(written) if written.strip("0.") else 0
    except ValueError as error:
        message = f"{name} of a reply is no amount: {written[:32]!r}"
        raise UnreadableReplyError(message) from error


def whole(record: Record, name: str) -> int:
    """Return a whole number that is not below zero. Raises UnreadableReplyError."""
    found = demanded(record, name)
    if not found.isdecimal():
        message = f"{name} of a reply is no whole number: {found[:32]!r}"
        raise UnreadableReplyError(message)
    return int(found)


def day(record: Record, name: str) -> date | None:
    """Return a day written as ISO 8601, or None. Raises UnreadableReplyError."""
    found = text(record, name)
    if not found:
        return None
    try:
        return date.fromisoformat(found)
    except ValueError as error:
        message = f"{name} of a reply is no day: {found[:32]!r}"
        raise UnreadableReplyError(message) from error


def moment(written: str, name: str) -> datetime | None:
    """Return a time written as ISO 8601 with an offset, or None. Raises UnreadableReplyError."""
    if not written:
        return None
    try:
        found = datetime.fromisoformat(written)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        message = f"{name} of a reply is no time: {written[:32]!r}"
        raise UnreadableReplyError(message)
    return found
