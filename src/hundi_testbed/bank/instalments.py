"""The instalment plans of the simulated banks."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BankEmiPlan:
    """An EMI plan of one bank: months, yearly rate in basis points, smallest amount in paise."""

    bank_code: str
    months: int
    annual_rate_bps: int
    minimum_paise: int
    no_cost: bool = False


_MONTHS = (3, 6, 9, 12, 18)
_RATES_BPS = {"HDFC": 1_500, "ICIC": 1_399, "SBIN": 1_400, "UTIB": 1_450}
_NO_COST = {("HDFC", 3), ("ICIC", 3), ("ICIC", 6)}
_LONG_MONTHS = 6
_MINIMA_PAISE = 1_000_00, 2_000_00
PLANS = tuple(
    BankEmiPlan(
        bank, months, rate, _MINIMA_PAISE[months > _LONG_MONTHS], (bank, months) in _NO_COST
    )
    for bank, rate in _RATES_BPS.items()
    for months in _MONTHS
)


def has_plan(bank_code: str, months: int, amount_paise: int) -> bool:
    """Return whether an amount can be paid in this number of instalments."""
    return any(
        (plan.bank_code, plan.months) == (bank_code, months) and amount_paise >= plan.minimum_paise
        for plan in PLANS
    )
