"""Payment links beside the stand-in of Cashfree.

POST /links, GET /links/{link_id} and its orders, and the link's page.

Written from the OpenAPI description of version 2025-01-01 (github.com/api-evangelist/cashfree,
commit 0b823c53, openapi/_original/openapi-payment-gateway.json: PGCreateLink, PGFetchLink,
PGLinkFetchOrders) by the author of the connector. That each try at the page is an order of its own,
and what its id looks like, is not published.
"""

from contextlib import AbstractAsyncContextManager
from datetime import datetime
from decimal import Decimal
from typing import Any

from aiohttp import web

from tests.acquirers.cashfree.standin import BANK, Bank, Handler, Refusal
from tests.acquirers.cashfree.standin_disputes import ROUTES as DISPUTE_ROUTES
from tests.acquirers.cashfree.standin_money import recon
from tests.acquirers.cashfree.standin_server import running
from tests.acquirers.cashfree.world_records import Order, order_told, rupees, stamp

EMI = {
    "channel": "link",
    "card_number": "41111xxxxxx111",
    "card_network": "visa",
    "card_type": "credit_card",
    "card_country": "IN",
    "card_bank_name": "HDFC Bank",
    "card_network_reference_id": "100212023061229",
    "emi_tenure": 6,
    "emi_details": {"emi_amount": 254.95, "emi_tenure": 6, "emi_interest": 30.2},
}
"""The published example of the OpenAPI description's PaymentMethodCardEMIInPaymentsEntity, with its
other fields.
"""


def create_link(bank: Bank, _request: web.Request, asked: dict[str, Any]) -> object:
    """POST /links: a link id is taken once."""
    for name in ("link_currency", "link_id", "link_amount", "customer_details", "link_purpose"):
        if not asked.get(name):
            raise Refusal(400, f"{name}_missing", f"{name} : is missing in the request")
    if not asked["customer_details"].get("customer_phone"):
        raise Refusal(
            400,
            "customer_details.customer_phone_missing",
            "customer_phone : is missing in the request",
        )
    if asked["link_id"] in bank.links:
        raise Refusal(409, "link_already_exists", "link with same id is already present")
    number = bank.world.new_id()
    link = {
        "cf_link_id": number,
        "link_status": "ACTIVE",
        "link_url": f"{bank.url}/links/l{number}",
        "orders": [],
    }
    bank.links[asked["link_id"]] = link | {"asked": asked}
    return told(bank, bank.links[asked["link_id"]])


def told(bank: Bank, link: dict[str, Any]) -> dict[str, Any]:
    """Return a link as the API tells it."""
    asked = link["asked"]
    ends = datetime.fromisoformat(asked["link_expiry_time"])
    orders = [bank.world.orders[each] for each in link["orders"]]
    if any(each.status == "PAID" for each in orders):
        link["link_status"] = "PAID"
    elif link["link_status"] == "ACTIVE" and bank.world.now() >= ends:
        link["link_status"] = "EXPIRED"
    known = (
        "link_id",
        "link_currency",
        "link_purpose",
        "customer_details",
        "link_meta",
        "link_notify",
    )
    return {
        **{name: asked.get(name) for name in known},
        **{name: link[name] for name in ("cf_link_id", "link_status", "link_url")},
        "link_amount": rupees(Decimal(str(asked["link_amount"]))),
        "link_amount_paid": 0,
        "link_expiry_time": stamp(ends),
        "link_notes": {},
        "order_splits": [],
    }


def fetch_link(bank: Bank, request: web.Request, _asked: dict[str, Any]) -> object:
    """GET /links/{link_id}."""
    return told(bank, _link(bank, request))


def fetch_orders(bank: Bank, request: web.Request, _asked: dict[str, Any]) -> object:
    """GET /links/{link_id}/orders: of the paid ones alone, unless all are asked for."""
    link, wanted = _link(bank, request), request.query.get("status", "PAID")
    found = [bank.world.orders[each] for each in link["orders"]]
    link_id = link["asked"]["link_id"]
    return [
        order_told(each) | {"link_id": link_id} for each in found if wanted in {"ALL", each.status}
    ]


def _link(bank: Bank, request: web.Request) -> dict[str, Any]:
    if request.match_info["link_id"] not in bank.links:
        raise Refusal(404, "link_not_found", "link does not exist")
    return bank.links[request.match_info["link_id"]]


async def link_page(request: web.Request) -> web.Response:
    """The page of a link: a POST with `outcome` is one try with a card."""
    bank = request.app[BANK]
    link = next(
        (each for each in bank.links.values() if each["link_url"].endswith(request.path)), None
    )
    if link is None:
        return web.Response(status=404)
    if request.method == "GET":
        return web.Response(
            text='<form method="post"><button name="outcome" value="SUCCESS">Pay</button></form>'
        )
    order = open_order(bank, link)
    if link["asked"]["link_meta"]["payment_methods"] == "ccemi":
        # What the group is called is not published.
        bank.world.attempt(order, "credit_card_emi", {"emi": EMI})
    else:
        card = {
            "card": {"channel": "link", "card_number": "XXXXXXXXXXXX0153", "card_network": "visa"}
        }
        bank.world.attempt(order, "credit_card", card)
    outcome = str((await request.post())["outcome"])
    if outcome == "SUCCESS":
        bank.world.pay(order.id)
    elif outcome != "PENDING":
        bank.world.fail(order.id, status=outcome)
    return web.Response(status=303, headers={"Location": link["asked"]["link_meta"]["return_url"]})


def open_order(bank: Bank, link: dict[str, Any]) -> Order:
    """Make the order of one try at the page."""
    asked, world = link["asked"], bank.world
    ends, number = datetime.fromisoformat(asked["link_expiry_time"]), world.new_id()
    amount = Decimal(str(asked["link_amount"]))
    order = Order(
        f"CFPay_{number}",
        number,
        amount,
        asked["link_currency"],
        asked["customer_details"],
        asked["link_meta"],
        None,
        world.now(),
        ends,
        f"session_{number}link",
        tags={"link_id": asked["link_id"]},
    )
    world.orders[order.id] = order
    link["orders"].append(order.id)
    return order


def running_with_links(*more: tuple[str, str, Handler]) -> AbstractAsyncContextManager[Bank]:
    """Run the stand-in with payment links, settlements and disputes. more: further routes."""
    routes = (
        ("POST", "/pg/links", create_link),
        ("GET", "/pg/links/{link_id}", fetch_link),
        ("GET", "/pg/links/{link_id}/orders", fetch_orders),
        ("POST", "/pg/settlement/recon", recon),
        *DISPUTE_ROUTES,
        *more,
    )
    return running(*routes, pages=(("/links/{name}", link_page),))
