"""What people do with a payment: refund, capture, void, notify again, note, reveal the customer."""

import hashlib
import re
from typing import Any

import msgspec
from litestar import Response

from hundi.api.context import GatewayContext
from hundi.console import payments
from hundi.console.guard import Route, Visit
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
    """Refund a part or all of a payment, or ask a second person for it."""
    payment = (await payments.find(visit)).payment
    paise, reason = _paise(visit.form.get("amount", "")), _text(visit, "reason")
    if paise > payment.remaining.paise:
        raise refuse(
            RefusalCode.MORE_THAN_REMAINS,
            field="amount",
            received=visit.form["amount"],
            allowed=shown(payment.remaining),
        )
    title = f"Refund of {_shown(payment, paise)} to order {payment.order_id}"
    alone_max = ALONE_PAISE_MAX if payment.amount.currency == "INR" else 0
    if payment.refunded_paise + paise > alone_max:
        payload = {"payment_id": str(payment.payment_id), "order": payment.order_id, "amount_paise": paise}
        asked = await approvals.ask(
            visit.db, visit.merchant_id, REFUND.name, title, payload, visit.who, reason, visit.now
        )
        await visit.record("payment.refund_ask", payment.payment_id, amount=_shown(payment, paise), reason=reason)
        return visit.see(f"approvals/{asked}", "asked")
    act_id = visit.form.get("act_id", "")
    if not _ACT_ID.match(act_id):
        raise refuse(RefusalCode.FIELD_INVALID, field="act_id", received=act_id[:20])
    made = await _refund(visit.gateway, _merchant(visit), payment.payment_id, paise, f"console-{act_id}", alone_max)
    await visit.record(
        "payment.refund", payment.payment_id, amount=_shown(payment, paise), reason=reason, refund=str(made)
    )
    return visit.see(f"payments/{payment.payment_id}", "refunded")


async def _refund(  # noqa: PLR0913 (which refund, and how much of it one person may decide)
    gateway: GatewayContext,
    merchant: Merchant,
    payment_id: int,
    paise: int,
    request_id: str,
    altogether_max: int | None = None,
) -> int:
    """Begin a refund once, however often it is asked for under one request id. Raises Refused."""
    content = hashlib.sha256(msgspec.json.encode((payment_id, paise))).digest()
    asked = RefundRequest(paise, Key(request_id, 0, content), altogether_max)
    (answer,) = await refunds.request(gateway.payments, merchant, payment_id, [asked], utc_now())
    if answer.refusal is not None:
        raise Refused(answer.refusal)
    return answer.refund_id


async def make_refund(gateway: GatewayContext, approval: Approval) -> str:
    """Make the refund that a second person approved."""
    merchant = await gateway.directory.get(approval.merchant_id)
    if merchant is None:
        raise refuse(RefusalCode.MERCHANT_UNKNOWN)
    payment_id, paise = int(approval.payload["payment_id"]), int(approval.payload["amount_paise"])
    made = await _refund(gateway, merchant, payment_id, paise, f"approval-{approval.approval_id}")
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
    )
    await visit.record("payment.capture", payment.payment_id, amount=_shown(payment, paise))
    return visit.see(f"payments/{payment.payment_id}", "captured")


async def void(visit: Visit) -> Response[Any]:
    """Give back what the bank holds."""
    payment = (await payments.find(visit)).payment
    await captures.complete(
        *(visit.gateway.payments, _merchant(visit), payment.payment_id, CompletionKind.VOID, None),
        *(Actor.OPERATOR, visit.now),
    )
    await visit.record("payment.void", payment.payment_id)
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
    await visit.record("payment.note", payment.payment_id, note=_text(visit, "note"))
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
