"""The plain form of a message: its fields by the names that our code has for them, as JSON.

Amounts are whole paise, times are RFC 3339, truth is true or false, a message in a message is an
object. Bounds and refusals are those of the field's kind, as in every other form.
"""

import base64
import re
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from datetime import UTC, date, datetime
from functools import cache
from inspect import cleandoc
from types import UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from hundi.wire import kinds
from hundi.wire.fields import FieldError
from hundi.wire.kinds import SCHEMAS
from hundi.wire.message import bounds_of
from hundi.wire.parts import Declared, Message, Part, Schema, item_name, parts
from hundi.wire.strict_json import JsonNumber, JsonValue, compact

_WHOLE = re.compile(r"-?[0-9]{1,15}\Z")


def shown_parts(declared: type[Declared]) -> Iterator[Part]:
    """Yield the fields that the plain form has."""
    return (part for part in parts(declared) if not part.unused and part.kind is not kinds.SHOP)


def read_plain(declared: type[Message], values: Mapping[str, JsonValue]) -> Message:
    """Return a request from its plain form. Raises FieldError, for an unknown field as well."""
    shown = {part.attribute: part for part in shown_parts(declared)}
    for name in values:
        if name not in shown:
            raise FieldError(name, "an unknown field", f"only {', '.join(shown) or 'no field'}")
    bounds = bounds_of(declared)
    named = [part.attribute for part in shown.values() if part.name in bounds.at_least_one]
    if named and all(values.get(name) in {None, ""} for name in named):
        raise FieldError(named[0], "", f"at least one of {', '.join(named)}")
    asked = declared(**{name: _read(declared, part, values) for name, part in shown.items()})
    if bounds.check is not None:
        bounds.check(asked)
    return asked


def _read(declared: type[Declared], part: Part, values: Mapping[str, JsonValue]) -> Any:  # noqa: ANN401 (of its kind)
    name, kind, value = part.attribute, part.kind, values.get(part.attribute)
    if value is None or (value == "" and not part.is_required):
        if part.is_required:
            raise FieldError(name, "", kind.absent)
        return part.default
    hint = _bare(_hints(declared)[name])
    if kind.inside is not None and kind.shape in {"object", "objects", "spread"}:
        read = _objects if kind.shape == "objects" else _inside
        return read(kind.inside, part, value)
    if hint is int:
        return _whole(part, value)
    if hint is bool:
        if not isinstance(value, bool):
            raise FieldError(name, compact(value), "true or false")
        return value
    if get_origin(hint) is tuple:
        return _texts(part, value)
    return kind.read(_text(name, value), name)


def _inside(declared: type[Message], part: Part, value: JsonValue) -> Message:
    return _named(declared, part.attribute, value)


def _named(declared: type[Message], name: str, value: JsonValue) -> Message:
    if not isinstance(value, dict):
        raise FieldError(name, compact(value), "an object")
    try:
        return read_plain(declared, value)
    except FieldError as wrong:
        raise wrong.inside(name) from None


def _objects(declared: type[Message], part: Part, value: JsonValue) -> tuple[Message, ...]:
    most = part.kind.schema.get("maxItems")
    if not isinstance(value, list) or (most is not None and len(value) > most):
        bound = f" of at most {most}" if most is not None else ""
        received = f"{len(value)} objects" if isinstance(value, list) else compact(value)
        raise FieldError(part.attribute, received, f"an array{bound} of objects")
    return tuple(
        _named(declared, item_name(part.attribute, place), one) for place, one in enumerate(value)
    )


def _whole(part: Part, value: JsonValue) -> int:
    lowest, highest = part.kind.numbers
    is_whole = isinstance(value, JsonNumber) and _WHOLE.match(value)
    if not is_whole or not lowest <= int(str(value)) <= highest:
        unit = "paise, " if part.attribute.endswith("_paise") else ""
        allowed = f"{unit}a whole number from {lowest} to {highest}"
        raise FieldError(part.attribute, compact(value), allowed)
    return int(str(value))


def _texts(part: Part, value: JsonValue) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise FieldError(part.attribute, compact(value), "an array of texts")
    read: list[str] = []
    for text in value:
        one = part.kind.read(_text(part.attribute, text), part.attribute)
        if len(one) != 1 or one[0] in read:
            raise FieldError(part.attribute, compact(text), "each code once, one in each place")
        read += one
    return tuple(read)


