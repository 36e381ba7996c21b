"""JSON for the protocol: no repeated key, bounded depth and values, numbers kept as sent."""

import json
import re
from typing import NoReturn, TypeAlias, cast

DEPTH_MAX = 16
"""Levels of objects and arrays, the outermost counted (docs/spec/wire.md#json)."""

VALUES_MAX = 512
"""Values of one message, inner ones counted.

Each costs time in every checksum that is tried (docs/spec/wire.md#json).
"""
REPLY_VALUES_MAX = 100_000
"""Values of the gateway's own messages, when a client reads them: lists have many."""

_SEARCHED_MAX = 32
# An unterminated string reaches to the end and never backtracks: otherwise a long one takes its
# length squared.
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_NEITHER_OPENS_NOR_CLOSES = re.compile(r"[^][{}]+")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class JsonNumber(str):
    """A JSON number as written (`10.50` stays `10.50`), because checksums cover its text."""

    __slots__: tuple[()] = ()


JsonValue: TypeAlias = "str | int | bool | list[JsonValue] | dict[str, JsonValue] | None"
"""A value of a parsed message.

`parse` gives JsonNumber for every number; int is for messages built by a program.
"""


class UnreadableJson(ValueError):  # noqa: N818 (one word for one fact, shared by every reader of the wire)
    """The text is not one JSON object that we accept."""


def parse(raw: bytes, values_max: int = VALUES_MAX) -> dict[str, JsonValue]:
    """Return the object in `raw` (UTF-8).

    Raises UnreadableJson for anything else: other JSON, broken JSON, a repeated key at any depth,
    more than DEPTH_MAX levels, more than `values_max` values, lone surrogates. See
    docs/spec/wire.md#json.
    """
    value = _read(raw, values_max)
    if not isinstance(value, dict):
        message = "the JSON text is not an object"
        raise UnreadableJson(message)
    return value


def parse_array(raw: bytes, values_max: int = VALUES_MAX) -> list[JsonValue]:
    """Return the array in `raw` (UTF-8).

    Raises UnreadableJson by the same rules as `parse`.
    """
    value = _read(raw, values_max)
    if not isinstance(value, list):
        message = "the JSON text is not an array"
        raise UnreadableJson(message)
    return value


def _read(raw: bytes, values_max: int) -> JsonValue:
    try:
        text = raw.decode()
        _check_shape(text, values_max)
        value = cast("JsonValue", _DECODER.decode(text))
        if _SURROGATE.search(text):
            # Lone surrogates are legal JSON and no text: they would fail later, when a checksum
            # encodes them.
            _ = compact(value).encode()
    except (ValueError, RecursionError) as error:
        raise UnreadableJson(str(error)) from None
    return value


def compact(value: JsonValue, *, ascii_only: bool = False) -> str:
    """Return compact JSON (no spaces, order kept), numbers as they were written."""
    if isinstance(value, JsonNumber):
        return str(value)
    if isinstance(value, dict):
        pairs = (
            f"{_quoted(key, ascii_only)}:{compact(item, ascii_only=ascii_only)}"
            for key, item in value.items()
        )
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(compact(item, ascii_only=ascii_only) for item in value) + "]"
    return json.dumps(value, ensure_ascii=ascii_only)


def _quoted(text: str, ascii_only: bool) -> str:  # noqa: FBT001 (private, one caller)
    return json.dumps(text, ensure_ascii=ascii_only)


def _check_shape(text: str, values_max: int) -> None:
    """Raise UnreadableJson for too many values or levels, before anything is built of them.

    Each value begins an object or array, or comes after a comma.
    """
    openings = _count(text, "{") + _count(text, "[")
    if openings <= DEPTH_MAX and openings + _count(text, ",") <= values_max:
        return
    # Commas and brackets inside strings do not count. Removing each string takes time, so their
    # number is bounded first: each has two quotes, and a value has a key at most.
    if _count(text, '"') - _count(text, '\\"') > 4 * values_max:
        raise UnreadableJson(_too_many(values_max))
    bare = _STRING.sub("", text)
    if _count(bare, "{") + _count(bare, "[") + _count(bare, ",") > values_max:
        raise UnreadableJson(_too_many(values_max))
    depth = 0
    for character in _NEITHER_OPENS_NOR_CLOSES.sub("", bare):
        if character in "{[":
            depth += 1
            if depth > DEPTH_MAX:
                message = f"more than {DEPTH_MAX} levels"
                raise UnreadableJson(message)
        else:
            depth -= 1


def _count(text: str, wanted: str) -> int:
    """Return how often something is in a text.

    A search jumps from one to the next, which `str.count` of Python 3.11 does not: of 64 kB, most
    of them sealed, the counts took 143 microseconds in place of 2. Where there are many, the rest
    is counted.
    """
    at = text.find(wanted)
    for found in range(_SEARCHED_MAX):
        if at < 0:
            return found
        at = text.find(wanted, at + len(wanted))
    return _SEARCHED_MAX + (text.count(wanted, at) if at >= 0 else 0)


def _too_many(values_max: int) -> str:
    return f"more than {values_max} values"


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) != len(pairs):
        message = "a key stands twice in one object"
        raise UnreadableJson(message)
    return found


def _no_constant(name: str) -> NoReturn:
    message = f"{name} is not JSON"
    raise UnreadableJson(message)


# Built once: `json.loads` with hooks builds a decoder per call, which costs as much as the parsing.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=JsonNumber,
    parse_float=JsonNumber,
    parse_constant=_no_constant,
)
