"""A server that stands in for Cashfree's Payment Gateway API, with what may go wrong there.

`async with running() as bank` gives its address; `bank.world` plays customers, banks and time,
`bank.faults` lets the next calls go wrong. See `world` for the documents it is written from.
"""

import re
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from aiohttp import web

from tests.acquirers.cashfree.world import World
from tests.acquirers.cashfree.world_records import (
    HOLD_LIFE,
    ORDER_LIFE,
    Order,
    Payment,
    next_step,
    order_told,
    payment_told,
    rupees,
)

Fault = Literal["html", "truncated", "lost", "never", "429", "500", "502", "401", "keys"]
"""lost: the work is done, the answer never comes. never: nothing is done, nothing comes."""
CLIENT_ID, CLIENT_SECRET = "cf-stand-in-app", "cf-stand-in-secret"
_ORDER_ID = re.compile(r"[A-Za-z0-9_-]{3,45}\Z")
_PHONE = re.compile(r"(\+91)?[0-9]{10}\Z")
_GROUPS = {
    "upi": "upi",
    "card": "credit_card",
    "netbanking": "net_banking",
    "app": "wallet",
    "paylater": "pay_later",
}
_CLOSED = "order is no longer active"
HTML = b"<html><head><title>502 Bad Gateway</title></head><body>cloudflare</body></html>"


class Refusal(Exception):  # noqa: N818 (it becomes an answer)
    """A call that is answered with an error. kind: of Cashfree's error types."""

    def __init__(
        self, status: int, code: str, message: str, kind: str = "invalid_request_error"
    ) -> None:
        """Take what the answer says."""
        super().__init__(message)
        self.status, self.said = status, {"message": message, "code": code, "type": kind}


@dataclass
class Bank:
    """The running stand-in. calls: method and path of each call it got.

    return_to: where pages send browsers back.
    """

    url: str = ""
    world: World = field(default_factory=lambda: World(CLIENT_SECRET))
    faults: deque[tuple[str, Fault]] = field(default_factory=deque)
    calls: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    repeats: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)
    credentials_hold: bool = True
    links: dict[str, dict[str, Any]] = field(default_factory=dict)

    def fault_for(self, path: str) -> Fault | None:
        """Take the next fault, when it is meant for a path that ends so.

        "" is meant for every path.
        """
        if self.faults and path.endswith(self.faults[0][0]):
            return self.faults.popleft()[1]
        return None


Handler = Callable[[Bank, web.Request, dict[str, Any]], object]
Pages = tuple[tuple[str, Callable[[web.Request], Awaitable[web.Response]]], ...]


def create_order(bank: Bank, _request: web.Request, asked: dict[str, Any]) -> object:
    """POST /orders: an order id is taken once."""
    world = bank.world
    amount, customer = (
        _amount(asked.get("order_amount"), "order_amount"),
        asked.get("customer_details") or {},
    )
    order_id = asked.get("order_id") or f"order_{world.new_id()}"
    if not isinstance(order_id, str) or not _ORDER_ID.match(order_id):
        raise Refusal(
            400,
            "order_id_invalid",
            "order_id : should be alphanumeric with - and _, 3 to 45 characters",
        )
    if not customer.get("customer_id"):
        raise Refusal(
            400, "customer_details.customer_id_missing", "customer_details.customer_id : is missing"
        )
    if not _PHONE.match(str(customer.get("customer_phone", ""))):
        raise Refusal(
            400,
            "customer_details.customer_phone_missing",
            "customer_details.customer_phone : is missing",
        )
    if len(str(asked.get("order_currency", ""))) != 3:
        raise Refusal(400, "order_currency_missing", "order_currency : is missing in the request")
    if order_id in world.orders:
        raise Refusal(409, "order_already_exists", "order with same id is already present")
    expires = asked.get("order_expiry_time")
    at = datetime.fromisoformat(expires) if expires else world.now() + ORDER_LIFE
    if at.tzinfo is None or at <= world.now():
        raise Refusal(
            400,
            "order_expiry_time_invalid",
            "order_expiry_time : should be a time that is not over",
        )
    meta = asked.get("order_meta") or {}
    order = Order(
        order_id,
        world.new_id(),
        amount,
        asked["order_currency"],
        customer,
        meta,
        asked.get("order_note"),
        world.now(),
        at,
        f"session_{world.new_id()}payment",
    )
    world.orders[order_id] = order
    return order_told(order)


