"""Acts on a payment: capture, void, notify again, note, reveal the customer."""

from typing import Any

from litestar import Response

from hundi.console import payments
from hundi.console.guard import ConsoleRoute
from hundi.console.recording import recording
from hundi.console.verb_forms import form_of
from hundi.console.visits import ConsoleVisit
from hundi.kernel.money import paise_typed, shown
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import Actor, CompletionKind
from hundi.merchants.directory.rules import Merchant
from hundi.notifications import actions as notifications
from hundi.notifications.rules import parse_webhook_id
from hundi.payments.archive import store as archive
from hundi.payments.captures import actions as captures
from hundi.payments.captures.actions import CompletionRequest
from hundi.payments.orders.rules import Payment
from hundi.staff.people.rules import Permission
from hundi.verbs.payment import NOTE_LENGTH_MAX, note

_REASON_LENGTH_MIN = 5


# --- holds ---


async def capture(visit: ConsoleVisit) -> Response[Any]:
    """Capture some or all of the held amount."""
    payment = (await payments.find(visit)).payment
    paise = paise_asked(visit.form.get("amount", ""))
    beside = recording(
        visit, "payment.capture", payment.payment_id, "capture", amount=money_of(payment, paise)
    )
    request = CompletionRequest(CompletionKind.CAPTURE, acting(visit), paise, beside)
    await _complete(visit, payment, request)
    return visit.see(f"payments/{payment.payment_id}", "captured")


async def void(visit: ConsoleVisit) -> Response[Any]:
    """Void the held amount."""
    payment = (await payments.find(visit)).payment
    beside = recording(visit, "payment.void", payment.payment_id, "void")
    request = CompletionRequest(CompletionKind.VOID, acting(visit), beside=beside)
    await _complete(visit, payment, request)
    return visit.see(f"payments/{payment.payment_id}", "voided")


async def _complete(visit: ConsoleVisit, payment: Payment, request: CompletionRequest) -> None:
    await captures.complete(
        visit.gateway.payments, merchant_of(visit), payment.payment_id, request, visit.now
    )


# --- telling, noting, revealing ---


async def resend(visit: ConsoleVisit) -> Response[Any]:
    """Send one of the payment's notifications again, under the same webhook id."""
    payment = (await payments.find(visit)).payment
    key = parse_webhook_id(visit.form.get("webhook_id", ""))
    if key is None or (key.merchant_id, key.payment_id) != (visit.merchant_id, payment.payment_id):
        raise refuse(
            RefusalCode.NO_RECORDS,
            field="webhook_id",
            received=visit.form.get("webhook_id", "")[:100],
        )
    await archive.recall(visit.db, visit.merchant_id, payment.payment_id)
    recorded = recording(visit, "payment.resend", payment.payment_id, webhook_id=key.webhook_id)
    await notifications.replay(visit.db, key, visit.now, recorded)
    return visit.see(f"payments/{payment.payment_id}", "resent")


async def reveal(visit: ConsoleVisit) -> Response[Any]:
    """Show the customer's phone number and e-mail address once, and record who saw them and why."""
    payment = (await payments.find(visit)).payment
    reason = reason_asked(visit)
    await visit.record("payment.reveal", payment.payment_id, reason=reason)
    return await payments.shown_with(
        visit, {"phone": payment.buyer.phone, "email": payment.buyer.email}
    )


def reason_asked(visit: ConsoleVisit) -> str:
    """Return why a person wants to see a customer's data. Raises Refused (FIELD_INVALID)."""
    reason = text_asked(visit, "reason")
    if len(reason) < _REASON_LENGTH_MIN:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="reason",
            received=reason,
            allowed=f"{_REASON_LENGTH_MIN} characters or more",
        )
    return reason


def acting(visit: ConsoleVisit) -> Actor:
    """Return who acts, for a payment's story: the merchant's people, or the operator's."""
    return Actor.OPERATOR if visit.is_operator else Actor.MERCHANT


def merchant_of(visit: ConsoleVisit) -> Merchant:
    """Return the merchant of the place."""
    assert visit.place is not None
    assert visit.place.merchant is not None
    return visit.place.merchant


def money_of(payment: Payment, paise: int) -> str:
    """Return an amount in the currency of a payment, for people."""
    return shown(type(payment.amount)(paise, payment.amount.currency))


def text_asked(visit: ConsoleVisit, name: str) -> str:
    """Return a text of the form. Raises Refused (FIELD_INVALID) where it is empty or too long."""
    text = visit.form.get(name, "").strip()
    if not 0 < len(text) <= NOTE_LENGTH_MAX:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field=name,
            received=text[:64],
            allowed=f"1 to {NOTE_LENGTH_MAX} characters",
        )
    return text


def paise_asked(text: str) -> int:
    """Return an amount of the form, in paise.

    Raises Refused (FIELD_INVALID) for no amount or zero.
    """
    paise = paise_typed(text)
    if not paise:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="amount",
            received=text[:32],
            allowed="rupees, such as 1499.50",
        )
    return paise


_ONE = "payments/{payment_id:int}"
ROUTES = (
    ConsoleRoute("POST", f"{_ONE}/capture", capture, Permission.PAYMENTS_COMPLETE, fresh=True),
    ConsoleRoute("POST", f"{_ONE}/void", void, Permission.PAYMENTS_COMPLETE, fresh=True),
    ConsoleRoute("POST", f"{_ONE}/resend", resend, Permission.PAYMENTS_NOTE),
    form_of(note, f"{_ONE}/note", "payments/{payment_id}"),
    ConsoleRoute("POST", f"{_ONE}/reveal", reveal, Permission.PERSONAL_REVEAL),
)
