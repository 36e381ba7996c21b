"""The rules of the archive: what is old enough, and which month a payment belongs to."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from hundi.kernel.ids import first_id, time_of

BATCH_MAX = 200
"""Payments that one transaction moves: it locks them for some tenths of a second."""
MARKED_MAX = 1_000
"""Payments whose order ids one transaction marks."""
EXPORTED_AT_ONCE = 500
"""Payments that an export reads with one statement."""


@dataclass(frozen=True, slots=True)
class ArchivePolicy:
    """What is moved, and when that is safe.

    after: the age of a payment's last change. patience: longer than any statement may run, so that
    every running statement has seen the mark on an order id.
    """

    after: timedelta
    patience: timedelta


@dataclass(slots=True)
class ArchiveRun:
    """What one run did.

    marked: order ids that got a mark. left: payments that are not settled enough to move.
    """

    marked: int = 0
    moved: int = 0
    left: int = 0


def month_of(payment_id: int) -> date:
    """Return the first day of the month (UTC) of a payment's id."""
    return time_of(payment_id).date().replace(day=1)


def months_of(payment_ids: Iterable[int]) -> list[date]:
    """Return the months of some payments, oldest first."""
    return sorted({month_of(each) for each in payment_ids})


def after_month(month: date) -> date:
    """Return the first day of the next month."""
    return (month.replace(day=28) + timedelta(days=4)).replace(day=1)


def ids_of(month: date) -> tuple[int, int]:
    """Return the first payment id of a month, and the first one after it."""
    return _first_of(month), _first_of(after_month(month))


def _first_of(month: date) -> int:
    return first_id(datetime(month.year, month.month, 1, tzinfo=UTC))
