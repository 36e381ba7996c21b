"""What Cashfree's stand-in hands over, and its reconciliation of it.

Written from model_settlement_recon_entity*.go of cashfree/cashfree-pg and from the page of `POST
/settlement/recon`.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any

from aiohttp import web

from tests.acquirers.cashfree.standin import Bank, Refusal
from tests.acquirers.cashfree.world import World
from tests.acquirers.cashfree.world_records import rupees, stamp

LIMIT_MAX = 1_000
_CENT = Decimal("0.01")


def settle(
    world: World, utr: str = "AXISCN1136869959", link_of: dict[str, str] | None = None
) -> datetime:
    """Hand over all that moved and is in no settlement yet.

    link_of: by an order's id the payment link it is of.
    """
    at, number = world.now(), world.new_id()
    for order in world.orders.values():
        about = {
            "order_id": order.id,
            "order_amount": rupees(order.amount),
            "order_currency": order.currency,
        }
        link = (link_of or {}).get(order.id)
        about |= {"order_tags": {"link_id": link} if link else None}
        for paid in order.payments:
            if paid.status == "SUCCESS" and paid.captured and paid.id not in world.settled:
                charge = (paid.amount * 2 / 100).quantize(_CENT)
                tax = (charge * 18 / 100).quantize(_CENT)
                known = {
                    "cf_payment_id": paid.id,
                    "bank_reference": paid.bank_reference,
                    "payment_group": paid.group,
                }
                _add(
                    world,
                    ("PAYMENT", "CREDIT", paid.id),
                    (paid.amount, charge, tax),
                    about,
                    {"payment_details": known},
                )
        for refund_id, refund in order.refunds.items():
            if refund["refund_status"] == "SUCCESS" and refund_id not in world.settled:
                known = {
                    "refund_id": refund_id,
                    "refund_arn": refund["refund_arn"],
                    "refund_note": None,
                }
                amounts = (Decimal(str(refund["refund_amount"])), Decimal(0), Decimal(0))
                world.settled.add(refund_id)
                _add(
                    world,
                    ("REFUND", "DEBIT", refund["cf_refund_id"]),
                    amounts,
                    about,
                    {"refund_details": known},
                )
    for event in world.events:
        event["settlement_details"].setdefault("cf_settlement_id", number)
        event["settlement_details"].setdefault("settlement_utr", utr)
        event["settlement_details"].setdefault("settlement_date", stamp(at))
    return at


def _add(
    world: World,
    what: tuple[str, str, str],
    amounts: tuple[Decimal, Decimal, Decimal],
    order: dict[str, Any],
    more: dict[str, Any],
) -> None:
    kind, sale, event_id = what
    amount, charge, tax = amounts
    world.settled.add(event_id)
    empty: dict[str, Any] = {
        "payment_details": {"cf_payment_id": None, "bank_reference": None},
        "refund_details": {"refund_id": None, "refund_arn": None},
        "dispute_details": {"dispute_category": None, "dispute_note": None},
    }
    event = {
        "event_id": event_id,
        "event_type": kind,
        "sale_type": sale,
        "event_status": "SUCCESS",
        "event_amount": rupees(amount),
        "event_settlement_amount": rupees(amount - charge - tax),
        "event_service_charge": rupees(charge),
        "event_service_tax": rupees(tax),
        "event_currency": "INR",
        "entity": "recon",
    }
    world.events.append(
        {**empty, "event_details": event, "order_details": order, "settlement_details": {}, **more}
    )


def recon(bank: Bank, _request: web.Request, asked: dict[str, Any]) -> object:
    """POST /settlement/recon: the events of a time, page by page."""
    return page_of(
        bank.world.events, lambda each: each["settlement_details"]["settlement_date"], asked
    )


def page_of(
    events: Iterable[dict[str, Any]], moment: Callable[[dict[str, Any]], str], asked: dict[str, Any]
) -> object:
    """Return a page of the events whose moment is within the time that was asked for."""
    page, filters = asked.get("pagination") or {}, asked.get("filters") or {}
    limit = page.get("limit")
    if not isinstance(limit, int) or not 10 <= limit <= LIMIT_MAX:
        raise Refusal(400, "limit_invalid", "limit should be between 10 and 1000")
    first, last = (
        datetime.fromisoformat(str(filters[name])) for name in ("start_date", "end_date")
    )
    every = [each for each in events if first <= datetime.fromisoformat(moment(each)) <= last]
    start = int(page.get("cursor") or 0)
    more = start + limit < len(every)
    return {
        "cursor": str(start + limit) if more else None,
        "limit": limit,
        "data": every[start : start + limit],
    }
