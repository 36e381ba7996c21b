"""What the simulated registers share: how entries are asked for and answered."""

from typing import Any

import msgspec

LISTED_MAX = 300


class Found(msgspec.Struct, frozen=True):
    """status: found, nobody or forbidden; entry: what was found; message: why not."""

    status: str
    entry: Any = None
    message: str = ""


class ListQuestion(msgspec.Struct, frozen=True):
    """Which entries: those that hold these words."""

    words: str = ""
    limit: int = 50
