"""The chart of accounts: the same for every merchant, each with the meaning of its balance.

An account is a code; one that exists for each connector has the connector's name after a colon.
Accounts are never created: a merchant has one as soon as something is posted to it.
"""

from dataclasses import dataclass
from enum import StrEnum


class AccountSide(StrEnum):
    """The kind of an account, which decides the side on which its balance grows."""

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
        """Return whether debits increase a balance of this side."""
        return self in {AccountSide.ASSET, AccountSide.EXPENSE}


@dataclass(frozen=True, slots=True)
class LedgerAccount:
    """One line of the chart. code: the part before the colon. meaning: of a balance, for people."""

    code: str
    side: AccountSide
    meaning: str


RECEIVABLE = LedgerAccount(
    "receivable",
    AccountSide.ASSET,
    "what the acquirer collected for this merchant and has not handed over",
)
PAYABLE = LedgerAccount(
    "payable", AccountSide.LIABILITY, "what we owe the merchant for its paid orders"
)
OWED_BACK = LedgerAccount(
    "owed_back", AccountSide.LIABILITY, "what we owe customers: money an order could not keep"
)

REFUNDS_IN_FLIGHT = LedgerAccount(
    "refunds_in_flight", AccountSide.LIABILITY, "what is on its way back to customers"
)
HELD_FOR_REVIEW = LedgerAccount(
    "held_for_review", AccountSide.LIABILITY, "what came in and waits for the end of a review"
)
PAYABLE_LINKED = LedgerAccount(
    "payable_linked",
    AccountSide.LIABILITY,
    "what we owe a linked account for its share of paid orders",
)
DIRECT_SHARES = LedgerAccount(
    "direct_shares",
    AccountSide.LIABILITY,
    "what acquirers are to settle to linked accounts themselves",
)

DISPUTED = LedgerAccount(
    "disputed", AccountSide.LIABILITY, "what is held back because a customer's bank disputes it"
)
RESERVE = LedgerAccount(
    "reserve", AccountSide.LIABILITY, "what was withheld from settlements for a time"
)
SETTLEMENT_DUE = LedgerAccount(
    "settlement_due", AccountSide.LIABILITY, "what was settled for the merchant's own bank account"
)
PAYOUTS_IN_FLIGHT = LedgerAccount(
    "payouts_in_flight",
    AccountSide.LIABILITY,
    "what was sent to bank accounts and is not confirmed",
)
PAID_TWICE = LedgerAccount(
    "paid_twice",
    AccountSide.ASSET,
    "what a bank paid although it had refused it, and another payout had left",
)
PROVIDER_DUE = LedgerAccount(
    "provider_due",
    AccountSide.LIABILITY,
    "what we owe providers for payouts and for checks of bank accounts",
)
TAX_PAYABLE = LedgerAccount(
    "tax_payable", AccountSide.LIABILITY, "GST on fees, which we owe to the government"
)
FEE_INCOME = LedgerAccount(
    "fee_income", AccountSide.INCOME, "what the merchant was charged for our services, without tax"
)
ACQUIRER_COST = LedgerAccount(
    "acquirer_cost", AccountSide.EXPENSE, "what acquirers kept for their services"
)
ESCROW = LedgerAccount(
    "escrow", AccountSide.ASSET, "what lies in our bank account for this merchant"
)

CHART = {
    account.code: account
    for account in (
        RECEIVABLE,
        PAYABLE,
        OWED_BACK,
        REFUNDS_IN_FLIGHT,
        HELD_FOR_REVIEW,
        PAYABLE_LINKED,
        DIRECT_SHARES,
        DISPUTED,
        RESERVE,
        SETTLEMENT_DUE,
        PAYOUTS_IN_FLIGHT,
        PAID_TWICE,
        PROVIDER_DUE,
        TAX_PAYABLE,
        FEE_INCOME,
        ACQUIRER_COST,
        ESCROW,
    )
}


def receivable_from(connector: str) -> str:
    """Return the account of the amount that an acquirer owes."""
    return f"{RECEIVABLE.code}:{connector}"


def account_of(code: str) -> LedgerAccount:
    """Return the chart's line for an account code. Raises KeyError for an unknown one."""
    return CHART[code.partition(":")[0]]
