"""TOML from people, read in a time that its length bounds, and written back; pure."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

KEY_PARTS_MAX = 200
"""A key of many thousand parts would block the process of its reader for many seconds."""
# A key is at the start of a line or after a brace, bracket or comma. A look-alike in a text counts,
# too.
_PART = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_LONG_KEY = re.compile(rf"(?<![\w.-]){_PART}(?:[ \t]*\.[ \t]*{_PART}){{{KEY_PARTS_MAX}}}")


def read_toml(text: str) -> dict[str, Any]:
    """Return a document's values.

    Raises ValueError (also tomllib.TOMLDecodeError), RecursionError.
    """
    if _LONG_KEY.search(text):
        message = f"a key has more than {KEY_PARTS_MAX} parts"
        raise ValueError(message)
    return tomllib.loads(text)


def write_toml(values: Mapping[str, Any]) -> str:
    """Return values as TOML that reads as the same values.

    values: texts, whole numbers, switches, lists of those, and tables; a list of tables and a table
    at the top have headings, deeper ones stand within a line. None is left out.
    """
    plain = {name: value for name, value in values.items() if not _is_headed(value)}
    parts = [_lines(plain)] if any(value is not None for value in plain.values()) else []
    for name, value in values.items():
        if _is_table(value):
            parts.append(f"[{name}]\n{_lines(value)}")
        elif _is_list(value) and _is_headed(value):
            parts += [f"[[{name}]]\n{_lines(each)}" for each in value if _is_table(each)]
    return "\n".join(parts)


def _is_table(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping)


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, list | tuple)


def _is_headed(value: object) -> bool:
    return _is_table(value) or (_is_list(value) and any(map(_is_table, value)))


def _lines(values: Mapping[str, Any]) -> str:
    return "".join(f"{name} = {_written(value)}\n" for name, value in _given(values))


def _given(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in values.items() if value is not None]


def _written(value: object) -> str:
    if _is_table(value):
        return "{ " + ", ".join(f"{name} = {_written(one)}" for name, one in _given(value)) + " }"
    if _is_list(value):
        return "[" + ", ".join(map(_written, value)) + "]"
    # JSON's texts are TOML's but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
