"""Days and moments in the words of the languages that customers read.

The words are CLDR's, which `make texts` copies out of Babel into `dates.json`
(docs/decisions/0090-dates-and-documents-in-ten-languages.md). Time is India's, as on every page.
"""

import json
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import TypedDict

from hundi.kernel.clock import ist

TABLE = Path(__file__).with_name("dates.json")


class TableRow(TypedDict):
    """A language in the table, as in DateWords."""

    months: list[str]
    day: str
    zone: str


@dataclass(frozen=True, slots=True)
class DateWords:
    """How a language writes dates.

    months: their twelve names. day: the order of `{day}`, `{month}` and `{year}`. zone: the name of
    India's time.
    """

    months: tuple[str, ...]
    day: str
    zone: str

    def day_in_words(self, on: date) -> str:
        """Return a day: `20 Nov 2026`."""
        return self.day.format(day=on.day, month=self.months[on.month - 1], year=on.year)

    def time_in_words(self, at: datetime) -> str:
        """Return the time of a moment: `14:05 IST`."""
        return f"{ist(at):%H:%M} {self.zone}"

    def moment_in_words(self, at: datetime) -> str:
        """Return a moment: `20 Nov 2026, 14:05 IST`."""
        return f"{self.day_in_words(ist(at).date())}, {self.time_in_words(at)}"


@cache
def date_words(language: str) -> DateWords:
    """Return the words of a language, those of English for one that the table lacks."""
    table = _table()
    return table.get(language, table["en"])


@cache
def _table() -> dict[str, DateWords]:
    content: dict[str, TableRow] = json.loads(TABLE.read_text("utf-8"))
    return {
        language: DateWords(tuple(words["months"]), words["day"], words["zone"])
        for language, words in content.items()
    }
