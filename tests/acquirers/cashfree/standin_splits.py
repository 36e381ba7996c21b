"""The stand-in of Cashfree with Easy Split: `async with running_with_splits() as (bank, splits)`.

`bank.world` plays customers and time, `splits` verifies vendors (`verify`, `put`), and `run`
settles what is due; `reverse` lets a bank send a settlement back. See `standin_vendors` for
sources and open points. Not played: documents of vendors, static splits of an account.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any

from aiohttp import web

from tests.acquirers.cashfree.standin import (
    Bank,
    Handler,
    Refusal,
    create_order,
    create_refund,
    fetch_order,
)
from tests.acquirers.cashfree.standin_links import running_with_links
from tests.acquirers.cashfree.standin_split_reports import (
    TAX_PER_CENT,
    order_details,
    order_report,
    vendor_report,
)
from tests.acquirers.cashfree.standin_vendors import (
    MERCHANT_ID,
    Entry,
    Splits,
    order_of,
    paise_of,
    told_amount,
)
from tests.acquirers.cashfree.world_records import IST, stamp

Answers = Callable[[Splits, Bank, web.Request, dict[str, Any]], object]
TRANSFER_CHARGE_PAISE = 500


def run(splits: Splits) -> list[int]:
    """Settle what is due of each vendor who is verified; return the settlements."""
    splits.book()
    now, made = splits.world.now(), []
    for vendor_id, vendor in splits.vendors.items():
        due = [each for each in splits.waiting(vendor_id) if splits.due_at(each) <= now]
        if vendor["status"] == "ACTIVE" and sum(each.paise for each in due) > 0:
            made.append(settle(splits, vendor_id, due))
    return made


def settle(splits: Splits, vendor_id: str, entries: list[Entry]) -> int:
    """Pay entries to a vendor's bank."""
    number = int(splits.world.new_id())
    of_orders = [each for each in entries if each.kind != "adjustment"]
    adjusted = sum(each.paise for each in entries) - sum(each.paise for each in of_orders)
    at = splits.world.now()
    told = {
        "settlement_id": number,
        "status": "CREATED",
        "utr": None,
        "payment_amount": None,
        "settlement_initiated_on": stamp(at),
        "settled_on": None,
        "reason": None,
        "adjustment": told_amount(adjusted),
        "settlement_amount": told_amount(sum(each.paise for each in entries)),
        "service_charge": told_amount(0),
        "service_tax": told_amount(0),
        "amount_settled": None,
        "payment_from": min(each.at for each in entries).astimezone(IST).date().isoformat(),
        "payment_till": max(each.at for each in entries).astimezone(IST).date().isoformat(),
        "vendor_id": vendor_id,
        "vendor_transaction_amount": told_amount(sum(each.paise for each in of_orders)),
        "account_mode": "BANK",
        "settled_orders_count": len({each.order_id for each in entries if each.order_id}),
    }
    splits.settlements[number] = told
    splits.world.tell("VENDOR_SETTLEMENT_INITIATED", {"settlement": told})
    if vendor_id in splits.failing:
        told |= {"status": "FAILED", "reason": "BENE_BANK_DECLINED"}
        splits.world.tell("VENDOR_SETTLEMENT_FAILED", {"settlement": told})
        return number
    for each in entries:
        each.settlement_id = number
    told |= {"status": "SUCCESS", "utr": f"{number}724", "settled_on": stamp(at)}
    told["amount_settled"] = told["settlement_amount"]
    splits.world.tell("VENDOR_SETTLEMENT_SUCCESS", {"settlement": told})
    return number


def reverse(splits: Splits, number: int) -> None:
    """Let a vendor's bank send a settlement back; what it paid waits again."""
    told = splits.settlements[number]
    told |= {"status": "REVERSED", "reason": "BENEFICIARY_BANK_RETURNED"}
    for each in splits.entries:
        if each.settlement_id == number:
            each.settlement_id = None
    splits.world.tell("VENDOR_SETTLEMENT_REVERSED", {"settlement": told})


def _create_order(splits: Splits, bank: Bank, request: web.Request, asked: dict[str, Any]) -> Any:
    wanted = asked.get("order_splits") or []
    splits.shares(wanted, int(Decimal(str(asked.get("order_amount") or 0)) * 100))
    made: Any = create_order(bank, request, asked)
    if wanted:
        splits.asked[made["order_id"]] = wanted
    return made | {"order_splits": wanted}


def _fetch_order(splits: Splits, bank: Bank, request: web.Request, asked: dict[str, Any]) -> Any:
    found: Any = fetch_order(bank, request, asked)
    return found | {"order_splits": splits.asked.get(found["order_id"], [])}


def _refund(splits: Splits, bank: Bank, request: web.Request, asked: dict[str, Any]) -> Any:
    """Refund, and take of each vendor what the refund says."""
    order = order_of(splits, request)
    taken = splits.refund_shares(order, asked)
    made: Any = create_refund(bank, request, asked)
    made["refund_splits"] = asked.get("refund_splits") or []
    for vendor_id, paise in taken:
        about = {"order_id": order.id, "refund_id": made["refund_id"]}
        splits.add(vendor_id, "refund", -paise, **about)
    return made


def _balances(splits: Splits, vendor_id: str) -> dict[str, Any]:
    splits.vendor(vendor_id)
    splits.book()
    return {
        "merchant_id": MERCHANT_ID,
        "vendor_id": vendor_id,
        "merchant_unsettled": told_amount(merchant_has(splits)),
        "vendor_unsettled": told_amount(splits.unsettled(vendor_id)),
    }


def merchant_has(splits: Splits) -> int:
    """Return what of all payments is nobody else's."""
    moved = sum(
        -each.paise for each in splits.entries if each.kind == "adjustment" and splits.counts(each)
    )
    return splits.merchant_paise + moved + sum(map(splits.unsplit, splits.world.orders.values()))


