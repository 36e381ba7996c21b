"""Common parts of the simulated registers: requests, answers and checks of values."""

import re
from datetime import datetime
from typing import Any

import msgspec

LISTED_MAX = 300
TEXT_MAX = 200
"""Characters of a changed value."""
_DIGITS_OF_A_DAY = re.compile(r"[0-9]{2}.[0-9]{2}.[0-9]{4}\Z")


class RegisterAnswer(msgspec.Struct, frozen=True):
    """The answer of a register.

    status: found, nobody (no such entry) or forbidden. message: the reason.
    """

    status: str
    entry: Any = None
    message: str = ""


class ListQuestion(msgspec.Struct, frozen=True):
    """A search for entries with these words in one of their values."""

    words: str = ""
    limit: int = 50


def is_text(text: str) -> bool:
    """Return whether a text can be a value: at most TEXT_MAX characters, all printable."""
    return len(text) <= TEXT_MAX and text.isprintable()


def is_day(text: str, form: str) -> bool:
    """Return whether a text is a real date with leading zeros.

    form: of strptime, day, month, year.
    """
    try:
        datetime.strptime(text, form)  # noqa: DTZ007 (a day has no zone)
    except ValueError:
        return False
    return bool(_DIGITS_OF_A_DAY.match(text))
