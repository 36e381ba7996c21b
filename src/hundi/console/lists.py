"""Common parts of the console's lists: filters and cursors in addresses, words of states, files."""

import csv
import io
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from typing import Any, TypeVar

from asyncpg import Record
from litestar import Response

from hundi.console.days import day_of
from hundi.console.downloads import CSV, Download, leave
from hundi.console.guard import message
from hundi.console.queries.bounded import ListBounds
from hundi.console.visits import ConsoleVisit
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import business_day
from hundi.kernel.money import paise_typed
from hundi.kernel.refusals import RefusalCode, refuse

PAGE_ROWS = 50
EXPORT_ROWS_MAX = 1_000_000
DAYS = timedelta(days=90)
"""The span of a list without a first day."""
BEGINNING = date(2000, 1, 1)
"""The first day of a list that goes back to its beginning."""
TEXT_MAX = 60
ID_DIGITS = 15
_EXPORT_AT_ONCE = 1_000
_TOO_LONG = (
    "Nothing that fits was found soon enough. Choose fewer days, or fewer filters, and look again."
)
_TONES = {
    **dict.fromkeys(
        ("paid", "captured", "authorised", "done", "active", "won", "delivered", "up", "approved"),
        "paid",
    ),
    **dict.fromkeys(
        ("open", "in_process", "under_review", "initiated", "sent", "waiting", "sending"), "waiting"
    ),
    **dict.fromkeys(
        ("accepting", "created", "paused", "announced", "retrying", "degraded", "review"), "waiting"
    ),
    **dict.fromkeys(
        ("failed", "not_registered", "unknown", "lost", "expired", "exhausted", "no_endpoint"),
        "failed",
    ),
    **dict.fromkeys(("missed", "down", "rejected", "reversed"), "failed"),
}
T = TypeVar("T")
_ACRONYMS = {
    each.lower(): each
    for each in ("UPI", "QR", "RRN", "UTR", "EMI", "RTGS", "URL", "MCC", "MOTO", "IFSC", "GST")
}


def words(name: str) -> str:
    """Return a name of the code in words for people."""
    spoken = name.replace("_", " ").capitalize()
    return " ".join(_ACRONYMS.get(each.lower(), each) for each in spoken.split(" "))


def counted(number: int, one: str, several: str = "") -> str:
    """Return a number with its noun. several: of more than one, where it has more than an s."""
    return f"{number} {one if number == 1 else several or f'{one}s'}"


def tone_of(state: str) -> str:
    """Return the colour of a state's tag, which also has the word."""
    return _TONES.get(state, "")


def id_of(text: str) -> int | None:
    """Return the id in a text, None for any other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= ID_DIGITS else None


@dataclass(frozen=True, slots=True)
class ListAddress:
    """The filters in a list's address; invalid ones are ignored."""

    query: Mapping[str, str]
    now: datetime

    def text(self, name: str) -> str | None:
        """Return a text, None for none."""
        return self.query.get(name, "").strip()[:TEXT_MAX] or None

    def one_of(self, name: str, known: Any) -> str | None:  # noqa: ANN401 (whatever has members)
        """Return one of the known names."""
        text = self.query.get(name, "")
        return text if text and text in set(known) else None

    def paise(self, name: str) -> int | None:
        """Return an amount, in paise."""
        return paise_typed(self.query.get(name, ""))

    def id(self, name: str) -> int | None:
        """Return one of our ids."""
        return id_of(self.query.get(name, ""))

    @property
    def until(self) -> date | None:
        """Return the last day, which is included."""
        return day_of(self.query.get("until", ""))

    @property
    def since(self) -> date:
        """Return the first day: without one, `DAYS` before the last day.

        An invalid day also counts as none, so that no list reads everything.
        """
        return day_of(self.query.get("since", "")) or (self.until or business_day(self.now)) - DAYS

    @property
    def narrowed(self) -> dict[str, Any]:
        """Return the common filters, as fields of `ListBounds`."""
        amounts = {"paise_from": self.paise("from"), "paise_upto": self.paise("upto")}
        return {**amounts, "since": self.since, "until": self.until}

    @property
    def unbounded(self) -> dict[str, Any]:
        """Return the common filters of a list that goes back to its beginning by itself."""
        since = self.since if self.names_first_day else BEGINNING
        return {**self.narrowed, "since": since}

    @property
    def names_first_day(self) -> bool:
        """Return whether the address names the first day."""
        return day_of(self.query.get("since", "")) is not None


def asked_of(visit: ConsoleVisit) -> ListAddress:
    """Return the filters in a visit's address."""
    return ListAddress(visit.query, visit.now)


async def named(
    visit: ConsoleVisit, name: str, find: Callable[[Database, int, int], Awaitable[T | None]]
) -> T:
    """Return the merchant's row that the number in the path names.

    name: of the id, such as `refund`.

    Raises Refused: NO_RECORDS.
    """
    number = int(visit.params[f"{name}_id"])
    row = await find(visit.db, visit.merchant_id, number) if 0 < number < 10**ID_DIGITS else None
    if row is None:
        raise refuse(RefusalCode.NO_RECORDS, field=name, received=str(number))
    return row


def too_long(visit: ConsoleVisit) -> Response[Any]:
    """Return the page that says that a read took too long."""
    return message(visit, "This takes too long", _TOO_LONG, 503)


Read = Callable[[Record | None, int], Awaitable[list[Record] | None]]
"""Reads a number of rows after the given one, None for the beginning.

None where that takes too long.
"""


async def exported(
    visit: ConsoleVisit,
    noun: str,
    about: str,
    filters: ListBounds,
    head: Sequence[str],
    read: Read,
    cells: Callable[[Record], Sequence[str]],
) -> Response[Any]:
    """Record the download of a list, and stream it.

    about: the subject of the list, and the file's name.
    """
    chosen = {name: str(value) for name, value in asdict(filters).items() if value is not None}
    file = as_file(about, head, read, cells)
    return await leave(visit, file, f"{noun}.export", about, **chosen)


def as_file(
    name: str, head: Sequence[str], read: Read, cells: Callable[[Record], Sequence[str]]
) -> Download:
    """Return a list as CSV, which is read while it leaves.

    cells: of a row, without formulas that a spreadsheet would run.
    """
    return Download(f"{name}.csv", CSV, _lines(head, read, cells))


async def _lines(
    head: Sequence[str], read: Read, cells: Callable[[Record], Sequence[str]]
) -> AsyncIterator[bytes]:
    yield written([head])
    last, left = None, EXPORT_ROWS_MAX
    while left > 0:
        rows = await read(last, min(left, _EXPORT_AT_ONCE))
        if rows is None:
            # Break the transfer: a file that only looks complete would be worse.
            raise TimeoutError(_TOO_LONG)
        if not rows:
            return
        yield written([cells(row) for row in rows])
        last, left = rows[-1], left - len(rows)


def written(rows: Sequence[Sequence[str]]) -> bytes:
    """Return rows as CSV."""
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()
