"""The samples of the documentation: each declared once, and written in six languages.

A sample is an operation of the table and the values that it takes. What each language calls it,
and how it takes its fields, follows from the same model as the SDKs themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tools.sdks import model
from tools.sdks.shapes import FieldModel, MessageModel, OperationModel


@dataclass(frozen=True, slots=True)
class Given:
    """A value that the reader has: the name of a variable of the environment. after: a suffix."""

    name: str
    after: str = ""


@dataclass(frozen=True, slots=True)
class PageSample:
    """One call on a page.

    method: of the operation. values: by the names of the request's fields. shows: the field of the
    reply that is printed, "" where a list is counted. says: what it does, in a few words.
    """

    page: str
    method: str
    says: str
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    shows: str = ""


ORDER, PAID, HELD, OTHER_HELD = (
    Given("ORDER_ID"),
    Given("TRANSACTION_ID"),
    Given("HELD_ID"),
    Given("OTHER_HELD_ID"),
)
NEW_ORDER = Given("NEW_ORDER_ID")
SUBSCRIPTION = Given("SUBSCRIPTION_ID")
SAMPLES = (
    PageSample("sdk", "generate_qr", "Open an order", {"order_id": NEW_ORDER, "amount_paise": 5000}, "order_id"),
    PageSample("verify", "verify", "Ask for the state", {"order_id": ORDER, "amount_paise": 149950}, "payment_status"),
    PageSample(
        "refund",
        "refund",
        "Give a part back",
        {"items": [{"transaction_id": PAID, "amount_paise": 100}], "request_id": Given("NEW_ORDER_ID", "-R")},
        "transaction_id",
    ),
    PageSample("capture-void", "capture", "Take a part of what is held", {"transaction_id": HELD, "amount_paise": 100000}, "payment_status"),
    PageSample("capture-void", "void", "Give it up", {"transaction_id": OTHER_HELD}, "payment_status"),
    PageSample("generateorder", "generate_qr", "Show a QR", {"order_id": Given("NEW_ORDER_ID", "-QR"), "amount_paise": 149950}, "order_id"),
    PageSample("validatevpa", "validate_vpa", "Ask who has an address", {"address": "asha.rao@hundi"}, "name"),
    PageSample("banks", "banks", "List banks", {"channels": ["upi", "nb"]}),
    PageSample("payment-links", "create_link", "Make a link", {"reference": Given("NEW_ORDER_ID", "-L"), "amount_paise": 150000, "description": "Two silk sarees", "minimum_paise": 50000}, "state"),
    PageSample("saved-cards", "saved_cards", "List a customer's cards", {"customer_id": "asha-7"}),
    PageSample("subscriptions", "subscription", "Ask how it stands", {"transaction_id": SUBSCRIPTION}, "state"),
    PageSample("subscriptions", "pause_subscription", "Pause it", {"transaction_id": SUBSCRIPTION}, "state"),
    PageSample("merchant-money", "settlements", "List settlements"),
    PageSample("merchant-money", "payouts", "List payouts", {"state": "done"}),
    PageSample("split", "split", "Share a payment", {"transaction_id": Given("SPLIT_ID"), "request_id": Given("SPLIT_REQUEST_ID"), "type": "percentage", "primary_value": 2000, "parts": [{"identifier": "WEAVER", "value": 8000}], "rrn": Given("SPLIT_RRN")}, "status"),
    PageSample("disputes", "disputes", "List open disputes", {"state": "open"}),
    PageSample("callbacks", "notifications", "List what was announced", {}, "next"),
)
