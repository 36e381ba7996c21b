"""The network's rates in rupees for other currencies: one rate a day, from a table."""

from datetime import date, datetime
from typing import Literal

from hundi_testbed.bank.wording import indian_day

Currency = Literal["INR", "USD", "EUR", "GBP", "AED", "SGD"]
ONE = 1_000_000
"""The rate of the rupee: rates are millionths of a rupee for one unit of a currency."""
RATES: dict[str, tuple[tuple[date, int], ...]] = {
    "USD": (
        (date(2020, 1, 1), 83_124_700),
        (date(2026, 6, 1), 85_406_113),
        (date(2027, 1, 1), 86_017_350),
    ),
    "EUR": (
        (date(2020, 1, 1), 90_310_250),
        (date(2026, 6, 1), 92_777_771),
        (date(2027, 1, 1), 93_500_003),
    ),
    "GBP": (
        (date(2020, 1, 1), 105_918_000),
        (date(2026, 6, 1), 108_333_333),
        (date(2027, 1, 1), 109_250_125),
    ),
    "AED": (
        (date(2020, 1, 1), 22_633_015),
        (date(2026, 6, 1), 23_254_817),
        (date(2027, 1, 1), 23_421_000),
    ),
    "SGD": (
        (date(2020, 1, 1), 61_750_500),
        (date(2026, 6, 1), 63_199_999),
        (date(2027, 1, 1), 64_002_250),
    ),
}
"""The rates of each currency, from a day on."""


def rate_micros(currency: str, at: datetime) -> int:
    """Return the rate of the Indian day on which an amount is charged."""
    today = indian_day(at)
    return next((rate for since, rate in reversed(RATES.get(currency, ())) if since <= today), ONE)


def settled_paise(minor: int, rate: int) -> int:
    """Return an amount in paise, rounded half up.

    All currencies have two decimal places.
    """
    return (2 * minor * rate + ONE) // (2 * ONE)
