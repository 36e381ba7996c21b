"""The auditor's own books of each order: what was asked for, and what the gateway acknowledged."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from hundi.sdk.transaction import Transaction


class OrderKind(StrEnum):
    """What kind of order the merchant asked for."""

    SALE = "sale"
    HOLD = "hold"
    SUBSCRIPTION = "subscription"


@dataclass(slots=True)
class RefundBook:
    """One refund that the merchant asked for. refund_id: "" until it was acknowledged.

    refused: why not.
    """

    request_id: str
    paise: int | None
    refund_id: str = ""
    accepted_paise: int | None = None
    refused: str = ""


@dataclass(slots=True)
class SplitBook:
    """How an order was shared.

    basis_points: what the linked account is to get. acknowledged: the gateway said so.
    """

    request_id: str
    basis_points: int
    acknowledged: bool = False


@dataclass(slots=True)
class OrderBook:
    """One order, as its merchant and its customer know it.

    transaction_id: the gateway's name for it, once somebody heard it. said: what verify answered,
    oldest first. captured_paise, voided: what was acknowledged of a hold's end. refund_asked_at:
    the last time. split: how it was shared.
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