def fetch_order(bank: Bank, request: web.Request, _asked: dict[str, Any]) -> object:
    """GET /orders/{order_id}."""
    return order_told(_order(bank, request))


def terminate_order(bank: Bank, request: web.Request, asked: dict[str, Any]) -> object:
    """PATCH /orders/{order_id}: an order with an open attempt is not terminated at once."""
    order = _order(bank, request)
    if asked.get("order_status") != "TERMINATED":
        raise Refusal(400, "order_status_invalid", "order_status : should be TERMINATED")
    if order.status == "ACTIVE":
        open_one = any(each.status in {"PENDING", "NOT_ATTEMPTED"} for each in order.payments)
        order.status = "TERMINATION_REQUESTED" if open_one else "TERMINATED"
    return order_told(order)


def pay_session(bank: Bank, _request: web.Request, asked: dict[str, Any]) -> object:
    """POST /orders/sessions: an attempt; it needs no client secret."""
    order = bank.world.order_of(str(asked.get("payment_session_id")))
    if order is None:
        raise Refusal(
            400, "payment_session_id_invalid", "payment_session_id is not present or is invalid"
        )
    if order.status != "ACTIVE":
        raise Refusal(400, "order_inactive", _CLOSED)
    ((name, method),) = (asked.get("payment_method") or {"": {}}).items()
    if name not in _GROUPS or not method.get("channel"):
        raise Refusal(400, "payment_method_unsupported", "payment_method : is not supported")
    if name == "upi" and method["channel"] not in {"link", "qrcode", "collect"}:
        raise Refusal(400, "payment_method.upi.channel_invalid", "channel : invalid value provided")
    if name == "netbanking" and not isinstance(method.get("netbanking_bank_code"), int):
        raise Refusal(
            400,
            "payment_method.netbanking_bank_code_invalid",
            "netbanking_bank_code : should be a number",
        )
    if name == "app" and (
        not method.get("provider") or not _PHONE.match(str(method.get("phone", "")))
    ):
        raise Refusal(
            400, "payment_method.app_invalid", "provider and phone : are missing in the request"
        )
    shown = {key: value for key, value in method.items() if key not in {"card_number", "card_cvv"}}
    if name == "card":
        shown["card_number"] = f"XXXXXXXXXXXX{str(method.get('card_number', ''))[-4:]}"
    payment = bank.world.attempt(order, _GROUPS[name], {name: shown})
    page = f"{bank.url}/pg/view/gateway/{payment.id}"
    action, data = next_step(name, method["channel"], page, order, payment)
    return {
        "action": action,
        "cf_payment_id": payment.id,
        "channel": method["channel"],
        "data": {"url": None, "payload": None, "content_type": None, "method": None, **data},
        "payment_amount": rupees(payment.amount),
        "payment_method": name,
    }


def fetch_payments(bank: Bank, request: web.Request, _asked: dict[str, Any]) -> object:
    """GET /orders/{order_id}/payments: all attempts, the youngest first."""
    order = _order(bank, request)
    return [payment_told(order, each, bank.world.now()) for each in reversed(order.payments)]


def fetch_payment(bank: Bank, request: web.Request, _asked: dict[str, Any]) -> object:
    """GET /orders/{order_id}/payments/{cf_payment_id}."""
    order = _order(bank, request)
    found = next(
        (each for each in order.payments if each.id == request.match_info["payment_id"]), None
    )
    if found is None:
        raise Refusal(404, "payment_not_found", "Payment not found")
    return payment_told(order, found, bank.world.now())


def end_hold(bank: Bank, request: web.Request, asked: dict[str, Any]) -> object:
    """POST /orders/{order_id}/authorization: CAPTURE all or a part, or VOID.

    Each hold ends once.
    """
    order = _order(bank, request)
    held = next(
        (each for each in order.payments if each.status == "SUCCESS" and not each.captured), None
    )
    action = asked.get("action")
    if action not in {"CAPTURE", "VOID"}:
        raise Refusal(400, "action_invalid", "action : should be CAPTURE or VOID")
    if held is None or bank.world.now() > held.started + HOLD_LIFE:
        raise Refusal(
            400, "authorization_invalid", "no authorised transaction is found for this order"
        )
    if action == "VOID":
        held.action, held.status = "VOID", "VOID"
    else:
        amount = _amount(asked.get("amount"), "amount")
        if amount > held.amount:
            raise Refusal(
                400, "amount_invalid", "amount : should not be more than the authorised amount"
            )
        held.action, held.captured, held.captured_amount = "CAPTURE", True, amount
        bank.world.moved_paise += int(amount * 100)
    return payment_told(order, held, bank.world.now())


