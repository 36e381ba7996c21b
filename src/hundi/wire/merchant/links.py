"""The messages about payment links in `encdata`, parsed and checked, and `data` of their replies.

See docs/spec/payment-interfaces.md#payment-links.
"""

from dataclasses import dataclass

import msgspec

from hundi.wire import fields
from hundi.wire.fields import FieldError
from hundi.wire.merchant.values import Values, refuse_page_fields, required, text

DESCRIPTION_MAX = 200
DAYS, DAYS_MAX = 30, 366
SURPLUS = ("refund", "keep")
_OWN = "link_id, link_reference"


@dataclass(frozen=True, slots=True)
class NewLinkRequest:
    """A link to make. minimum_paise: 0 where it is paid at once. valid_days: from now on."""

    reference: str
    amount_paise: int
    description: str
    minimum_paise: int = 0
    valid_days: int = DAYS
    surplus: str = SURPLUS[0]
    customer_email: str = ""
    customer_phone: str = ""


@dataclass(frozen=True, slots=True)
class LinkRequest:
    """A link by its id, by the merchant's own name of it, or by both, which must agree.

    "" where one was not sent.
    """

    link_id: str = ""
    reference: str = ""


class LinkOrderData(msgspec.Struct, frozen=True, kw_only=True):
    """A payment under a link, counted once it was paid.

    returned_amount: what goes back because it was too much.
    """

    orderid: str
    ap_transactionid: str
    amount: str
    counted_amount: str
    returned_amount: str
    paid_at: str


class LinkData(msgspec.Struct, frozen=True, kw_only=True):
    """One payment link. Times are ISO 8601, India. minimum: "" where it is paid at once.

    url: send it to the customer. payments: what was paid of it, oldest first; empty in a list.
    """

    link_id: str
    link_reference: str
    url: str
    state: str
    amount: str
    paid_amount: str
    minimum: str
    description: str
    surplus: str
    created_at: str
    valid_until: str
    payments: list[LinkOrderData] = []


def parse_new_link(values: Values) -> NewLinkRequest:
    """Return the link to make. Raises FieldError."""
    refuse_page_fields(values, "the fields of a payment link")
    minimum, days = text(values, "minimum"), text(values, "valid_days")
    email, phone = text(values, "customer_email"), text(values, "customer_phone")
    description = required(values, "description")
    return NewLinkRequest(
        reference=fields.order_id(required(values, "link_reference"), "link_reference"),
        amount_paise=fields.paise_from_text(required(values, "amount")),
        description=fields.words(description, "description", DESCRIPTION_MAX),
        minimum_paise=fields.paise_from_text(minimum, "minimum") if minimum else 0,
        valid_days=fields.count(days, "valid_days", DAYS_MAX, 1) if days else DAYS,
        surplus=fields.one_of(text(values, "surplus") or SURPLUS[0], "surplus", SURPLUS),
        customer_email=email and fields.email(email, "customer_email"),
        customer_phone=phone and fields.phone(phone, "customer_phone"),
    )


def parse_link(values: Values) -> LinkRequest:
    """Return which link is meant. Raises FieldError."""
    refuse_page_fields(values, _OWN)
    link_id, reference = text(values, "link_id"), text(values, "link_reference")
    if not (link_id or reference):
        raise FieldError("link_id", "", f"at least one of {_OWN}")
    return LinkRequest(
        link_id and fields.digits(link_id, "link_id"), reference and fields.order_id(reference, "link_reference")
    )


def parse_list_links(values: Values) -> int:
    """Return before which link the list begins, 0 for the newest. Raises FieldError."""
    refuse_page_fields(values, "before")
    before = text(values, "before")
    return int(fields.digits(before, "before")) if before else 0
