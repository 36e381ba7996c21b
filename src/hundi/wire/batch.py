"""A batch: an array of messages in Base64; each is read on its own."""

import base64
from dataclasses import dataclass

import msgspec

from hundi.wire import strict_json
from hundi.wire.fields import FieldError
from hundi.wire.kinds import SCHEMAS
from hundi.wire.message import read_request, write_request
from hundi.wire.parts import FieldKind, Message, Schema
from hundi.wire.strict_json import JsonValue

_ITEM_VALUES_MAX = 8
"""Average number of values per item, itself counted.

An item has three of its own, and some clients send more.
"""
# Some base64 writers break lines; some senders turn + into a space.
_REPAIRS = str.maketrans({" ": "+", "\r": None, "\n": None})


@dataclass(frozen=True, slots=True)
class Unread:
    """An unreadable item. sent: its text. problem: why."""

    sent: JsonValue
    problem: FieldError


def batch(
    inside: type[Message], items_max: int, meaning: str, like: str
) -> FieldKind[tuple[Message | Unread, ...]]:
    """Return the kind of a batch; a bad item carries its own problem.

    like: an example of one, as JSON.
    """
    array = f"Base64 of a JSON array like [{like}]"
    wanted = f"an object with {' and '.join(msgspec.json.decode(like))}"

    def read(encoded: str, name: str) -> tuple[Message | Unread, ...]:
        listed = _listed(encoded, name, array, items_max)
        if not 1 <= len(listed) <= items_max:
            raise FieldError(name, f"{len(listed)} items", f"1 to {items_max} items")
        return tuple(_item(inside, each, name, wanted) for each in listed)

    return FieldKind(read, _written, _schema(inside, items_max, meaning), inside=inside)


def _schema(inside: type[Message], items_max: int, meaning: str) -> Schema:
    items = {
        "type": "array",
        "items": {"$ref": SCHEMAS + inside.__name__},
        "minItems": 1,
        "maxItems": items_max,
    }
    return {
        "type": "string",
        "description": meaning,
        "contentEncoding": "base64",
        "contentMediaType": "application/json",
        "contentSchema": items,
    }


def _written(items: tuple[Message | Unread, ...], _: str) -> JsonValue:
    sent = [each.sent if isinstance(each, Unread) else write_request(each) for each in items]
    return base64.b64encode(msgspec.json.encode(sent)).decode()


def _item(inside: type[Message], sent: JsonValue, name: str, wanted: str) -> Message | Unread:
    if not isinstance(sent, dict):
        return Unread(sent, FieldError(name, strict_json.compact(sent), wanted))
    try:
        return read_request(inside, sent)
    except FieldError as problem:
        return Unread(sent, problem)


def _listed(encoded: str, name: str, array: str, items_max: int) -> list[JsonValue]:
    packed = encoded.translate(_REPAIRS).rstrip("=")
    try:
        raw = base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True)
    except ValueError:
        raise FieldError(name, encoded, f"{array}; this is not Base64") from None
    try:
        return strict_json.parse_array(raw, items_max * _ITEM_VALUES_MAX)
    except strict_json.UnreadableJson as error:
        shown = raw.decode("utf-8", "backslashreplace")
        raise FieldError(name, shown, f"{array}; the text inside is not one: {error}") from None
