"""The chart of accounts: the same for every merchant, and every account says what its balance means.

An account is a code, and an account that exists once a connector carries the connector's name after a colon. Accounts
are never created: a merchant has one as soon as something is posted to it.
"""

from dataclasses import dataclass
from enum import StrEnum


class Side(StrEnum):
    """What an account is, and so which side makes its balance grow."""

    ASSET = "asset"
    """Grows by debits: somebody owes us."""
    LIABILITY = "liability"
    """Grows by credits: we owe somebody."""
    INCOME = "income"
    """Grows by credits: we earned it."""
    EXPENSE = "expense"
    """Grows by debits: it cost us."""

    @property
    def grows_by_debits(self) -> bool:
        """Return whether debits, and not credits, make a balance of this side grow."""
        return self in {Side.ASSET, Side.EXPENSE}


@dataclass(frozen=True, slots=True)
class Account:
    """One line of the chart. code: in postings, before the colon. meaning: of a balance, for people."""

    code: str
    side: Side
    meaning: str


RECEIVABLE = Account("receivable", Side.ASSET, "what the acquirer collected for this merchant and has not handed over")
PAYABLE = Account("payable", Side.LIABILITY, "what we owe the merchant for its paid orders")
OWED_BACK = Account("owed_back", Side.LIABILITY, "what we owe customers: money an order could not keep")

REFUNDS_IN_FLIGHT = Account("refunds_in_flight", Side.LIABILITY, "what is on its way back to customers")
HELD_FOR_REVIEW = Account("held_for_review", Side.LIABILITY, "what came in and waits for the end of a review")
PAYABLE_LINKED = Account("payable_linked", Side.LIABILITY, "what we owe a linked account for its share of paid orders")

DISPUTED = Account("disputed", Side.LIABILITY, "what is held back because a customer's bank disputes it")
RESERVE = Account("reserve", Side.LIABILITY, "what was withheld from settlements for a time")
SETTLEMENT_DUE = Account("settlement_due", Side.LIABILITY, "what was settled for the merchant's own bank account")
PAYOUTS_IN_FLIGHT = Account("payouts_in_flight", Side.LIABILITY, "what was sent to bank accounts and is not confirmed")
TAX_PAYABLE = Account("tax_payable", Side.LIABILITY, "GST on fees, which we owe to the government")
FEE_INCOME = Account("fee_income", Side.INCOME, "what the merchant was charged for our services, without tax")
ACQUIRER_COST = Account("acquirer_cost", Side.EXPENSE, "what acquirers kept for their services")
ESCROW = Account("escrow", Side.ASSET, "what lies in our bank account for this merchant")

CHART = {
    account.code: account
    for account in (
        RECEIVABLE,
        PAYABLE,
        OWED_BACK,
        REFUNDS_IN_FLIGHT,
        HELD_FOR_REVIEW,
        PAYABLE_LINKED,
        DISPUTED,
        RESERVE,
        SETTLEMENT_DUE,
        PAYOUTS_IN_FLIGHT,
        TAX_PAYABLE,
        FEE_INCOME,
        ACQUIRER_COST,
        ESCROW,
    )
}


def receivable_from(connector: str) -> str:
    """Return the account of what one acquirer owes."""
    return f"{RECEIVABLE.code}:{connector}"


def account_of(code: str) -> Account:
    """Return the chart's line for an account code. Raises KeyError when it is not in the chart."""
    return CHART[code.partition(":")[0]]