def create_refund(bank: Bank, request: web.Request, asked: dict[str, Any]) -> object:
    """POST /orders/{order_id}/refunds: a refund id is taken once."""
    order = _order(bank, request)
    refund_id, amount = (
        str(asked.get("refund_id", "")),
        _amount(asked.get("refund_amount"), "refund_amount"),
    )
    if not re.fullmatch(r"[A-Za-z0-9_-]{3,40}", refund_id):
        raise Refusal(
            400, "refund_id_invalid", "refund_id : should be alphanumeric, 3 to 40 characters"
        )
    if refund_id in order.refunds:
        # Its code is not published: only the status and the error's type are.
        raise Refusal(409, "refund_already_exists", "refund with same id is already present")
    paid = next(
        (each for each in order.payments if each.status == "SUCCESS" and each.captured), None
    )
    if paid is None:
        raise Refusal(400, "order_not_paid", "no successful transaction is found for this order")
    if amount > bank.world.refundable(paid, order):
        raise Refusal(
            400,
            "refund_amount_invalid",
            "refund_amount : should not be more than what can be refunded",
        )
    return bank.world.refund(order, paid, refund_id, amount, "MERCHANT_INITIATED")


def fetch_refund(bank: Bank, request: web.Request, _asked: dict[str, Any]) -> object:
    """GET /orders/{order_id}/refunds/{refund_id}."""
    found = _order(bank, request).refunds.get(request.match_info["refund_id"])
    if found is None:
        raise Refusal(404, "refund_not_found", "refund not found")
    return found


def fetch_refunds(bank: Bank, request: web.Request, _asked: dict[str, Any]) -> object:
    """GET /orders/{order_id}/refunds: ours and Cashfree's own."""
    return list(_order(bank, request).refunds.values())


def simulate(bank: Bank, _request: web.Request, asked: dict[str, Any]) -> object:
    """POST /simulate: of the sandbox; decides an attempt."""
    found = bank.world.payment(str(asked.get("entity_id")))
    wanted = (asked.get("entity_simulation") or {}).get("payment_status")
    if found is None or asked.get("entity") != "PAYMENTS":
        raise Refusal(404, "payment_not_found", "Payment not found")
    order, payment = found
    _decide(bank, order, payment, str(wanted))
    return {**asked, "simulation_id": f"sim_{bank.world.new_id()}"}


def _decide(bank: Bank, order: Order, payment: Payment, wanted: str) -> None:
    if wanted == "SUCCESS":
        bank.world.pay(order.id, payment=payment)
    elif wanted in {"FAILED", "USER_DROPPED"}:
        bank.world.fail(order.id, status=wanted)
    else:
        payment.status = wanted


async def page(request: web.Request) -> web.Response:
    """A bank's page or a challenge.

    A POST with `outcome` decides the attempt and sends the browser back.
    """
    bank: Bank = request.app[BANK]
    found = bank.world.payment(request.match_info["payment_id"])
    if found is None:
        return web.Response(status=404)
    order, payment = found
    if request.method == "GET":
        return web.Response(
            text='<form method="post"><button name="outcome" value="SUCCESS">Pay</button></form>'
        )
    form = await request.post()
    _decide(bank, order, payment, str(form["outcome"]))
    back = str(order.meta.get("return_url", "")).replace("{order_id}", order.id)
    return web.Response(status=303, headers={"Location": back})


def _order(bank: Bank, request: web.Request) -> Order:
    found = bank.world.orders.get(request.match_info["order_id"])
    if found is None:
        raise Refusal(404, "order_not_found", "Order Reference Id does not exist")
    return found


def _amount(value: object, name: str) -> Decimal:
    wrong = Refusal(
        400, f"{name}_invalid", f"{name} : should be a number of two decimals, at least 1"
    )
    try:
        given = Decimal(str(value))
        amount = given.quantize(Decimal("0.01"))
    except InvalidOperation:
        raise wrong from None
    if amount != given or amount < 1 or isinstance(value, bool | str):
        raise wrong
    return amount


BANK: web.AppKey[Bank] = web.AppKey("bank", Bank)
