"""The rows of a long form: their numbers, and which of them are drawn with all their fields."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

OPEN_MAX = 40
"""Rows that a form draws whole; of more, each is one line until it is opened.

A row of rules has up to a hundred inputs, and a document up to 500 of them: browsers crawl.
"""


def numbers_in(pattern: re.Pattern[str], fields: Iterable[str]) -> list[int]:
    """Return the numbers of the fields that a pattern matches, in their order."""
    return sorted(int(match[1]) for name in fields if (match := pattern.match(name)))


def fields_of(row: str, fields: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a row, such as r5, with those of its conditions."""
    return {name: text for name, text in fields.items() if name.startswith((f"{row}_", f"{row}w"))}


def without_row(row: str, fields: Mapping[str, str]) -> dict[str, str]:
    """Return a form's fields without a row's."""
    own = fields_of(row, fields)
    return {name: text for name, text in fields.items() if name not in own}


def folded(
    prefix: str, rows: Sequence[int], fields: Mapping[str, str], faults: Collection[str]
) -> dict[int, dict[str, str]]:
    """Return the rows that are drawn as one line, with the fields that they carry along.

    A row with a fault is never folded, nor one that somebody opened or added.
    """
    if len(rows) <= OPEN_MAX:
        return {}
    own = {number: fields_of(f"{prefix}{number}", fields) for number in rows}
    return {
        number: row
        for number, row in own.items()
        if f"{prefix}{number}_open" not in row
        and not fields_of(f"{prefix}{number}", dict.fromkeys(faults, ""))
    }
