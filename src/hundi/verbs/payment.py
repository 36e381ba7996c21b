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
_LAST_DAY = date.max - timedelta(days=1)
"""The last day that has a day after it."""


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
            description="The note, for colleagues; nobody can change it.",
        ),
        ParameterHints(masked=True),
    ]


@verb("payment list", Permission.PAYMENTS_SEE, title="Payments", screen="payments")
async def list_of(context: VerbContext, parameters: PaymentsToList) -> Result:
    """List a merchant's payments, newest first; those in the archive are shown one by one only."""
    merchant_id, until = parameters.merchant_id, parameters.until
    span = (
        first_id(_midnight(parameters.since)) if parameters.since else 0,
        first_id(_midnight(min(until, _LAST_DAY)) + timedelta(days=1)) if until else ID_MAX,
    )
    rows = await finding.select_newest(
        context.db, merchant_id, parameters.state, span, parameters.most
    )
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
async def show(context: VerbContext, parameters: NamedPayment) -> dict[str, Any]:
    """Show a payment with its attempts, fees, refunds, disputes, deliveries and postings."""
    view = await _find(context, parameters.merchant_id, parameters.reference)
    if view is None:
        message = (
            f"merchant {parameters.merchant_id} has no payment with the order id, ap_transactionid"
            f" or RRN {parameters.reference!r}"
        )
        raise VerbProblemError(message)
    return parts_of(await story_of(context.db, view))


async def _find(context: VerbContext, merchant_id: int, reference: str) -> PaymentView | None:
    """Find a payment by each possible meaning of a reference."""
    by_order = await finding.select_by_references(context.db, merchant_id, reference, None, None)
    if by_order is not None or not _NUMBER.match(reference):
        return by_order
    for references in ((None, None, reference), (None, int(reference), None)):
        view = await finding.select_by_references(context.db, merchant_id, *references)
        if view is not None:
            return view
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
async def note(context: VerbContext, parameters: PaymentNote) -> Result:
    """Write a note to a payment, which nobody can change."""
    merchant_id, payment_id = parameters.merchant_id, parameters.payment_id
    view = await finding.select_by_references(context.db, merchant_id, None, payment_id, None)
    if view is None:
        message = f"merchant {merchant_id} has no payment {payment_id}"
        raise VerbProblemError(message)
    async with context.db.transaction() as conn:
        await context.recording(merchant_id, payment_id, note=parameters.note)(conn, payment_id)
    return {
        "merchant_id": str(merchant_id),
        "ap_transactionid": str(payment_id),
        "note": parameters.note,
    }


VERBS = (list_of, show, note)
