"""What people do with a payment: refund, capture, void, notify again, note, reveal the customer."""

import hashlib
import re
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from litestar import Response

from hundi.api.context import GatewayContext
from hundi.console import payments
from hundi.console.guard import Route, Visit
from hundi.infra.database import Connection
from hundi.kernel.clock import utc_now
from hundi.kernel.money import PAISE_PER_RUPEE, shown
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.kernel.states import Actor, CompletionKind
from hundi.merchants.directory.rules import Merchant
from hundi.notifications import actions as notifications
from hundi.notifications.rules import parse_webhook_id
from hundi.payments.archive import store as archive
from hundi.payments.captures import actions as captures
from hundi.payments.orders.rules import Payment
from hundi.payments.refunds import actions as refunds
from hundi.payments.refunds.actions import RefundRequest
from hundi.payments.refunds.rules import Key
from hundi.staff.approvals import actions as approvals
from hundi.staff.approvals.actions import Kind
from hundi.staff.approvals.rules import Approval
from hundi.staff.people.rules import Permission
from hundi.staff.trail import actions as trail

ALONE_PAISE_MAX = 1_000_000
"""What one person gives back of one payment alone, all refunds together: ₹10,000; above it a second one decides.

Nothing of a payment in another currency, whose minor units say little of its worth in rupees.
"""
NOTE_LENGTH_MAX = 500
_REASON_LENGTH_MIN = 5
_RUPEES = re.compile(r"([0-9]{1,11})(?:\.([0-9]{1,2}))?\Z")
_ACT_ID = re.compile(r"[0-9]{1,15}\Z")


# --- refunds ---


async def refund(visit: Visit) -> Response[Any]:
    """Refund a payment or ask a second person for it, once, however often the form is sent."""
    # Read before what the form has brought about already: a payment that shows its refund has its answer kept.
    payment = (await payments.find(visit)).payment
    paise, reason = _paise(visit.form.get("amount", "")), _text(visit, "reason")
    act_id = visit.form.get("act_id", "")
    if not _ACT_ID.match(act_id):
        raise refuse(RefusalCode.FIELD_INVALID, field="act_id", received=act_id[:20])
    payload = {"payment_id": str(payment.payment_id), "order": payment.order_id, "amount_paise": paise}
    standing = await approvals.of_act(visit.db, visit.merchant_id, REFUND.name, act_id, payload)
    if standing is not None:
        return visit.see(f"approvals/{standing.approval_id}", "asked")
    key = _key(f"console-{act_id}", payment.payment_id, paise)
    known = await refunds.answered(visit.gateway.payments, visit.merchant_id, key)
    if known is not None:
        if known.refusal is not None:
            raise Refused(known.refusal)
        return visit.see(f"payments/{payment.payment_id}", "refunded")
    if paise > payment.remaining.paise:
        raise refuse(
            RefusalCode.MORE_THAN_REMAINS,
            field="amount",
            received=visit.form["amount"],
            allowed=shown(payment.remaining),
        )
    alone_max = ALONE_PAISE_MAX if payment.amount.currency == "INR" else 0
    amount = _shown(payment, paise)
    if payment.refunded_paise + paise > alone_max:
        title = f"Refund of {amount} to order {payment.order_id}"
        recorded = _recording(visit, "refund_ask", payment, "approval", amount=amount, reason=reason)
        asked = await approvals.ask(
            *(visit.db, visit.merchant_id, REFUND.name, title, payload, visit.who, reason, visit.now),
            *(act_id, recorded),
        )
        return visit.see(f"approvals/{asked}", "asked")
    recorded = _recording(visit, "refund", payment, "refund", amount=amount, reason=reason)
    asking = RefundRequest(paise, key, alone_max, recorded)
    await _refund(visit.gateway, _merchant(visit), payment.payment_id, asking)
    return visit.see(f"payments/{payment.payment_id}", "refunded")


def _key(request_id: str, payment_id: int, paise: int) -> Key:
    return Key(request_id, 0, hashlib.sha256(msgspec.json.encode((payment_id, paise))).digest())


async def _refund(gateway: GatewayContext, merchant: Merchant, payment_id: int, asking: RefundRequest) -> int:
    """Begin a refund once, however often it is asked for under one key. Raises Refused."""
    (answer,) = await refunds.request(gateway.payments, merchant, payment_id, [asking], utc_now())
    if answer.refusal is not None:
        raise Refused(answer.refusal)
    return answer.refund_id


def _recording(
    visit: Visit, verb: str, payment: Payment, made: str, **detail: object
) -> Callable[[Connection, int], Awaitable[int]]:
    """Return what tells the trail of an act in the transaction of the act: neither is there without the other.

    made: what the number of what the act made is called.
    """

    async def write(conn: Connection, number: int) -> int:
        told = {**detail, made: str(number)}
        about = payment.payment_id
        return await trail.record(conn, visit.merchant_id, visit.who, f"payment.{verb}", about, visit.now, **told)

    return write


