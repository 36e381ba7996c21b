"""GST calculations; pure."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal


@dataclass(frozen=True, slots=True)
class TaxedAmount:
    """An amount and the taxes on top of it, in paise; None for a tax that does not apply."""

    paise: int
    sgst_paise: int | None = None
    cgst_paise: int | None = None
    igst_paise: int | None = None

    @property
    def tax_paise(self) -> int:
        """Return all its taxes."""
        return (self.sgst_paise or 0) + (self.cgst_paise or 0) + (self.igst_paise or 0)


@dataclass(frozen=True, slots=True)
class Calculation:
    """GST on a cost and on the profit on top of it."""

    cost: TaxedAmount
    profit: TaxedAmount

    @property
    def total_tax_paise(self) -> int:
        """Return the taxes of both."""
        return self.cost.tax_paise + self.profit.tax_paise

    @property
    def total_paise(self) -> int:
        """Return both amounts with their taxes."""
        return self.cost.paise + self.profit.paise + self.total_tax_paise


def calculate(cost_paise: int, profit: Decimal, rate: Decimal, *, same_state: bool) -> Calculation:
    """Return GST on a cost and its profit (docs/spec/partner-interfaces.md#gst-calculator).

    profit: per cent of the cost. rate: per cent, on top of each amount. Within one state the halves
    are two levies, each rounded on its own, half a paisa up; between states one levy takes the
    whole rate.
    """
    profit_paise = _share(cost_paise, profit)
    return Calculation(_taxed(cost_paise, rate, same_state), _taxed(profit_paise, rate, same_state))


def _taxed(paise: int, rate: Decimal, same_state: bool) -> TaxedAmount:  # noqa: FBT001 (one caller)
    # Two levies, each rounded on its own: docs/spec/domain.md#gst-halves.
    if same_state:
        half = _share(paise, rate / 2)
        return TaxedAmount(paise, sgst_paise=half, cgst_paise=half)
    return TaxedAmount(paise, igst_paise=_share(paise, rate))


def _share(paise: int, per_cent: Decimal) -> int:
    return int((paise * per_cent / 100).quantize(Decimal(1), ROUND_HALF_UP))
