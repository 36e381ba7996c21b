"""Complaints: what payers say is wrong with a payment, and the merchant's answers."""

from typing import Annotated, Any

from msgspec import Meta

from hundi.kernel.refusals import RefusalCode
from hundi.payments.complaints import actions, store
from hundi.payments.complaints.rules import WORDS_LENGTH_MAX, Complaint
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import ID_MAX, MerchantId, ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb

LISTED_MAX = 50


class ComplaintsToList(VerbParameters, frozen=True, kw_only=True):
    """Whose complaints are listed."""

    merchant_id: MerchantId


class ComplaintAnswer(VerbParameters, frozen=True, kw_only=True):
    """An answer to a complaint."""

    merchant_id: MerchantId
    complaint_id: Annotated[int, Meta(ge=1, le=ID_MAX, description="The complaint's number.")]
    answer: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=WORDS_LENGTH_MAX,
            description="The answer, which the payer reads as you write it.",
        ),
        ParameterHints(masked=True),
    ]


@verb("complaint list", Permission.PAYMENTS_SEE, title="Complaints", screen="complaints")
async def list_of(context: VerbContext, parameters: ComplaintsToList) -> Result:
    """List a merchant's complaints that wait for an answer, the earliest deadline first."""
    complaints = await store.waiting(context.db, parameters.merchant_id, LISTED_MAX)
    return [_row(complaint) for complaint in complaints]


@verb(
    "complaint answer",
    Permission.PAYMENTS_NOTE,
    trail="complaint.answer",
    screen="complaints/{complaint_id:int}/answer",
    fresh=False,
    notice=("complaint_answered", "The answer is on its way to the payer."),
    refusals={
        RefusalCode.NO_RECORDS: "there is no complaint {complaint_id}",
        RefusalCode.STATE_FORBIDS: "complaint {complaint_id} does not wait for an answer any more",
    },
)
async def answer(context: VerbContext, parameters: ComplaintAnswer) -> Result:
    """Answer a complaint: the payer gets the answer by letter, and reads it on the page."""
    merchant = await context.directory.get(parameters.merchant_id)
    if merchant is None:
        message = f"there is no merchant {parameters.merchant_id}"
        raise VerbProblemError(message)
    complaint = await actions.answer(
        context.db,
        merchant,
        parameters.complaint_id,
        parameters.answer,
        context.name,
        context.now,
        context.recording(parameters.merchant_id),
    )
    return _row(complaint)


def _row(complaint: Complaint) -> dict[str, Any]:
    return {
        "complaint_id": str(complaint.complaint_id),
        "ap_transactionid": str(complaint.payment_id),
        "kind": complaint.kind,
        "state": complaint.state,
        "words": complaint.words,
        "made": complaint.made_at,
        "answer_by": complaint.answer_by,
    }


VERBS = (list_of, answer)