async def make_refund(gateway: GatewayContext, approval: Approval) -> str:
    """Make the refund that a second person approved."""
    merchant = await gateway.directory.get(approval.merchant_id)
    if merchant is None:
        raise refuse(RefusalCode.MERCHANT_UNKNOWN)
    payment_id, paise = int(approval.payload["payment_id"]), int(approval.payload["amount_paise"])
    key = _key(f"approval-{approval.approval_id}", payment_id, paise)
    made = await _refund(gateway, merchant, payment_id, RefundRequest(paise, key))
    return f"Refund {made} was begun."


REFUND: Kind[GatewayContext] = Kind("refund", "Refund", Permission.REFUNDS_APPROVE, make_refund)


# --- holds ---


async def capture(visit: Visit) -> Response[Any]:
    """Capture a part or all of what the bank holds."""
    payment = (await payments.find(visit)).payment
    paise = _paise(visit.form.get("amount", ""))
    await captures.complete(
        *(visit.gateway.payments, _merchant(visit), payment.payment_id, CompletionKind.CAPTURE, paise),
        *(Actor.OPERATOR, visit.now),
        _recording(visit, "capture", payment, "capture", amount=_shown(payment, paise)),
    )
    return visit.see(f"payments/{payment.payment_id}", "captured")


async def void(visit: Visit) -> Response[Any]:
    """Give back what the bank holds."""
    payment = (await payments.find(visit)).payment
    await captures.complete(
        *(visit.gateway.payments, _merchant(visit), payment.payment_id, CompletionKind.VOID, None),
        *(Actor.OPERATOR, visit.now),
        _recording(visit, "void", payment, "void"),
    )
    return visit.see(f"payments/{payment.payment_id}", "voided")


# --- telling, noting, revealing ---


async def resend(visit: Visit) -> Response[Any]:
    """Send one of the payment's notifications again, under the same webhook id."""
    payment = (await payments.find(visit)).payment
    key = parse_webhook_id(visit.form.get("webhook_id", ""))
    if key is None or (key.merchant_id, key.payment_id) != (visit.merchant_id, payment.payment_id):
        raise refuse(RefusalCode.NO_RECORDS, field="webhook_id", received=visit.form.get("webhook_id", "")[:100])
    await archive.recall(visit.db, visit.merchant_id, payment.payment_id)
    await notifications.replay(visit.db, key, visit.now)
    await visit.record("payment.resend", payment.payment_id, webhook_id=key.webhook_id)
    return visit.see(f"payments/{payment.payment_id}", "resent")


async def note(visit: Visit) -> Response[Any]:
    """Write a note to the payment, which nobody can change."""
    payment = (await payments.find(visit)).payment
    await visit.record(payments.NOTE, payment.payment_id, note=_text(visit, "note"))
    return visit.see(f"payments/{payment.payment_id}", "noted")


async def reveal(visit: Visit) -> Response[Any]:
    """Show the customer's phone number and e-mail address, this once, and record who wanted them and why."""
    payment = (await payments.find(visit)).payment
    reason = _text(visit, "reason")
    if len(reason) < _REASON_LENGTH_MIN:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="reason",
            received=reason,
            allowed=f"{_REASON_LENGTH_MIN} characters or more",
        )
    await visit.record("payment.reveal", payment.payment_id, reason=reason)
    return await payments.shown_with(visit, {"phone": payment.buyer.phone, "email": payment.buyer.email})


def _merchant(visit: Visit) -> Merchant:
    assert visit.place is not None
    assert visit.place.merchant is not None
    return visit.place.merchant


def _shown(payment: Payment, paise: int) -> str:
    return shown(type(payment.amount)(paise, payment.amount.currency))


def _text(visit: Visit, name: str) -> str:
    text = visit.form.get(name, "").strip()
    if not 0 < len(text) <= NOTE_LENGTH_MAX:
        raise refuse(
            RefusalCode.FIELD_INVALID, field=name, received=text[:64], allowed=f"1 to {NOTE_LENGTH_MAX} characters"
        )
    return text


def _paise(text: str) -> int:
    found = _RUPEES.match(text.replace(",", "").strip())
    paise = int(found[1]) * PAISE_PER_RUPEE + int((found[2] or "0").ljust(2, "0")) if found else 0
    if paise <= 0:
        raise refuse(RefusalCode.FIELD_INVALID, field="amount", received=text[:32], allowed="rupees, such as 1499.50")
    return paise


_ONE = "payments/{payment_id:int}"
ROUTES = (
    Route("POST", f"{_ONE}/refund", refund, Permission.REFUNDS_MAKE, fresh=True),
    Route("POST", f"{_ONE}/capture", capture, Permission.PAYMENTS_COMPLETE, fresh=True),
    Route("POST", f"{_ONE}/void", void, Permission.PAYMENTS_COMPLETE, fresh=True),
    Route("POST", f"{_ONE}/resend", resend, Permission.PAYMENTS_NOTE),
    Route("POST", f"{_ONE}/note", note, Permission.PAYMENTS_NOTE),
    Route("POST", f"{_ONE}/reveal", reveal, Permission.PERSONAL_REVEAL),
)