def _text(name: str, value: JsonValue) -> str:
    if not isinstance(value, str) or isinstance(value, JsonNumber):
        raise FieldError(name, compact(value), "a text")
    return value


def write_plain(told: Declared) -> dict[str, JsonValue]:
    """Return a message in its plain form."""
    return {
        part.attribute: _written(getattr(told, part.attribute)) for part in shown_parts(type(told))
    }


def _written(value: Any) -> Any:  # noqa: ANN401 (JSON)
    if is_dataclass(value):
        return write_plain(cast("Declared", value))
    match value:
        case tuple():
            return [_written(each) for each in cast("tuple[Any, ...]", value)]
        case datetime():
            return value.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        case date():
            return value.isoformat()
        case bytes():
            return base64.b64encode(value).decode()
        case _:
            return value


def plain_schema(declared: type[Declared], *, asked: bool) -> Schema:
    """Return the JSON Schema of a message's plain form. asked: of a request, which is strict."""
    shown, bounds = list(shown_parts(declared)), bounds_of(declared)
    named = [part.attribute for part in shown if part.name in bounds.at_least_one]
    return {
        "type": "object",
        "description": cleandoc(declared.__doc__ or ""),
        "required": [part.attribute for part in shown if part.is_required or not asked],
        "properties": {part.attribute: field_schema(declared, part, asked=asked) for part in shown},
        **({"anyOf": [{"required": [name]} for name in named]} if named else {}),
        **({"additionalProperties": False} if asked else {}),
    }


def field_schema(declared: type[Declared], part: Part, *, asked: bool) -> Schema:
    """Return the JSON Schema of one field."""
    hinted = _hints(declared)[part.attribute]
    schema = _schema_of(part, _bare(hinted), asked=asked)
    of_kind = "" if part.kind.numbers else part.kind.schema.get("description", "")
    meaning = part.meaning or of_kind
    if "$ref" in schema:
        none = [{"type": "null"}] if _is_optional(hinted) else []
        return {"anyOf": [schema, *none]} if none else schema
    if _is_optional(hinted) and not asked:
        schema = {**schema, "type": [schema["type"], "null"]}
    if part.attribute.endswith("_paise"):
        meaning = f"{meaning}; whole paise" if meaning else "Whole paise"
    return {**schema, **({"description": meaning} if meaning else {})}


_WHOLES: Schema = {"type": "integer"}
_TEXT: Schema = {"type": "string"}
_SIMPLE: Mapping[Any, Schema] = {
    bool: {"type": "boolean"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
}


def _schema_of(part: Part, hint: Any, *, asked: bool) -> Schema:  # noqa: ANN401 (a type)
    kind = part.kind
    if kind.inside is not None:
        one = {"$ref": SCHEMAS + kind.inside.__name__}
        bounds = {name: kind.schema[name] for name in ("maxItems",) if name in kind.schema}
        return {"type": "array", "items": one, **bounds} if kind.shape == "objects" else one
    if hint is int:
        lowest, highest = kind.numbers or (0, 0)
        return {"type": "integer", "minimum": lowest, "maximum": highest} if asked else _WHOLES
    if get_origin(hint) is tuple:
        texts: Schema = {"type": "string", "enum": sorted(_codes(part))} if asked else _TEXT
        return {"type": "array", "items": texts, "uniqueItems": asked}
    return _SIMPLE.get(hint) or ({**kind.schema} if asked else _TEXT)


def _codes(part: Part) -> frozenset[str]:
    return kinds.CHANNEL_CODES if part.kind.schema == kinds.CHANNELS.schema else frozenset()


def messages_inside(declared: type[Declared]) -> Iterator[type[Declared]]:
    """Yield a message and those in it."""
    yield declared
    for part in shown_parts(declared):
        if part.kind.inside is not None:
            yield from messages_inside(part.kind.inside)


@cache
def _hints(declared: type[Declared]) -> dict[str, Any]:
    return get_type_hints(declared)


def _is_optional(hint: Any) -> bool:  # noqa: ANN401 (a type)
    return get_origin(hint) in {Union, UnionType} and type(None) in get_args(hint)


def _bare(hint: Any) -> Any:  # noqa: ANN401 (a type)
    """Return a type without None."""
    if not _is_optional(hint):
        return hint
    return next(each for each in get_args(hint) if each is not type(None))
