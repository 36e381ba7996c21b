"""Capture and void an authorisation; the reply is the transaction record.

See docs/spec/payment-interfaces.md#capture.
"""

from hundi.api.merchant.endpoint import MerchantRequest
from hundi.api.merchant.operations import Answer, serving
from hundi.api.merchant.record import transaction_record
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import Actor, CompletionKind
from hundi.payments.captures import actions as captures
from hundi.payments.captures.actions import CompletionRequest
from hundi.payments.captures.rules import OPEN
from hundi.payments.orders.facts.rules import facts_of
from hundi.wire.merchant.completions import CAPTURE, VOID, CaptureRequest, VoidRequest
from hundi.wire.merchant.record import TransactionRecord

_ID_DIGITS_MAX = 15


async def _capture(context: MerchantRequest, asked: CaptureRequest) -> Answer[TransactionRecord]:
    """Capture an authorisation, whole or in part."""
    return await _complete(
        context, asked.transaction_id, CompletionKind.CAPTURE, asked.amount_paise
    )


async def _void(context: MerchantRequest, asked: VoidRequest) -> Answer[TransactionRecord]:
    return await _complete(context, asked.transaction_id, CompletionKind.VOID, None)


async def _complete(
    context: MerchantRequest, named: str, kind: CompletionKind, paise: int | None
) -> Answer[TransactionRecord]:
    if len(named) > _ID_DIGITS_MAX:
        raise refuse(RefusalCode.NO_RECORDS)
    payments, merchant = context.gateway.payments, context.sender
    request = CompletionRequest(kind, Actor.MERCHANT, paise)
    ended = await captures.complete(payments, merchant, int(named), request, context.now)
    record = transaction_record(facts_of(ended.view), merchant)
    message = record.message
    if ended.completion.state in OPEN:
        # The record still says AUTHORIZE, which is what we know; verify and a notification give the
        # outcome.
        message = f"The bank has not answered the {kind} yet and is being asked"
    return Answer(record, message)


HANDLERS = {CAPTURE: serving(CAPTURE, _capture), VOID: serving(VOID, _void)}
