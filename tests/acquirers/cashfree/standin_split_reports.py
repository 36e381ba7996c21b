"""What Cashfree's stand-in reports of split orders: of one, of many, and of a vendor.

See `standin_vendors` for sources and open points. Charges of the payment itself are 0 here.
"""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from aiohttp import web

from tests.acquirers.cashfree.standin import Bank, Refusal
from tests.acquirers.cashfree.standin_money import LIMIT_MAX
from tests.acquirers.cashfree.standin_vendors import (
    Entry,
    Splits,
    order_of,
    paid_of,
    told_amount,
)
from tests.acquirers.cashfree.world_records import IST, Order, stamp

SPLIT_CHARGE_BPS, TAX_PER_CENT = 10, 18


def order_details(splits: Splits, bank: Bank, request: web.Request, _asked: dict[str, Any]) -> Any:
    order = order_of(splits, request)
    paid = paid_of(order)
    splits.book()
    if paid is None:
        raise Refusal(400, "order_not_paid", "no successful transaction is found")
    charge, tax = _of_order(paid.amount)
    transfer = next(
        (
            each["settlement_details"]
            for each in bank.world.events
            if each["event_details"]["event_id"] == paid.id
        ),
        {},
    )
    known = {"entity": "settlement", "order_id": order.id, "order_currency": order.currency}
    known |= {"cf_settlement_id": int(transfer.get("cf_settlement_id", 0)) or None}
    known |= {"cf_payment_id": int(paid.id), "order_amount": order.amount, "transfer_id": None}
    left = told_amount(splits.unsplit(order)) - charge - tax
    return {
        "settlement": known
        | {
            "service_charge": charge,
            "service_tax": tax,
            "settlement_amount": left,
            "settlement_currency": "INR",
            "transfer_utr": transfer.get("settlement_utr"),
            "transfer_time": transfer.get("settlement_date"),
            "payment_time": stamp(paid.started),
        },
        "refunds": list(order.refunds.values()),
        "vendors": [
            {
                "vendor_id": each.vendor_id,
                "settlement_id": each.settlement_id,
                "settlement_amount": told_amount(each.paise),
                "settlement_eligibility_date": stamp(splits.due_at(each)),
            }
            for each in splits.of_order(order)
            if each.kind == "vendor_commission"
        ],
    }


def _of_order(amount: Decimal) -> tuple[Decimal, Decimal]:
    charge = (amount * SPLIT_CHARGE_BPS / 10_000).quantize(Decimal("0.01"))
    return charge, (charge * TAX_PER_CENT / 100).quantize(Decimal("0.01"))


def clock(at: datetime) -> str:
    """Return a time as reports write it, of India and without its offset."""
    return at.astimezone(IST).strftime("%Y-%m-%d %H:%M:%S")


def order_report(splits: Splits, _bank: Bank, _request: web.Request, asked: dict[str, Any]) -> Any:
    """POST /split/order/vendor/recon: a row of the order, and one of each vendor."""
    filters = asked.get("filters") or {}
    wanted, first = filters.get("order_ids"), filters.get("start_date")
    if not wanted and not (first and filters.get("end_date")):
        said = "At least one of the filters needs to be present orderIds or Date"
        raise Refusal(400, "request_failed", said)
    if any(each not in splits.world.orders for each in wanted or ()):
        raise Refusal(404, "order_not_found", "Order not found")
    splits.book()
    rows = []
    for order in splits.world.orders.values():
        paid = paid_of(order)
        within = wanted is None or order.id in wanted
        if paid is not None and within and _is_within(clock(paid.started), filters):
            rows.append(_transaction(splits, order))
            rows += [_commission(splits, order, each) for each in splits.of_order(order)]
    page = asked.get("pagination") or {}  # the client cannot leave it out, the page's sample does
    return page_of(rows, int(page.get("limit") or len(rows)), page.get("cursor"))


def page_of(rows: list[dict[str, Any]], limit: int, cursor: object) -> dict[str, Any]:
    """Return a page of rows, and where the next one begins."""
    start = int(str(cursor or 0))
    more = start + limit < len(rows)
    shown = rows[start : start + limit]
    return {"cursor": str(start + limit) if more else None, "data": shown, "limit": limit}


def _is_within(at: str, filters: dict[str, Any]) -> bool:
    first, last = filters.get("start_date"), filters.get("end_date")
    return (not first or at[:10] >= first[:10]) and (not last or at[:10] <= last[:10])


def _about(order: Order) -> dict[str, Any]:
    paid = paid_of(order)
    assert paid is not None
    return {
        "merchant_order_id": order.id,
        "tx_time": clock(paid.started),
        "currency": order.currency,
        "customer_name": order.customer.get("customer_name", "N/A"),
        "customer_email": order.customer.get("customer_email", "N/A"),
        "customer_phone": str(order.customer["customer_phone"]),
    }


