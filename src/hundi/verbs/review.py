"""Payments held by a risk rule, and their release or rejection."""

from typing import Annotated

from msgspec import Meta

from hundi.payments.reviews import actions, store
from hundi.payments.reviews.rules import Decision, Reviewed
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext
from hundi.verbs.parameters import ID_MAX, MerchantId, NoParameters, ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb

LISTED_MAX = 500
_FORM = "reviews/{merchant_id:int}/{transaction:int}"


class HeldPayment(VerbParameters, frozen=True, kw_only=True):
    """A held payment, and the reason of the decision."""

    merchant_id: MerchantId
    transaction: Annotated[int, Meta(ge=1, le=ID_MAX, description="ap_transactionid.")]
    reason: Annotated[
        str,
        Meta(description="The reason, kept with the payment."),
        ParameterHints(by="name", masked=True),
    ]
    by: Annotated[
        str,
        Meta(description="Who decides (default: the user of this machine)."),
        ParameterHints(signs=True),
    ] = ""


@verb("review list", Permission.PAYMENTS_SEE, at="all", title="To review", screen="reviews")
async def list_of(context: VerbContext, _: NoParameters) -> Result:
    """List the payments that wait for a review, oldest first."""
    return [
        {
            "merchant_id": str(row["merchant_id"]),
            "ap_transactionid": str(row["payment_id"]),
            "orderid": row["order_id"],
            "amount_paise": row["amount_paise"],
            "currency": row["currency"],
            "method": row["method"],
            "money": row["state"],
            "since": row["settled_at"],
            "rule": row["rule"],
            "because": row["because"],
        }
        for row in await store.select_waiting(context.db, LISTED_MAX)
    ]


@verb(
    "review release",
    Permission.RISK_CHANGE,
    at="all",
    trail="review.released",
    screen=_FORM,
    title="Reviewed",
    notice=("review_released", "Released. The payment goes on."),
)
async def release(context: VerbContext, parameters: HeldPayment) -> Result:
    """Release a payment: it is paid or authorised, and its merchant is told."""
    return await _decided(context, parameters, Decision.RELEASED)


@verb(
    "review reject",
    Permission.RISK_CHANGE,
    at="all",
    trail="review.rejected",
    screen=_FORM,
    title="Reviewed",
    notice=("review_rejected", "Rejected. The money goes back to the customer."),
)
async def reject(context: VerbContext, parameters: HeldPayment) -> Result:
    """Reject a payment: what was paid is refunded, what was authorised is voided."""
    return await _decided(context, parameters, Decision.REJECTED)


async def _decided(context: VerbContext, parameters: HeldPayment, decision: Decision) -> Result:
    reviewed = Reviewed(decision, parameters.reason, parameters.by or context.name)
    payment_key = parameters.merchant_id, parameters.transaction
    recorded = context.recording(*payment_key, reason=parameters.reason)
    after = await actions.decide(context.db, *payment_key, reviewed, context.now, recorded)
    return {
        "merchant_id": str(parameters.merchant_id),
        "ap_transactionid": str(parameters.transaction),
        "state": after.payment.state,
        "decision": decision,
        "reason": parameters.reason,
        "by": reviewed.decided_by,
    }


VERBS = (list_of, release, reject)
