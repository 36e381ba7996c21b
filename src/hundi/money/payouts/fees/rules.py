"""The fees of payouts and their postings; pure."""

from dataclasses import dataclass
from datetime import datetime

from hundi.acquirers.port.answers import ProviderFee
from hundi.kernel.money import Money
from hundi.money.ledger.chart import rules as chart
from hundi.money.ledger.rules import Posting, PostingKind
from hundi.money.payouts.rules import PayoutTry


@dataclass(frozen=True, slots=True)
class PayoutFee:
    """What a provider took for a payout, or gave back.

    kind: of its posting. fee_paise: with tax. tax_paise: the part that is tax.
    """

    merchant_id: int
    payout_id: int
    kind: PostingKind
    connector: str
    fee_paise: int
    tax_paise: int
    at: datetime

    @property
    def posting(self) -> Posting:
        """Return its posting: we owe the provider, or no longer."""
        cost, owed = chart.ACQUIRER_COST.code, chart.PROVIDER_DUE.code
        sides = (cost, owed) if self.kind is PostingKind.PAYOUT_FEE else (owed, cost)
        amount = Money(self.fee_paise)
        return Posting(self.merchant_id, self.payout_id, self.kind, *sides, amount, self.at)

    def differs(self, fee: ProviderFee) -> bool:
        """Return whether the provider says another fee than the one that is booked."""
        return (self.fee_paise, self.tax_paise) != (fee.amount.paise, fee.tax.paise)


def fee_taken(payout: PayoutTry, fee: ProviderFee, now: datetime) -> PayoutFee:
    """Return the fee that a provider says it took for a payout."""
    key = (payout.merchant_id, payout.payout_id, PostingKind.PAYOUT_FEE, payout.provider)
    return PayoutFee(*key, fee.amount.paise, fee.tax.paise, now)
