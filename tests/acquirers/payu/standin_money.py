"""What PayU's stand-in hands over, and how it tells of it.

From "Get Settlement Details API" of docs.payu.in.
"""

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from hundi.kernel.clock import business_day

if TYPE_CHECKING:
    from tests.acquirers.payu.standin import PayU
    from tests.acquirers.payu.standin_payments import Transaction

PAGE_DEFAULT = 2_000
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_FOUR = Decimal("0.0001")


def hand_over(payu: "PayU", utr: str = "N223211598444659") -> date:
    """Settle today all that was captured or refunded and not yet settled; return the day."""
    day = business_day(datetime.now(UTC))
    told = payu.settlements.setdefault(day.isoformat(), [])
    known = {line["requestid"] for lines in payu.settlements.values() for line in lines}
    for one in payu.transactions.values():
        # A sale has no action of its own in the stand-in; its request is PayU's, as in the samples.
        if one.unmapped == "captured" and f"9{one.mihpayid[-9:]}" not in known:
            told.append(line(one, "capture", f"9{one.mihpayid[-9:]}", one.amount, "", utr))
        for number, action in one.actions.items():
            if (
                action["action"] == "refund"
                and action["status"] == "success"
                and number not in known
            ):
                told.append(line(one, "refund", number, action["amt"], action["token"], utr))
    return day


def line(
    one: "Transaction", action: str, number: str, amount: str, token: str, utr: str
) -> dict[str, Any]:
    """Return a line with the fields of the sample; fees of a capture only."""
    gross = Decimal(amount)
    fee = (gross * 2 / 100).quantize(Decimal("0.01")) if action == "capture" else Decimal(0)
    tax = (fee * 18 / 100).quantize(Decimal("0.01"))
    return {
        "payuid": one.mihpayid,
        "txnid": one.form["txnid"],
        "txndate": "2026-11-20 23:46:25",
        "mode": one.mode,
        "amount": one.amount,
        "requestid": number,
        "requestdate": "2026-11-20 23:49:16",
        "requestaction": action,
        "requestamount": amount,
        "mer_utr": utr,
        "mer_service_fee": str(fee.quantize(_FOUR)),
        "mer_service_tax": str(tax.quantize(_FOUR)),
        "mer_net_amount": str((gross - fee - tax).quantize(_FOUR)),
        "bank_name": "MAST",
        "issuing_bank": "SBI",
        "merchant_subvention_amount": "0.00",
        "cgst": "0.00000",
        "igst": str(tax),
        "sgst": "0.00000",
        "PG_TYPE": "HDFC_Internal_Plus",
        "Card Type": "",
        "token": token,
    }


def settlement_details(
    settlements: dict[str, list[dict[str, Any]]], day: str, page: str, size: str
) -> dict[str, Any]:
    """Answer a question about a day; an empty one has a list where others have an object."""
    if not _DAY.match(day):
        return {"status": 0, "msg": "Please check date format it should be YYYY-MM-DD"}
    every, count = settlements.get(day, []), int(size or PAGE_DEFAULT)
    start = (int(page or "1") - 1) * count
    found = every[start : start + count]
    details = {str(number): each for number, each in enumerate(found, start=1)}
    return {
        "status": 1,
        "msg": f"{len(every)} transactions settled on {day}",
        "Txn_details": details or [],
    }
