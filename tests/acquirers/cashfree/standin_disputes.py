"""Disputes at the stand-in of Cashfree.

Raised and decided by tests, asked about, answered with documents.

Written by the author of the connector, before it, from Cashfree's documents: the calls and the
entity of the OpenAPI description of version 2025-01-01 (github.com/api-evangelist/cashfree, commit
0b823c53, openapi/_original/openapi-payment-gateway.json), the webhooks of
cashfree.com/docs/api-reference/payments/latest/ disputes/dispute-webhooks, what each state allows
of github.com/cashfree/agent-skills (src/templates/pg/disputes.md, 92944295, disputes-reference.md,
0bfc8606) and the books of model_recon_entity*.go of cashfree/cashfree-pg (a600a39). The code of an
unknown dispute and the state of an entry of an open one are not published.
"""

from datetime import datetime, timedelta
from decimal import Decimal
from email import message_from_bytes
from itertools import count
from typing import Any

from aiohttp import web

from tests.acquirers.cashfree.standin import Bank, Handler, Refusal
from tests.acquirers.cashfree.standin_money import page_of
from tests.acquirers.cashfree.world import World
from tests.acquirers.cashfree.world_records import rupees, stamp

FILE_BYTES_MAX = 20 * 1024 * 1024
RESPOND_WITHIN = timedelta(days=3)
NEVER = "9999-09-09T00:00:00"
"""When a dispute that is open was closed, as the published examples say it."""
WANTED = ("Delivery/Service Proof", "Statement of Service")
KINDS = {
    *WANTED,
    *("Shipping Proof", "Proof of Service Used", "Cancellation of Service Proof", "Refund Proof"),
    *(
        "Business model explanation",
        "Extra Charges Declaration",
        "Terms & Conditions",
        "Customer Withdrawal Letter",
    ),
    *("Certificate of Authenticity", "Reseller Agreement"),
}
TAKES_DOCUMENTS = ("CREATED", "DOCS_RECEIVED", "INSUFFICIENT_EVIDENCE")
_TYPES = ("image/jpeg", "image/png", "application/pdf")
_numbers = count(433_475_258)


def raise_dispute(
    world: World,
    reference: str,
    kind: str = "CHARGEBACK",
    amount: Decimal | None = None,
    *,
    told: bool = True,
) -> dict[str, Any]:
    """Have the payment of an order of ours, or of a payment link, disputed; return the dispute.

    told: by a webhook.
    """
    of = next(
        each
        for each in world.orders.values()
        if reference in {each.id, (each.tags or {}).get("link_id")} and each.status == "PAID"
    )
    paid = next(each for each in of.payments if each.status == "SUCCESS")
    number, now = next(_numbers), _local(world.now())
    made = {
        "dispute_id": number,
        "dispute_type": kind,
        "reason_code": "13.1",
        "reason_description": "Merchandise / Services Not Received",
        "dispute_amount": rupees(amount or paid.amount),
        "dispute_amount_currency": paid.currency,
        "created_at": now,
        "respond_by": _local(world.now() + RESPOND_WITHIN),
        "updated_at": now,
        "resolved_at": NEVER,
        "dispute_status": f"{kind}_CREATED",
        "cf_dispute_remarks": "Please submit documents.",
        "preferred_evidence": [
            {"document_type": each, "document_description": f"What proves it: {each}."}
            for each in WANTED
        ],
        "dispute_evidence": [],
        "order_details": {
            "order_id": of.id,
            "order_currency": of.currency,
            "order_amount": rupees(of.amount),
            "cf_payment_id": int(paid.id),
            "payment_currency": paid.currency,
            "payment_amount": rupees(paid.amount),
        },
        "customer_details": {
            "customer_name": "Asha",
            "customer_phone": 9876543210,
            "customer_email": "",
        },
    }
    world.disputes[str(number)] = made
    _book(world, made, "DEBIT")
    if told:
        tell(world, made, "DISPUTE_CREATED")
    return made


def move(
    world: World, dispute: dict[str, Any], ending: str, *, kind: str = "", told: bool = True
) -> None:
    """Give a dispute its next state. kind: the phase that it goes on to, "" where it stays."""
    is_next = bool(kind)
    kind = kind or dispute["dispute_type"]
    closed = ending in {"MERCHANT_WON", "MERCHANT_LOST", "MERCHANT_ACCEPTED"}
    now = _local(world.now())
    dispute |= {"dispute_type": kind, "dispute_status": f"{kind}_{ending}", "updated_at": now}
    dispute["resolved_at"] = now if closed else NEVER
    if ending == "MERCHANT_WON":
        _book(world, dispute, "CREDIT")
    elif is_next:
        dispute |= {"dispute_evidence": [], "respond_by": _local(world.now() + RESPOND_WITHIN)}
        _book(world, dispute, "DEBIT")
    if told:
        tell(world, dispute, "DISPUTE_CLOSED" if closed else "DISPUTE_UPDATED")


def tell(world: World, dispute: dict[str, Any], event: str) -> None:
    """Send the webhook about a dispute.

    Its number is a text there, and its times have an offset.
    """
    said = ("dispute_type", "reason_code", "reason_description", "dispute_amount", "dispute_status")
    about = {name: dispute[name] for name in (*said, "cf_dispute_remarks")}
    about |= {"dispute_id": str(dispute["dispute_id"]), "dispute_action_on": "MERCHANT"}
    about |= {name: f"{dispute[name]}+05:30" for name in ("created_at", "updated_at", "respond_by")}
    told = {"dispute": about, "order_details": dispute["order_details"], "customer_details": {}}
    world.tell(event, told)


