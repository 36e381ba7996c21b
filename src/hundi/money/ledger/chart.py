"""The chart of accounts: the same for every merchant, and every account says what its balance means.

An account is a code, and an account that exists once a connector carries the connector's name after a colon. Accounts
are never created: a merchant has one as soon as something is posted to it.
"""

from dataclasses import dataclass
from enum import StrEnum


class Side(StrEnum):
    """Which side of an account makes its balance grow."""

    ASSET = "asset"
    """Grows by debits: somebody owes us."""
    LIABILITY = "liability"
    """Grows by credits: we owe somebody."""


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

CHART = {
    account.code: account
    for account in (RECEIVABLE, PAYABLE, OWED_BACK, REFUNDS_IN_FLIGHT, HELD_FOR_REVIEW, PAYABLE_LINKED)
}


def receivable_from(connector: str) -> str:
    """Return the account of what one acquirer owes."""
    return f"{RECEIVABLE.code}:{connector}"


def account_of(code: str) -> Account:
    """Return the chart's line for an account code. Raises KeyError when it is not in the chart."""
    return CHART[code.partition(":")[0]]
