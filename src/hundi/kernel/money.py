"""Money: whole paise with a currency (docs/spec/domain.md#money).

Amounts become text for people here and for the wire in `wire.fields`, nowhere else.
"""

import re
from dataclasses import dataclass

PAISE_PER_RUPEE = 100
MINUS = "\N{MINUS SIGN}"
"""The sign of negative amounts for people; files for programs have the hyphen of ASCII."""
_TYPED = re.compile(r"([0-9]{1,10})(?:\.([0-9]{1,2}))?\Z")


class CurrencyMismatchError(ValueError):
    """Amounts of different currencies met in a sum or comparison.

    Always our bug, never bad input.
    """


@dataclass(frozen=True, slots=True)
class Money:
    """An amount of money.

    paise: whole minor units of `currency`; may be negative only as a difference.
    currency: ISO 4217 alphabetic code.
    """

    paise: int
    currency: str = "INR"

    def __post_init__(self) -> None:
        """Refuse floats and booleans, which Python would silently accept as amounts."""
        if type(self.paise) is not int:
            message = f"paise must be an int, not {type(self.paise).__name__}"
            raise TypeError(message)

    def _same(self, other: "Money") -> None:
        if self.currency != other.currency:
            message = f"{self.currency} met {other.currency}"
            raise CurrencyMismatchError(message)

    def __add__(self, other: "Money") -> "Money":
        """Return the sum; both must have one currency."""
        self._same(other)
        return Money(self.paise + other.paise, self.currency)

    def __sub__(self, other: "Money") -> "Money":
        """Return the difference; both must have one currency."""
        self._same(other)
        return Money(self.paise - other.paise, self.currency)

    def __lt__(self, other: "Money") -> bool:
        """Compare amounts of one currency."""
        self._same(other)
        return self.paise < other.paise


RATE_ONE = 1_000_000
"""The rate of the rupee: rates are whole millionths of a rupee for one unit of a currency."""


def in_rupees(amount: Money, rate_micros: int) -> Money:
    """Return an amount in rupees at a rate, rounded half up to the paisa.

    Every currency that can be enabled has two decimal places, as the rupee has
    (docs/spec/domain.md#currencies).
    """
    return Money((2 * amount.paise * rate_micros + RATE_ONE) // (2 * RATE_ONE))


def group_indian(whole: int) -> str:
    """Return digits grouped the Indian way: the last three, then pairs (1,00,000)."""
    digits = str(whole)
    head, tail = digits[:-3], digits[-3:]
    pairs: list[str] = []
    while head:
        pairs.insert(0, head[-2:])
        head = head[:-2]
    return ",".join([*pairs, tail])


def rupees(paise: int) -> str:
    """Return an amount in paise for people: `₹1,00,000.00`, a minus sign before the rupee sign."""
    sign = MINUS if paise < 0 else ""
    whole, rest = divmod(abs(paise), PAISE_PER_RUPEE)
    return f"{sign}₹{group_indian(whole)}.{rest:02d}"


def in_figures(paise: int) -> str:
    """Return an amount of rupees as forms take it: `1499.50`. paise: not negative."""
    whole, rest = divmod(paise, PAISE_PER_RUPEE)
    return f"{whole}.{rest:02d}"


def paise_typed(text: str) -> int | None:
    """Return in paise what a person typed in rupees, as ₹1,499.50; None for no such amount."""
    match = _TYPED.match(text.replace(",", "").replace("₹", "").strip())
    return int(match[1]) * PAISE_PER_RUPEE + int((match[2] or "0").ljust(2, "0")) if match else None


def shown(amount: Money) -> str:
    """Return an amount for people: `₹1,499.50`, or with its currency's letters `USD 1,499.50`."""
    if amount.currency == "INR":
        return rupees(amount.paise)
    whole, rest = divmod(abs(amount.paise), PAISE_PER_RUPEE)
    return f"{amount.currency} {MINUS if amount.paise < 0 else ''}{whole:,}.{rest:02d}"