def _charges(paise: int) -> dict[str, Any]:
    tax = TRANSFER_CHARGE_PAISE * TAX_PER_CENT // 100
    return {
        "service_charges": told_amount(TRANSFER_CHARGE_PAISE),
        "service_tax": told_amount(tax),
        "amount": told_amount(paise),
        "billed_to": "MERCHANT",
        "is_postpaid": False,
    }


def _transfer(splits: Splits, _bank: Bank, request: web.Request, asked: dict[str, Any]) -> Any:
    vendor_id = request.match_info["vendor_id"]
    balances, source = _balances(splits, vendor_id), asked.get("transfer_from")
    if source not in {"MERCHANT", "VENDOR"}:
        raise Refusal(400, "transfer_from_invalid", "transfer_from : invalid value provided")
    if asked.get("transfer_type") != "ON_DEMAND":
        raise Refusal(400, "transfer_type_invalid", "transfer_type : invalid value provided")
    if splits.vendor(vendor_id)["status"] != "ACTIVE":
        raise Refusal(400, "vendor_not_active", "vendor is not active")
    paise = paise_of(asked.get("transfer_amount"), "transfer_amount")
    has = merchant_has(splits) if source == "MERCHANT" else splits.unsettled(vendor_id)
    if paise > has:
        raise Refusal(400, "insufficient_balance", "balance is not sufficient")
    if source == "MERCHANT":
        splits.merchant_paise -= paise
    else:
        splits.add(vendor_id, "transfer", -paise)
    paid = splits.add(vendor_id, "transfer", paise)
    told = {"vendor_id": vendor_id, "transfer_from": source, "transfer_type": "ON_DEMAND"}
    told |= {"transfer_amount": told_amount(paise), "remark": asked.get("remark"), "tags": []}
    return {
        "settlement_id": settle(splits, vendor_id, [paid]),
        "transfer_details": told,
        "balances": balances | _balances(splits, vendor_id),
        "charges": _charges(paise),
    }


def _adjust(splits: Splits, _bank: Bank, request: web.Request, asked: dict[str, Any]) -> Any:
    vendor_id, number = request.match_info["vendor_id"], asked.get("adjustment_id")
    balances = _balances(splits, vendor_id)
    if asked.get("vendor_id") != vendor_id:
        raise Refusal(400, "vendor_id_invalid", "vendor_id : invalid value provided")
    if not isinstance(number, int):
        raise Refusal(400, "adjustment_id_invalid", "adjustment_id : should be a number")
    if asked.get("type") not in {"CREDIT", "DEBIT"}:
        raise Refusal(400, "type_invalid", "type : invalid value provided")
    if any(each.asked.get("adjustment_id") == number for each in splits.entries):
        raise Refusal(409, "adjustment_already_exists", "adjustment with same id is present")
    paise = paise_of(asked.get("amount"), "amount")
    payer = "merchant" if asked["type"] == "CREDIT" else "vendor"
    if paise > int(balances[f"{payer}_unsettled"] * 100):
        raise Refusal(400, "insufficient_balance", "balance is not sufficient")
    splits.add(vendor_id, "adjustment", paise if payer == "merchant" else -paise, asked=dict(asked))
    return {"status": "OK", "message": "Adjustment created"}


_VENDOR = "/pg/easy-split/vendors/{vendor_id}"
SPLIT_ROUTES: tuple[tuple[str, str, Answers], ...] = (
    ("POST", "/pg/orders", _create_order),
    ("GET", "/pg/orders/{order_id}", _fetch_order),
    ("POST", "/pg/orders/{order_id}/refunds", _refund),
    ("POST", "/pg/easy-split/vendors", lambda splits, _bank, _request, asked: splits.create(asked)),
    (
        "GET",
        "/pg/easy-split/vendors",
        lambda splits, _bank, _request, _asked: [splits.told(each) for each in splits.vendors],
    ),
    (
        "GET",
        _VENDOR,
        lambda splits, _bank, request, _asked: splits.told(request.match_info["vendor_id"]),
    ),
    (
        "PATCH",
        _VENDOR,
        lambda splits, _bank, request, asked: splits.change(request.match_info["vendor_id"], asked),
    ),
    (
        "GET",
        f"{_VENDOR}/balances",
        lambda splits, _bank, request, _asked: _balances(splits, request.match_info["vendor_id"]),
    ),
    ("POST", f"{_VENDOR}/transfer", _transfer),
    ("POST", f"{_VENDOR}/adjustment", _adjust),
    (
        "POST",
        "/pg/easy-split/orders/{order_id}/split",
        lambda splits, _bank, request, asked: splits.split_later(order_of(splits, request), asked),
    ),
    ("GET", "/pg/easy-split/orders/{order_id}", order_details),
    ("POST", "/pg/split/order/vendor/recon", order_report),
    ("POST", "/pg/recon/vendor", vendor_report),
)


def split_routes(kept: list[Splits]) -> tuple[tuple[str, str, Handler], ...]:
    """Return the routes of Easy Split; what it keeps comes into the list before the first call."""

    def handler(answers: Answers) -> Handler:
        def answer(bank: Bank, request: web.Request, asked: dict[str, Any]) -> object:
            return answers(kept[0], bank, request, asked)

        return answer

    return tuple((method, path, handler(answers)) for method, path, answers in SPLIT_ROUTES)


@asynccontextmanager
async def running_with_splits() -> AsyncIterator[tuple[Bank, Splits]]:
    """Run the stand-in with all that it has, and Easy Split."""
    kept: list[Splits] = []
    async with running_with_links(*split_routes(kept)) as bank:
        kept.append(Splits(bank.world))
        yield bank, kept[0]