def _local(at: datetime) -> str:
    """Return a time as the answers have it: of India, without its offset."""
    return stamp(at).removesuffix("+05:30")


def _book(world: World, dispute: dict[str, Any], sale: str) -> None:
    """Write what a dispute moves. A retrieval moves nothing."""
    kind = dispute["dispute_type"]
    if kind == "RETRIEVAL":
        return
    plain = "DISPUTE" if kind == "DISPUTE" else "CHARGEBACK"
    event = {
        "event_id": str(dispute["dispute_id"]),
        "event_type": plain if sale == "DEBIT" else f"{plain}_REVERSAL",
        "sale_type": sale,
        "event_status": "SUCCESS",
        "event_amount": dispute["dispute_amount"],
        "event_settlement_amount": dispute["dispute_amount"],
        "event_currency": "INR",
        "event_time": stamp(world.now()),
        "entity": "recon",
    }
    about = {
        "dispute_category": f"{dispute['reason_code']}-{dispute['reason_description']}",
        "dispute_note": None,
    }
    entry = {
        "event_details": event,
        "order_details": dict(dispute["order_details"]),
        "dispute_details": about,
    }
    world.books.append(
        {**entry, "payment_details": {}, "refund_details": {}, "settlement_details": {}}
    )


def _dispute(bank: Bank, request: web.Request) -> dict[str, Any]:
    number = request.match_info["dispute_id"]
    if not number.isdecimal():
        raise Refusal(400, "dispute_id_invalid", "dispute_id : should be a number")
    if number not in bank.world.disputes:
        raise Refusal(404, "dispute_not_found", "dispute does not exist")
    return bank.world.disputes[number]


def fetch_dispute(bank: Bank, request: web.Request, _asked: dict[str, Any]) -> object:
    """GET /disputes/{dispute_id}."""
    return _dispute(bank, request)


def fetch_of_order(bank: Bank, request: web.Request, _asked: dict[str, Any]) -> object:
    """GET /orders/{order_id}/disputes."""
    order_id = request.match_info["order_id"]
    if order_id not in bank.world.orders:
        raise Refusal(404, "order_not_found", "Order Reference Id does not exist")
    return [
        each
        for each in bank.world.disputes.values()
        if each["order_details"]["order_id"] == order_id
    ]


def accept(bank: Bank, request: web.Request, _asked: dict[str, Any]) -> object:
    """PUT /disputes/{dispute_id}/accept: for good, while it is not under review and not closed."""
    dispute = _open(bank, request)
    move(bank.world, dispute, "MERCHANT_ACCEPTED")
    return dispute


def add_document(bank: Bank, request: web.Request, asked: dict[str, Any]) -> object:
    """POST /disputes/{dispute_id}/documents: one document, which contests the dispute."""
    dispute = _open(bank, request)
    parts = _parts(request.headers["Content-Type"], asked["form"])
    content_type, file_name, content = parts.get("file", ("", "", b""))
    _, _, kind = parts.get("doc_type", ("", "", b""))
    if not file_name or content_type not in _TYPES or not 0 < len(content) <= FILE_BYTES_MAX:
        raise Refusal(
            400, "file_invalid", "file : should be jpeg, jpg, png or pdf of at most 20 MB"
        )
    if kind.decode() not in KINDS:
        raise Refusal(400, "doc_type_invalid", "doc_type : invalid value provided")
    number = int(bank.world.new_id())
    said = {"document_id": number, "document_name": file_name, "document_type": kind.decode()}
    dispute["dispute_evidence"].append(said)
    bank.bodies.append(
        {"content": content, "note": parts.get("note", ("", "", b""))[2].decode(), **said}
    )
    move(bank.world, dispute, "DOCS_RECEIVED")
    return [dispute]


def _open(bank: Bank, request: web.Request) -> dict[str, Any]:
    dispute = _dispute(bank, request)
    if not dispute["dispute_status"].endswith(TAKES_DOCUMENTS):
        raise Refusal(409, "dispute_already_closed", "dispute is already closed or under review")
    return dispute


def _parts(content_type: str, raw: bytes) -> dict[str, tuple[str, str, bytes]]:
    """Return the parts of a form by their names: content type, name of the file, content."""
    read = message_from_bytes(f"Content-Type: {content_type}\r\n\r\n".encode() + raw)
    parts = read.get_payload()
    if not read.is_multipart() or not isinstance(parts, list):
        raise Refusal(400, "request_failed", "request body is no form")
    found = {}
    for each in parts:
        content = each.get_payload(decode=True)
        name = str(each.get_param("name", header="content-disposition"))
        assert isinstance(content, bytes)
        found[name] = each.get_content_type(), each.get_filename() or "", content
    return found


def books(bank: Bank, _request: web.Request, asked: dict[str, Any]) -> object:
    """POST /recon: what happened in the account in a time, page by page."""
    return page_of(bank.world.books, lambda each: each["event_details"]["event_time"], asked)


ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/pg/disputes/{dispute_id}", fetch_dispute),
    ("GET", "/pg/orders/{order_id}/disputes", fetch_of_order),
    ("PUT", "/pg/disputes/{dispute_id}/accept", accept),
    ("POST", "/pg/disputes/{dispute_id}/documents", add_document),
    ("POST", "/pg/recon", books),
)
