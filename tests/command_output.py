"""What commands print for scripts, read as a script does."""

import json
import re
from typing import Any

_FOR_PEOPLE = re.compile(r'": "-?(?:₹|[A-Z]{3} )-?[0-9][0-9,]*\.[0-9]{2}"')
"""A value that is an amount; sentences for people may hold some."""


def read_json(printed: str) -> Any:
    """Return what a command printed with --json; assert that no amount in it is made for people."""
    assert not _FOR_PEOPLE.search(printed), f"an amount that is no whole number of paise: {printed}"
    return json.loads(printed)
