"""The auditor's own books of each order: the merchant's requests, and the gateway's answers."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from hundi.sdk.transaction import Transaction


class OrderKind(StrEnum):
    """The kind of an order."""

    SALE = "sale"
    HOLD = "hold"
    SUBSCRIPTION = "subscription"


@dataclass(slots=True)
class RefundBook:
    """One refund that the merchant requested. refund_id: "" until it was acknowledged.

    refused: the reason.
    """

    request_id: str
    paise: int | None
    refund_id: str = ""
    accepted_paise: int | None = None
    refused: str = ""


@dataclass(slots=True)
class SplitBook:
    """The split of an order.

    basis_points: the linked account's part. acknowledged: the gateway accepted it.
    """

    request_id: str
    basis_points: int
    acknowledged: bool = False


@dataclass(slots=True)
class OrderBook:
    """One order, as its merchant and its customer know it.

    transaction_id: the gateway's id, once somebody heard it. said: the answers of verify, oldest
    first. captured_paise, voided: the acknowledged end of a hold. refund_asked_at: the last time.
    split: how it was shared.
    """

    shop: int
    order_id: str
    amount_paise: int
    asked: OrderKind
    transaction_id: str = ""
    refunds: list[RefundBook] = field(default_factory=list)
    said: list[Transaction] = field(default_factory=list)
    captured_paise: int | None = None
    voided: bool = False
    debit_paise: int = 0
    refund_asked_at: datetime | None = None
    split: SplitBook | None = None

    @property
    def key(self) -> str:
        """Return its name in the whole simulation."""
        return f"{self.shop}/{self.order_id}"
