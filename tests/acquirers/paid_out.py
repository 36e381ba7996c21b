"""What the tests of connectors that pay out order, and how their providers are played."""

from collections.abc import Sized
from itertools import count
from typing import Any

from hundi.acquirers.contract.steps import ConnectorCase
from hundi.acquirers.port.answers import BankAccount
from hundi.acquirers.port.payouts import PayoutOrder
from hundi.kernel.money import Money
from tests.acquirers.playing import given_at
from tests.acquirers.stage import Trouble

GOOD = BankAccount("50100012349999", "HDFC0000001")
CLOSED = BankAccount("50100012340002", "HDFC0000001")
PAYOUT = "10001-P215000000000001"
CHECK = "10001-V215000000000001"
PAISE = 149_950
DAY_S = 86_400
DONE = (Trouble.LOST_AFTER, Trouble.FAILED_AFTER, Trouble.CUT, Trouble.EMPTY)
"""Troubles after which the provider did what it was called for."""
NOT_DONE = (
    Trouble.LOST_BEFORE,
    Trouble.TOO_MANY,
    Trouble.FAILED_BEFORE,
    Trouble.UNAVAILABLE,
    Trouble.HTML,
)


def order(reference: str = PAYOUT, paise: int = PAISE, **differing: Any) -> PayoutOrder:
    fields: dict[str, Any] = {
        "rail": "imps",
        "account": GOOD,
        "holder": "CHAI HOUSE",
        "narration": "Settlement 215000000000001",
    }
    return PayoutOrder(reference, Money(paise), **fields | differing)


def given_provider(calls: Sized, **differing: Any) -> ConnectorCase:
    """Return how a provider of payouts is played. differing: what is not the same for all."""
    numbers = count(215_000_000_000_001)

    def new_payout() -> str:
        return f"10001-P{next(numbers)}"

    def new_check() -> str:
        return f"10001-V{next(numbers)}"

    return given_at(
        calls,
        new_reference=new_payout,
        payout_reference=new_payout,
        check_reference=new_check,
        good_account=GOOD,
        closed_account=CLOSED,
        **differing,
    )
