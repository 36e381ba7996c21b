"""Payments: the story of one, from the order to the postings, and its notes."""

import re
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any

from msgspec import Meta

from hundi.kernel.clock import INDIA
from hundi.kernel.ids import first_id
from hundi.kernel.states import PaymentState
from hundi.payments.orders.finding import store as finding
from hundi.payments.orders.rules import PaymentView
from hundi.payments.story.actions import story_of
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import ID_MAX, MerchantId, ParameterHints, VerbParameters
from hundi.verbs.payment_story import parts_of
from hundi.verbs.verb import Result, verb

LIST_MAX = 1_000
NOTE = "payment.note"
NOTE_LENGTH_MAX = 500
_NUMBER = re.compile(r"[0-9]{1,15}\Z")


class PaymentsToList(VerbParameters, frozen=True, kw_only=True):
    """Filters of a list of payments."""

    merchant_id: MerchantId
    state: Annotated[PaymentState | None, Meta(description="Only those in this state.")] = None
    since: Annotated[date | None, Meta(description="From this Indian business day on.")] = None
    until: Annotated[date | None, Meta(description="Up to this day, which is included.")] = None
    most: Annotated[int, Meta(ge=1, le=LIST_MAX, description="How many at most.")] = 50


class NamedPayment(VerbParameters, frozen=True, kw_only=True):
    """One payment."""

    merchant_id: MerchantId
    reference: Annotated[str, Meta(description="ap_transactionid, order id or RRN.")]


class PaymentNote(VerbParameters, frozen=True, kw_only=True):
    """A note on a payment."""

    merchant_id: MerchantId
    payment_id: Annotated[int, Meta(ge=1, le=ID_MAX, description="ap_transactionid.")]
    note: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=NOTE_LENGTH_MAX,
            description="For colleagues; nobody can change it.",
        ),
        ParameterHints(masked=True),
    ]


@verb("payment list", Permission.PAYMENTS_SEE, title="Payments", screen="payments")
async def list_of(context: VerbContext, given: PaymentsToList) -> Result:
    """List a merchant's payments, newest first; those in the archive are shown one by one only."""
    merchant_id, until = given.merchant_id, given.until
    span = (
        first_id(_midnight(given.since)) if given.since else 0,
        first_id(_midnight(until) + timedelta(days=1)) if until else ID_MAX,
    )
    rows = await finding.select_newest(context.db, merchant_id, given.state, span, given.most)
    if not rows:
        await context.check_merchant(merchant_id)
    return [
        {
            "ap_transactionid": str(row["payment_id"]),
            "orderid": row["order_id"],
            "amount_paise": row["amount_paise"],
            "currency": row["currency"],
            "state": row["state"],
            "chmod": row["method"],
            "created": row["created_at"],
        }
        for row in rows
    ]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), INDIA)


@verb(
    "payment show",
    Permission.PAYMENTS_SEE,
    screen="payments/{payment_id:int}",
    tables=lambda story: {name: name.capitalize() for name, part in story.items() if part},
)
async def show(context: VerbContext, given: NamedPayment) -> dict[str, Any]:
    """Show a payment with its attempts, fees, refunds, disputes, deliveries and postings."""
    found = await _find(context, given.merchant_id, given.reference)
    if found is None:
        message = (
            f"merchant {given.merchant_id} has no payment with the order id, ap_transactionid or"
            f" RRN {given.reference!r}"
        )
        raise VerbProblemError(message)
    return parts_of(await story_of(context.db, found))


async def _find(context: VerbContext, merchant_id: int, reference: str) -> PaymentView | None:
    """Find a payment by each possible meaning of a reference."""
    by_order = await finding.select_by_references(context.db, merchant_id, reference, None, None)
    if by_order is not None or not _NUMBER.match(reference):
        return by_order
    for named in ((None, None, reference), (None, int(reference), None)):
        found = await finding.select_by_references(context.db, merchant_id, *named)
        if found is not None:
            return found
    return None


@verb(
    "payment note",
    Permission.PAYMENTS_NOTE,
    trail=NOTE,
    fresh=False,
    screen="payments/{payment_id:int}/note",
    title="Noted",
    notice=("noted", "The note was added."),
)
async def note(context: VerbContext, given: PaymentNote) -> Result:
    """Write a note to a payment, which nobody can change."""
    merchant_id, payment_id = given.merchant_id, given.payment_id
    found = await finding.select_by_references(context.db, merchant_id, None, payment_id, None)
    if found is None:
        message = f"merchant {merchant_id} has no payment {payment_id}"
        raise VerbProblemError(message)
    async with context.db.transaction() as conn:
        await context.recording(merchant_id, payment_id, note=given.note)(conn, payment_id)
    return {
        "merchant_id": str(merchant_id),
        "ap_transactionid": str(payment_id),
        "note": given.note,
    }


VERBS = (list_of, show, note)
