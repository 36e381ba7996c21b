"""The merchant's SDK: start payments, check messages, verify payments.

`docs/sdk.md` is the tour.
"""

from hundi.kernel.clock import for_people
from hundi.kernel.money import rupees
from hundi.sdk import errors
from hundi.sdk.async_client import AsyncClient
from hundi.sdk.callback import Callbacks, Event, Notification, Return
from hundi.sdk.calls import Gateway
from hundi.sdk.client import Client
from hundi.sdk.credentials import Credentials
from hundi.sdk.errors import HundiError
from hundi.sdk.order import Buyer, Order, PaymentForm, SubscriptionTerms, paise
from hundi.sdk.refunds import RefundResult
from hundi.sdk.seamless import Card, DirectPayment, NextStep
from hundi.sdk.splits import Split, SplitResult
from hundi.sdk.transaction import Transaction
from hundi.sdk.upi import QrCode, QrOrder
from hundi.wire.merchant.banks import Bank
from hundi.wire.merchant.disputes import Dispute, DisputePhase, Evidence
from hundi.wire.merchant.links import (
    LinkPayment,
    NewLinkItem,
    NewPaymentLink,
    PaymentLink,
    PaymentLinkItem,
)
from hundi.wire.merchant.notifications import AnnouncedNotification, AnnouncedPage
from hundi.wire.merchant.refunds import RefundItem
from hundi.wire.merchant.saved_cards import SavedCard
from hundi.wire.merchant.settlements import (
    Payout,
    Settlement,
    SettlementItem,
    SettlementItems,
    SettlementShare,
)
from hundi.wire.merchant.splits import SplitType
from hundi.wire.merchant.subscriptions import Subscription, SubscriptionDebit
from hundi.wire.merchant.terms import BankAccount, NextSettlement, Price, PriceList
from hundi.wire.merchant.upi_address import UpiAddress

__all__ = [
    "AnnouncedNotification",
    "AnnouncedPage",
    "AsyncClient",
    "Bank",
    "BankAccount",
    "Buyer",
    "Callbacks",
    "Card",
    "Client",
    "Credentials",
    "DirectPayment",
    "Dispute",
    "DisputePhase",
    "Event",
    "Evidence",
    "Gateway",
    "HundiError",
    "LinkPayment",
    "NewLinkItem",
    "NewPaymentLink",
    "NextSettlement",
    "NextStep",
    "Notification",
    "Order",
    "PaymentForm",
    "PaymentLink",
    "PaymentLinkItem",
    "Payout",
    "Price",
    "PriceList",
    "QrCode",
    "QrOrder",
    "RefundItem",
    "RefundResult",
    "Return",
    "SavedCard",
    "Settlement",
    "SettlementItem",
    "SettlementItems",
    "SettlementShare",
    "Split",
    "SplitResult",
    "SplitType",
    "Subscription",
    "SubscriptionDebit",
    "SubscriptionTerms",
    "Transaction",
    "UpiAddress",
    "errors",
    "for_people",
    "paise",
    "rupees",
]