def _transaction(splits: Splits, order: Order) -> dict[str, Any]:
    paid = paid_of(order)
    assert paid is not None
    charge, tax = _of_order(paid.amount)
    split = [each for each in splits.of_order(order) if each.kind == "vendor_commission"]
    shown = [
        {
            "merchant_vendor_id": each.vendor_id,
            "percentage": each.asked.get("percentage"),
            "tags": each.asked.get("tags"),
        }
        for each in split
    ]
    made_at = clock(split[0].at) if split else clock(paid.started)
    settled = paid.id in splits.world.settled
    return _about(order) | {
        "amount": paid.amount,
        "settlement_eligibility_time": clock(paid.started + timedelta(days=1)),
        "settled": "YES" if settled else "NO",
        "entity_id": paid.id,
        "entity_type": "transaction",
        "sale_type": "CREDIT",
        "merchant_settlement_utr": "N/A",
        "merchant_settlement_id": "N/A",
        "merchant_vendor_commission": str(told_amount(sum(each.paise for each in split))),
        "split_service_charge": str(charge),
        "split_service_tax": str(tax),
        "pg_service_charge": "0.00",
        "pg_service_tax": "0.00",
        "pg_charge_postpaid": "1",
        "added_on": clock(paid.started),
        "tags": "tags",
        "settlement_initiated_on": "N/A",
        "settlement_time": "N/A",
        "order_splits": [{"split": shown, "created_at": made_at}],
        "eligible_split_balance": str(told_amount(splits.unsplit(order))),
    }


def _commission(splits: Splits, order: Order, entry: Entry) -> dict[str, Any]:
    settlement = splits.settlements.get(entry.settlement_id or 0, {})
    utr, at = settlement.get("utr"), settlement.get("settled_on")
    return _about(order) | {
        "amount": abs(told_amount(entry.paise)),
        "settled": "YES" if settlement else "NO",
        "entity_id": entry.number,
        "merchant_vendor_id": entry.vendor_id,
        "sale_type": "CREDIT" if entry.paise > 0 else "DEBIT",
        "added_on": clock(entry.at),
        "entity_type": entry.kind,
        "vendor_settlement_time": at or "N/A",
        "vendor_settlement_eligibility_time": clock(splits.due_at(entry)),
        "vendor_settlement_id": str(entry.settlement_id or "N/A"),
        "vendor_settlement_utr": utr or "N/A",
        "vendor_commission": str(told_amount(entry.paise)),
        "status": "N/A",
    }


def vendor_report(splits: Splits, _bank: Bank, _request: web.Request, asked: dict[str, Any]) -> Any:
    """POST /recon/vendor: entries of a settlement, or of a time and maybe a vendor."""
    page, filters = asked.get("pagination") or {}, asked.get("filters") or {}
    limit = page.get("limit")
    if not isinstance(limit, int) or not 10 <= limit <= LIMIT_MAX:
        raise Refusal(400, "limit_invalid", "limit should be between 10 and 1000")
    number = filters.get("settlement_id")
    if number is None and not (filters.get("start_date") and filters.get("end_date")):
        raise Refusal(400, "filters_missing", "filters : is missing in the request")
    splits.book()
    found = [
        each
        for each in splits.entries
        if (number is None or each.settlement_id == number)
        and filters.get("merchant_vendor_id") in {None, each.vendor_id}
        and _is_within(clock(each.at), filters)
    ]
    return page_of([_row(splits, each) for each in found], limit, page.get("cursor"))


def _row(splits: Splits, entry: Entry) -> dict[str, Any]:
    settlement = splits.settlements.get(entry.settlement_id or 0, {})
    amount = told_amount(abs(entry.paise))
    return {
        "amount": amount,
        "settlement_eligibility_time": clock(splits.due_at(entry)),
        "merchant_order_id": entry.order_id or None,
        "tx_time": clock(entry.at),
        "settlement_id": entry.settlement_id,
        "settled": bool(settlement),
        "fee": "0.00",
        "tax": "0.00",
        "entity_id": entry.number,
        "type": entry.kind.upper(),
        "merchant_vendor_id": entry.vendor_id,
        "added_on_time": clock(entry.at),
        "settlement_time": settlement.get("settled_on"),
        "settlement_utr": settlement.get("utr"),
        "currency": "INR",
        "debit": str(amount if entry.paise < 0 else told_amount(0)),
        "credit": str(amount if entry.paise > 0 else told_amount(0)),
        "refund_arn": None,
    }
