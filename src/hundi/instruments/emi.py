"""Instalments to the paisa: reducing balance, and the merchant's cost of no-cost plans; pure.

See docs/spec/domain.md#emi and docs/spec/domain.md#emi-no-cost.
"""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal

_MONTHS_A_YEAR, _BASIS_POINTS = 12, 10_000
# Enough digits that only the last rounding is visible.
_CONTEXT = Context(prec=50)


@dataclass(frozen=True, slots=True)
class Instalments:
    """The monthly payments of a customer, in paise; the last one takes up the rounding.

    interest_paise: the sum of all payments above the amount. discount_paise: the merchant's part of
    a no-cost plan.
    """

    months: int
    monthly_paise: int
    last_paise: int
    interest_paise: int
    discount_paise: int = 0

    @property
    def total_paise(self) -> int:
        """Return the sum of all instalments."""
        return self.monthly_paise * (self.months - 1) + self.last_paise


def _rounded(amount: Decimal) -> int:
    return int(amount.quantize(Decimal(1), rounding=ROUND_HALF_UP, context=_CONTEXT))


def _rate(annual_rate_bps: int) -> Decimal:
    return _CONTEXT.divide(Decimal(annual_rate_bps), Decimal(_MONTHS_A_YEAR * _BASIS_POINTS))


def monthly(amount_paise: int, annual_rate_bps: int, months: int) -> int:
    """Return P·r·(1+r)^n / ((1+r)^n - 1), rounded half up; without a rate P/n."""
    rate = _rate(annual_rate_bps)
    if not rate:
        return _rounded(_CONTEXT.divide(Decimal(amount_paise), Decimal(months)))
    growth = _CONTEXT.power(1 + rate, months)
    return _rounded(_CONTEXT.divide(_CONTEXT.multiply(amount_paise * rate, growth), growth - 1))


def instalments(amount_paise: int, annual_rate_bps: int, months: int) -> Instalments:
    """Return a plan with monthly interest on the remaining debt, rounded half up to the paisa."""
    each, rate, owed = (
        monthly(amount_paise, annual_rate_bps, months),
        _rate(annual_rate_bps),
        amount_paise,
    )
    for _ in range(months - 1):
        owed += _rounded(owed * rate) - each
    last = owed + _rounded(owed * rate)
    return Instalments(months, each, last, each * (months - 1) + last - amount_paise)


def no_cost(amount_paise: int, annual_rate_bps: int, months: int) -> Instalments:
    """Return a plan without cost for the customer: the merchant bears the bank's interest.

    The bank lends the present value of the instalments of P/n; the rest of P is the merchant's
    discount.
    """
    each, rate = monthly(amount_paise, 0, months), _rate(annual_rate_bps)
    last, discount = amount_paise - each * (months - 1), 0
    if rate:
        worth = _CONTEXT.divide(1 - _CONTEXT.power(1 + rate, -months), rate) / months
        discount = amount_paise - _rounded(_CONTEXT.multiply(Decimal(amount_paise), worth))
    return Instalments(months, each, last, 0, discount)
