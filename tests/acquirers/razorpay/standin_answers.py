"""The answers of Razorpay's stand-in: faults, pages with forms, lists and refusals."""

import html
from enum import StrEnum
from typing import Any

from aiohttp import web

from tests.acquirers.razorpay.standin_books import Payment, RefusedError, new_id

BANKS = {
    "HDFC": "HDFC Bank",
    "ICIC": "ICICI Bank",
    "SBIN": "State Bank of India",
    "BARB_R": "Bank of Baroda - Retail",
}
WALLETS = {"mobikwik": True, "payzapp": True, "olamoney": False}
FEE = {"type": "fixed", "amount": 19900}


def _option(duration: int, interest: float, minimum: int) -> dict[str, Any]:
    known = {"subvention": "customer", "min_amount": minimum, "merchant_payback": "3.68"}
    return {"duration": duration, "interest": interest, **known}


EMI_OPTIONS = {
    "HDFC": [_option(6, 13, 100_000), {**_option(9, 14, 100_000), "processing_fee_plan": FEE}],
    "ICIC": [_option(3, 15.99, 150_000)],
    "HDFC_DC": [_option(3, 16, 300_000)],
}
"""Of the stand-in's only card, which is HDFC Bank's, the first counts."""


class Fault(StrEnum):
    """What happens to the next call of a path."""

    LOST_BEFORE = "lost_before"
    """The connection ends before anything was done."""
    LOST_AFTER = "lost_after"
    """Everything was done, and the connection ends without an answer."""
    UNAUTHORIZED = "401"
    TOO_MANY = "429"
    BUSY = "400"
    """Another operation of the payment is under way."""
    FAILED = "500"
    HTML = "html"
    """A page with status 200."""
    CUT = "cut"
    """Half of the JSON, after everything was done."""
    EMPTY = "empty"
    """{} with status 200, after everything was done."""


_BUSY = "Request failed because another payment operation is in progress"
_NOT_NOW = {
    Fault.TOO_MANY: RefusedError("Request failed. Please try after sometime.", status=429),
    Fault.BUSY: RefusedError(_BUSY),
}


def broken_answer(request: web.Request, fault: Fault | None) -> web.Response | None:
    """Return what a fault answers in place of the server, None when the server does the work."""
    if fault is Fault.LOST_BEFORE:
        return lost(request)
    if fault is Fault.HTML:
        return web.Response(
            text="<!doctype html><title>Maintenance</title>", content_type="text/html"
        )
    if fault is Fault.UNAUTHORIZED:
        return refused(RefusedError("The api key provided is invalid", status=401))
    if fault is Fault.TOO_MANY or fault is Fault.BUSY:
        return refused(_NOT_NOW[fault])
    if fault is Fault.FAILED:
        said = (
            "We are facing some trouble completing your request at the moment. Please try "
            "again shortly."
        )
        return refused(RefusedError(said, status=500, code="SERVER_ERROR"))
    return None


def spoilt(
    request: web.Request, answer: web.StreamResponse, fault: Fault | None
) -> web.StreamResponse:
    """Return what a fault leaves of an answer to a call that was worked on."""
    if fault is Fault.LOST_AFTER:
        return lost(request)
    if fault not in {Fault.CUT, Fault.EMPTY}:
        return answer
    assert isinstance(answer, web.Response)
    assert isinstance(answer.body, bytes)
    body = answer.body[: len(answer.body) // 2] if fault is Fault.CUT else b"{}"
    return web.Response(body=body, status=answer.status, content_type="application/json")


def details(asked: dict[str, Any], plans: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that a method has of its own; raises RefusedError for what is not offered.

    plans: of instalments, by bank.
    """
    method = asked.get("method")
    if method == "netbanking" and asked.get("bank", "HDFC") in BANKS:
        return {"bank": asked.get("bank", "HDFC")}
    if method == "wallet" and WALLETS.get(asked.get("wallet", "payzapp")):
        return {"wallet": asked.get("wallet", "payzapp")}
    if method == "card":
        last4 = str((asked.get("card") or {}).get("number", "4386289407660153"))[-4:]
        known = {
            "entity": "card",
            "last4": last4,
            "network": "Visa",
            "type": "debit",
            "issuer": "HDFC",
        }
        card_id = new_id("card")
        return {
            "card_id": card_id,
            "card": {"id": card_id, **known, "international": False, "emi": False},
        }
    if method == "emi":
        return _in_instalments(asked, plans)
    if method == "upi":
        return {"vpa": "gaurav.kumar@upi", "upi": {"vpa": "gaurav.kumar@upi"}}
    raise RefusedError("The selected payment method is invalid.", field=str(method))


def _in_instalments(asked: dict[str, Any], plans: dict[str, Any]) -> dict[str, Any]:
    """Return a card's fields with its instalments; the bank is the card's, as no field names it."""
    known = details({**asked, "method": "card"}, plans)
    issuer = known["card"]["issuer"]
    plan = next(
        (each for each in plans[issuer] if each["duration"] == asked.get("emi_duration")), None
    )
    if plan is None:  # the words are open
        raise RefusedError("The emi duration is invalid.", field="emi_duration")
    if asked["amount"] < plan["min_amount"]:
        raise RefusedError("The amount is less than the minimum amount for EMI.", field="amount")
    terms = {"issuer": issuer, "rate": round(plan["interest"] * 100), "duration": plan["duration"]}
    return {**known, "bank": issuer, "emi": terms}


def next_steps(payment: Payment, steps: list[dict[str, str]]) -> web.Response:
    return web.json_response({"razorpay_payment_id": payment.id, "next": steps})


def listed(found: list[dict[str, Any]], request: web.Request) -> web.Response:
    skip, wanted = int(request.query.get("skip", "0")), int(request.query.get("count", "10"))
    shown = found[skip : skip + wanted]
    return web.json_response({"entity": "collection", "count": len(shown), "items": shown})


def page(action: str, fields: dict[str, str], outcomes: tuple[str, ...] = ()) -> web.Response:
    """Return a page with one form: of hidden fields, and a button for each outcome."""
    hidden = "".join(
        f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(value)}">'
        for name, value in fields.items()
    )
    named = "".join(f'<button name="outcome" value="{each}">{each}</button>' for each in outcomes)
    form = (
        '<form method="post" '
        f'action="{html.escape(action)}">{hidden}{named or "<button>Continue</button>"}</form>'
    )
    return web.Response(
        text=f"<!doctype html><title>Razorpay</title>{form}", content_type="text/html"
    )


def refused(error: RefusedError) -> web.Response:
    return web.json_response(error.document, status=error.status)


def lost(request: web.Request) -> web.Response:
    """End the connection without a word."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
