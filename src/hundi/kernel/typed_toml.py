"""TOML from people, read in a time that its length bounds; pure."""

import re
import tomllib
from typing import Any

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
