"""What the simulated registers share: how entries are asked for and answered, and what a value may be."""

import re
from datetime import datetime
from typing import Any

import msgspec

LISTED_MAX = 300
TEXT_MAX = 200
"""Characters of a value that is changed."""
_DIGITS_OF_A_DAY = re.compile(r"[0-9]{2}.[0-9]{2}.[0-9]{4}\Z")


class Found(msgspec.Struct, frozen=True):
    """status: found, nobody or forbidden; entry: what was found; message: why not."""

    status: str
    entry: Any = None
    message: str = ""


class ListQuestion(msgspec.Struct, frozen=True):
    """Which entries: those that hold these words in one of their values."""

    words: str = ""
    limit: int = 50


def is_text(text: str) -> bool:
    """Tell whether a text can be a value: neither endless nor with characters that nobody sees."""
    return len(text) <= TEXT_MAX and text.isprintable()


def is_day(text: str, form: str) -> bool:
    """Tell whether a text is a day that the calendar has, with all its zeros. form: of strptime, day, month, year."""
    try:
        datetime.strptime(text, form)  # noqa: DTZ007 (a day has no zone)
    except ValueError:
        return False
    return bool(_DIGITS_OF_A_DAY.match(text))
