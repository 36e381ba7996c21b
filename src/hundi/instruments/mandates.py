"""The networks' rules of mandates, each with its date and source; pure.

See docs/spec/domain.md#mandates. A changed rule is a new row here: the old one stays true of older
days.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Protocol, TypeVar

from hundi.instruments.methods import BANK_MANDATES, CARDS, UPI
from hundi.kernel.clock import INDIA, business_day, ist
from hundi.kernel.money import rupees


class _Dated(Protocol):
    @property
    def since(self) -> date:
        """The first day on which it applies."""
        ...


_Row = TypeVar("_Row", bound=_Dated)


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The most that one debit may be without the customer's confirmation, in paise.

    source: of the rule.
    """

    since: date
    paise: int
    source: str


@dataclass(frozen=True, slots=True)
class Windows:
    """The times of day (India) in which the network takes debits.

    spans: from, until; midnight at the end is 24:00.
    """

    since: date
    spans: tuple[tuple[time, time], ...]
    source: str


@dataclass(frozen=True, slots=True)
class Instrument:
    """The rules of mandates that one channel approves.

    higher: ceilings of the categories in HIGHER_CATEGORIES. windows: () if debits are taken all
    day. collects_first: the first amount is a debit by the mandate, too. looks: how often a debit
    without the bank's decision is checked; its attempt is inquired about sooner.
    """

    ceilings: tuple[Ceiling, ...]
    higher: tuple[Ceiling, ...]
    windows: tuple[Windows, ...] = ()
    collects_first: bool = False
    looks: timedelta = timedelta(minutes=1)


_ALL_DAY = ((time(0), time(0)),)
CEILINGS = (
    Ceiling(date(2021, 10, 1), 5_000_00, "RBI, 31 March 2021"),
    Ceiling(
        date(2022, 6, 16),
        15_000_00,
        "RBI, 16 June 2022; kept by the E-mandate Framework of 21 April 2026",
    ),
)
"""Of UPI and cards, for most merchants."""
HIGHER_CEILINGS = (
    *CEILINGS,
    Ceiling(
        date(2023, 12, 12),
        1_00_000_00,
        "RBI, 12 December 2023; kept by the E-mandate Framework of 21 April 2026",
    ),
)
"""Of insurance premiums, mutual funds and credit card bills."""
HIGHER_CATEGORIES = frozenset({"5960", "6300", "6211", "6012"})
"""Merchant categories of these: insurance, funds, and the banks that issue cards."""
WINDOWS = (
    Windows(date(2016, 4, 11), _ALL_DAY, "UPI from its first day"),
    Windows(
        date(2025, 8, 1),
        ((time(0), time(10)), (time(13), time(17)), (time(21, 30), time(0))),
        "NPCI, debits of AutoPay outside peak hours, from 1 August 2025",
    ),
)
ENACH_CEILINGS = (
    Ceiling(
        date(2023, 8, 1), 1_00_00_000_00, "NPCI, NACH circular 003 of 2023-24; a bank may have less"
    ),
)
"""Of bank accounts, in every category."""
INSTRUMENTS: Mapping[str, Instrument] = {
    UPI.code: Instrument(CEILINGS, HIGHER_CEILINGS, WINDOWS),
    CARDS.code: Instrument(CEILINGS, HIGHER_CEILINGS),
    # Debits are presented in a batch once a day and answered on the next one.
    BANK_MANDATES.code: Instrument(
        ENACH_CEILINGS, ENACH_CEILINGS, collects_first=True, looks=timedelta(hours=6)
    ),
}
"""The instruments of mandates, by the code of the channel that approves one."""
NOTICE = timedelta(hours=24)
"""From the notice to the debit, at least (E-mandate Framework of 21 April 2026)."""
RETRIES_MAX = 3
"""Tries after the first one for one notice (NPCI for UPI, from 1 August 2025; used for all)."""
VALIDITY_YEARS_MAX = 30
"""The longest validity of a mandate (UPI); every mandate ends."""


def _applying(rows: Sequence[_Row], on: date) -> _Row:
    """Return the newest row in force on a day; the first one before all of them."""
    return max((row for row in rows if row.since <= on), key=lambda row: row.since, default=rows[0])


@dataclass(frozen=True, slots=True)
class MandateBounds:
    """The bounds of a mandate's maximum, in paise.

    source: of the upper bound's rule.
    """

    least_paise: int
    most_paise: int
    source: str

    def __contains__(self, paise: int) -> bool:
        """Return whether a maximum is within the bounds."""
        return self.least_paise <= paise <= self.most_paise

    def within(self, acquirers_most: int | None) -> "MandateBounds":
        """Return the bounds at an acquirer that has a lower one, None for none."""
        if acquirers_most is None or acquirers_most >= self.most_paise:
            return self
        return MandateBounds(self.least_paise, acquirers_most, "the acquirer")

    def __str__(self) -> str:
        """Return the bounds in words."""
        least = f"from {rupees(self.least_paise)} " if self.least_paise else ""
        return f"{least}up to {rupees(self.most_paise)} ({self.source})"


def bounds(channel: str, mcc: str, on: date, first_paise: int) -> MandateBounds:
    """Return the bounds of the most that one debit may be.

    channel: a key of INSTRUMENTS. mcc: the merchant's category, "" for none. on: the Indian day.
    first_paise: the payment with the approval.
    """
    rules = INSTRUMENTS[channel]
    ceiling = _applying(rules.higher if mcc in HIGHER_CATEGORIES else rules.ceilings, on)
    return MandateBounds(first_paise if rules.collects_first else 0, ceiling.paise, ceiling.source)


def next_look(channel: str, now: datetime) -> datetime:
    """Return when an instrument's debits without the bank's decision are checked next."""
    looks = INSTRUMENTS[channel].looks
    return now + looks - timedelta(seconds=now.timestamp() % looks.total_seconds())


def in_window(channel: str, moment: datetime) -> datetime:
    """Return this moment if the network takes debits then, else the start of its next window.

    channel: "" until somebody has approved the mandate.
    """
    rules = INSTRUMENTS.get(channel)
    if rules is None or not rules.windows:
        return moment
    local = ist(moment)
    for span_from, span_to in _applying(rules.windows, business_day(moment)).spans:
        if span_to != time(0) and local.time() >= span_to:
            continue
        return (
            moment
            if local.time() >= span_from
            else datetime.combine(local.date(), span_from, INDIA)
        )
    return in_window(channel, datetime.combine(local.date() + timedelta(days=1), time(0), INDIA))
