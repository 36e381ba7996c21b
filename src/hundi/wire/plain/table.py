"""Every operation of the plain interface, by its matter.

What the payment interface has is taken from its table; what a browser's form or a batch is there
has a message of its own here.
"""

from collections.abc import Mapping
from typing import Any

from hundi.wire.merchant import disputes, links, settlements
from hundi.wire.operation import Tag
from hundi.wire.plain import events, orders, refunds
from hundi.wire.plain.operation import PREFIX, Listing, PlainOperation, plain_of

LINKS_MAX, SETTLED_MAX, ITEMS_MAX = 100, 50, 500
"""Rows of one page of links; of settlements, payouts or disputes; of a settlement's items."""
CREATE_LINK = plain_of(links.CREATE, "POST", "payment_links", repeating="taken", status=201)
OPERATIONS: Mapping[Tag, tuple[PlainOperation[Any, Any], ...]] = {
    Tag("Orders", "Orders, their payment page, and whether they are paid.", "v1"): (
        orders.CREATE,
        orders.SHOW,
        orders.LIST,
        orders.QR,
    ),
    Tag("Refunds", "Money that goes back to a customer.", "v1"): (
        refunds.CREATE,
        refunds.SHOW,
        orders.REFUNDS,
    ),
    Tag("Payment links", "Addresses at which an amount can be paid.", "payment-links"): (
        CREATE_LINK,
        plain_of(links.STATUS, "GET", "payment_links/{link_id}"),
        plain_of(
            links.LIST,
            "GET",
            "payment_links",
            Listing("links", place="link_id", most=LINKS_MAX),
        ),
        plain_of(links.CANCEL, "POST", "payment_links/{link_id}/cancel"),
    ),
    Tag("Settlements", "What the merchant is owed, and what was paid out.", "merchant-money"): (
        plain_of(
            settlements.LIST,
            "GET",
            "settlements",
            Listing("settlements", place="settlement_id", most=SETTLED_MAX),
        ),
        plain_of(settlements.STATUS, "GET", "settlements/{settlement_id}"),
        plain_of(
            settlements.ITEMS,
            "GET",
            "settlements/{settlement_id}/items",
            Listing("items", "after", most=ITEMS_MAX),
        ),
        plain_of(
            settlements.PAYOUTS,
            "GET",
            "payouts",
            Listing("payouts", place="payout_id", most=SETTLED_MAX),
        ),
    ),
    Tag("Disputes", "Payments that a customer's bank disputes.", "disputes"): (
        plain_of(
            disputes.LIST,
            "GET",
            "disputes",
            Listing("disputes", place="dispute_id", most=SETTLED_MAX),
        ),
        plain_of(disputes.STATUS, "GET", "disputes/{dispute_id}"),
    ),
    Tag("Events", "What webhooks bring, for who cannot be called.", "v1"): (events.LIST,),
}
_ALL = tuple(operation for operations in OPERATIONS.values() for operation in operations)


def operation_at(
    method: str, path: str
) -> tuple[PlainOperation[Any, Any] | None, Mapping[str, str], tuple[str, ...]]:
    """Return the operation at an address with the fields in it, and the methods that it takes."""
    below, methods = path.removeprefix(PREFIX), list[str]()
    for operation in _ALL:
        fields = operation.fields_at(below)
        if fields is None:
            continue
        if operation.method == method:
            return operation, fields, ()
        methods.append(operation.method)
    return None, {}, tuple(methods)
