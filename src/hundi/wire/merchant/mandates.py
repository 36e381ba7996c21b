"""The `sb_*` fields of an order with which a customer approves later debits.

See docs/spec/payment-interfaces.md#subscriptions.
"""

from contextlib import suppress
from datetime import date

from hundi.wire import fields, kinds
from hundi.wire.fields import FieldError
from hundi.wire.message import message, sent
from hundi.wire.parts import Conventions, FieldKind, Values, text_in

PERIODS = ("D", "W", "M", "Y", "A")
AS_PRESENTED = "A"
"""The period without a calendar: no next run date, frequency or count."""
ENDLESS = 999
"""`sb_recurringcount` of a subscription without end."""
FREQUENCY_MAX = 366
RETRIES_MAX = 99
RECURRING = "1"


def _first_run(written: str, name: str, conventions: Conventions) -> date | None:
    """Return the first day of a mandate.

    Raises FieldError, which says whether the other order of a date would be accepted.
    """
    day_first = conventions.day_first
    try:
        return _run_on(written, name, conventions.today, day_first=day_first)
    except FieldError as refused:
        with suppress(FieldError):
            _ = _run_on(written, name, conventions.today, day_first=not day_first)
            refused.cure = ("dates", "month-first" if day_first else "day-first")
        raise


def _run_on(written: str, name: str, today: date | None, *, day_first: bool) -> date:
    run = fields.day(written, name, day_first=day_first)
    if today is not None and run < today:
        raise FieldError(field=name, received=written, allowed="a date that is not past")
    return run


_PERIOD = FieldKind(
    lambda text, name: fields.one_of(text.upper(), name, PERIODS),
    lambda period, _: period,
    kinds.one_of(*PERIODS).schema,
)
_EVERY = kinds.count(FREQUENCY_MAX, 1, r"^([1-9][0-9]?|[12][0-9]{2}|3[0-5][0-9]|36[0-6])$", "1")
_RUN: FieldKind[date | None] = FieldKind(
    lambda text, name: _first_run(text, name, Conventions()),
    lambda run, _: f"{run:%m/%d/%Y}" if run else "",
    {
        "type": "string",
        "pattern": r"^(0[1-9]|1[0-2])/(0[1-9]|1[0-2])/20[0-9]{2}$",
        "examples": ["12/11/2026"],
    },
    by_convention=_first_run,
)
_COUNT = kinds.count(ENDLESS, 1, r"^[1-9][0-9]{0,2}$", "12")
_DEBITS: FieldKind[int | None] = FieldKind(
    lambda text, name: None if (debits := _COUNT.read(text, name)) == ENDLESS else debits,
    lambda debits, _: str(ENDLESS if debits is None else debits),
    _COUNT.schema,
)


def _has_calendar(values: Values) -> bool:
    return text_in(values, "sb_period").upper() != AS_PRESENTED


@message()
class OrderMandate:
    """The customer's approval of later debits, in paise.

    max_amount_paise: no debit is ever above it; None for `amount_paise`. next_run, frequency: None
    when the period is `A` (as presented). recurring_count: None there, and without end.
    """

    period: str = sent(
        _PERIOD, "sb_period", "Day, week, month, year, or A: debits that the merchant asks for"
    )
    frequency: int | None = sent(
        _EVERY,
        "sb_frequency",
        "Every how many periods; not for A",
        default=None,
        when=_has_calendar,
    )
    next_run: date | None = sent(
        _RUN,
        "sb_nextrundate",
        "MM/DD/YYYY, or DD/MM/YYYY by a setting: the first debit, within two years; not for A",
        default=None,
        when=_has_calendar,
    )
    amount_paise: int = sent(kinds.AMOUNT, "sb_amount", "Of each debit")
    max_amount_paise: int | None = sent(
        kinds.AMOUNT, "sb_maxamount", "The most that one debit may be", default=None
    )
    recurring_count: int | None = sent(
        _DEBITS,
        "sb_recurringcount",
        "How many debits; 999 without end; not for A",
        default=None,
        when=_has_calendar,
    )
    retry_attempts: int = sent(
        kinds.count(RETRIES_MAX, 0, r"^[0-9]{1,2}$", "2"),
        "sb_retryattempts",
        "Tries after a declined one",
        default=0,
    )
    recurring: str | None = sent(
        kinds.one_of(RECURRING), "sb_isrecurring", "Always this value", default=None
    )
