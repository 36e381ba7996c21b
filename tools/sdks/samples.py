"""The samples of the documentation: each is declared once, and written in six languages.

A sample is an operation of the table and the values that it takes. What a language calls it, and
how it takes its fields, follows from the model of which the SDKs are written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tools.sdks import model
from tools.sdks.shapes import FieldModel, MessageModel, OperationModel


@dataclass(frozen=True, slots=True)
class GivenValue:
    """A value that the reader has, in a variable of the environment. after: follows it."""

    name: str
    after: str = ""


@dataclass(frozen=True, slots=True)
class PageSample:
    """One call on a page of the documentation.

    method: of the operation. says: what it does, in a few words. values: by the names of the
    request's fields. shows: the field of the reply that is printed; "" for a list, whose length is.
    """

    page: str
    method: str
    says: str
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    shows: str = ""


_NEW, _PAID = GivenValue("NEW_ORDER_ID"), GivenValue("TRANSACTION_ID")
_SUBSCRIPTION = {"transaction_id": GivenValue("SUBSCRIPTION_ID")}
SAMPLES = (
    PageSample(
        "sdk",
        "generate_qr",
        "Open an order that is paid by a scan",
        {"order_id": _NEW, "amount_paise": 5000},
        "order_id",
    ),
    PageSample(
        "verify",
        "verify",
        "Ask what became of an order; its id and amount are those of your own books",
        {"order_id": GivenValue("ORDER_ID"), "amount_paise": 149950},
        "payment_status",
    ),
    PageSample(
        "refund",
        "refund",
        "Give a part of a payment back",
        {
            "items": [{"transaction_id": _PAID, "amount_paise": 100}],
            "request_id": GivenValue("NEW_ORDER_ID", "-R"),
        },
        "transaction_id",
    ),
    PageSample(
        "capture-void",
        "capture",
        "Take a part of what a card's bank holds",
        {"transaction_id": GivenValue("HELD_ID"), "amount_paise": 100000},
        "payment_status",
    ),
    PageSample(
        "capture-void",
        "void",
        "Give all of it up",
        {"transaction_id": GivenValue("OTHER_HELD_ID")},
        "payment_status",
    ),
    PageSample(
        "generateorder",
        "generate_qr",
        "Open an order that is paid by a scan",
        {"order_id": GivenValue("NEW_ORDER_ID", "-QR"), "amount_paise": 149950},
        "order_id",
    ),
    PageSample(
        "validatevpa",
        "validate_vpa",
        "Ask whether somebody has an address",
        {"address": "asha.rao@hundi"},
        "name",
    ),
    PageSample("banks", "banks", "List what is open to you", {"channels": ["upi", "nb"]}),
    PageSample(
        "payment-links",
        "create_link",
        "Make a link",
        {
            "reference": GivenValue("NEW_ORDER_ID", "-L"),
            "amount_paise": 150000,
            "description": "Two silk sarees",
            "minimum_paise": 50000,
        },
        "state",
    ),
    PageSample(
        "payment-links",
        "link",
        "Ask for its state",
        {"reference": GivenValue("NEW_ORDER_ID", "-L")},
        "state",
    ),
    PageSample("saved-cards", "saved_cards", "List a customer's cards", {"customer_id": "asha-7"}),
    PageSample(
        "subscriptions", "subscription", "Ask how a subscription stands", _SUBSCRIPTION, "state"
    ),
    PageSample("subscriptions", "pause_subscription", "Pause it", _SUBSCRIPTION, "state"),
    PageSample("merchant-money", "settlements", "List your settlements"),
    PageSample("merchant-money", "payouts", "List the payouts that arrived", {"state": "done"}),
    PageSample(
        "split",
        "split",
        "Share a payment with a linked account, in hundredths of a per cent",
        {
            "transaction_id": GivenValue("SPLITTABLE_ID"),
            "rrn": GivenValue("SPLITTABLE_RRN"),
            "request_id": GivenValue("SPLIT_REQUEST_ID"),
            "type": "percentage",
            "primary_value": 2000,
            "parts": [{"identifier": "WEAVER", "value": 8000}],
        },
        "status",
    ),
    PageSample("disputes", "disputes", "List open disputes", {"state": "open"}),
    PageSample("callbacks", "notifications", "List what was announced to you", {}, "next"),
)
"""Every sample, in the order in which a test runs them."""


@dataclass(frozen=True, slots=True)
class SampleArgument:
    """One argument of a call: a value of a field, or a message with the values of its fields."""

    field: FieldModel | None
    value: Any
    message: MessageModel | None = None


def operation_of(sample: PageSample) -> OperationModel:
    """Return the operation that a sample calls."""
    return next(each for each in model.operations() if each.method == sample.method)


def message_of(name: str) -> MessageModel:
    """Return a message by its name."""
    return next(each for each in model.messages() if each.name == name)


def arguments_of(sample: PageSample, *, single_if_required: bool = False) -> list[SampleArgument]:
    """Return the arguments of an SDK's method, as the writers of methods make its parameters.

    single_if_required: a lone field stands for its message only where it is required.
    """
    request, values = message_of(operation_of(sample).request), sample.values
    if sample.method == "verify":
        fields = tuple(each for each in message_of("GenerateOrderRequest").fields)
        expected = MessageModel("Expected", "", fields)
        return [SampleArgument(None, values, expected)]
    if sample.method == "refund":
        return [SampleArgument(each, values[each.name]) for each in request.attributes]
    match request.attributes:
        case ():
            return []
        case (one,) if one.required if single_if_required else not one.nullable:
            return [SampleArgument(one, values.get(one.name, ""))]
        case _:
            return [SampleArgument(None, values, request)]


def given_fields(message: MessageModel, values: Mapping[str, Any]) -> Sequence[FieldModel]:
    """Return the fields of a message that have a value, in the message's order."""
    return [each for each in message.attributes if each.name in values]


def is_list(sample: PageSample) -> bool:
    """Return whether a sample prints how many entries came."""
    return not sample.shows


def variables() -> list[str]:
    """Return the names of all variables that the samples take."""
    found: dict[str, None] = {}

    def look(value: object) -> None:
        if isinstance(value, GivenValue):
            found[value.name] = None
        elif isinstance(value, Mapping):
            for each in value.values():
                look(each)
        elif isinstance(value, list):
            for each in value:
                look(each)

    for sample in SAMPLES:
        look(sample.values)
    return list(found)
