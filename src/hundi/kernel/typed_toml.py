"""TOML that somebody typed into a page: read in a time that its length bounds; pure."""

import tomllib
from typing import Any

DOTS_IN_LINE_MAX = 200
"""A key of many thousand parts in one line takes the reader many seconds, in which its process answers nobody."""


def read_toml(text: str) -> dict[str, Any]:
    """Return what a document says. Raises ValueError (tomllib.TOMLDecodeError is one), RecursionError."""
    if any(line.count(".") > DOTS_IN_LINE_MAX for line in text.split("\n")):
        message = f"a line has more than {DOTS_IN_LINE_MAX} dots"
        raise ValueError(message)
    return tomllib.loads(text)
