"""Checks that every reader understands an acquirer's JSON alike, and a database can store it."""

import itertools
import json
from collections.abc import Iterable
from typing import Any

_INTEGER_DIGITS_MAX = 18
"""Fits into 64 bits with its sign, whatever the digits are."""
_LEVELS_MAX = 100
"""Levels of objects and arrays: readers have different limits."""
_HARMLESS_CONTROLS = "\t\n\r"
_SURROGATES = "\ud800", "\udfff"
"""The first and the last half of a surrogate pair.

Alone it is no character, and UTF-8 cannot have it.
"""


class _UnsoundError(ValueError):
    """A repeated key, or a text or number that no column can store."""


def is_sound(body: bytes) -> bool:
    """Return whether a body is JSON that every reader reads alike and a database can keep.

    It is UTF-8 and has no repeated key, no control character, no lone surrogate, no huge whole
    number, no NaN and not more than 100 levels. Of a repeated key one reader takes the first value
    and another the last. PostgreSQL keeps no NUL.
    """
    try:
        value = _CHECKED.decode(body.decode())
        if body.count(b"{") + body.count(b"[") > _LEVELS_MAX:
            _check_levels(value)
        _check_text(value)
    except (ValueError, RecursionError):
        return False
    return True


def _check_levels(value: object) -> None:
    level = [value]
    for _ in range(_LEVELS_MAX):
        level = [inner for each in level for inner in _inside(each)]
        if not level:
            return
    raise _UnsoundError


def _inside(value: object) -> Iterable[object]:
    """Return the objects and arrays directly inside one."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return (each for each in inner if isinstance(each, dict | list))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise _UnsoundError
    for each in itertools.chain(fields, fields.values()):
        # Most are plain words: a call for each would cost more than the look.
        if not (type(each) is str and each.isprintable()):
            _check_text(each)
    return fields


def _check_text(value: object) -> None:
    if isinstance(value, str):
        if not value.isprintable() and any(map(_is_unfit, value)):
            raise _UnsoundError
    elif isinstance(value, list):
        for each in value:
            _check_text(each)


def _is_unfit(character: str) -> bool:
    control = character < " " and character not in _HARMLESS_CONTROLS
    return control or _SURROGATES[0] <= character <= _SURROGATES[1]


def _no_number(_: str) -> float:
    raise _UnsoundError


def _whole(text: str) -> int:
    if len(text.lstrip("-")) > _INTEGER_DIGITS_MAX:
        raise _UnsoundError
    return int(text)


_CHECKED = json.JSONDecoder(object_pairs_hook=_object, parse_int=_whole, parse_constant=_no_number)
