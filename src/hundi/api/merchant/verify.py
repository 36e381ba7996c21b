"""Verify / order confirmation (docs/spec/payment-interfaces.md#verify)."""

from datetime import datetime, timedelta

import msgspec

from hundi.api.merchant.endpoint import MerchantRequest
from hundi.api.merchant.operations import Answer, authentication_of, serving
from hundi.api.merchant.record import transaction_record
from hundi.kernel.clock import utc_now
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.payouts.utrs import store as utrs
from hundi.payments.orders import actions as payments
from hundi.payments.orders.facts.rules import PaymentFacts, facts_of
from hundi.payments.orders.rules import PaymentView
from hundi.payments.refunds import actions as refunds
from hundi.payments.refunds.rules import Refund, facts_of_refund
from hundi.wire.merchant.record import TransactionRecord
from hundi.wire.merchant.verify import VERIFY, VerifyRequest

_ID_DIGITS_MAX = 15
_PAID_OUT_AFTER = timedelta(minutes=5)
"""Settlement and payout take at least this long.

So the lookup of payouts is skipped for recent payments.
"""


async def verify(context: MerchantRequest, asked: VerifyRequest) -> Answer[TransactionRecord]:
    """Return the record of the payment that all given references agree on.

    References: `orderid`, `ap_transactionid`, `rrn`, `refund_id`.
    """
    merchant = context.sender
    if asked.merchant_id and asked.merchant_id.lstrip("0") != str(merchant.merchant_id):
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="merchant_id",
            received=asked.merchant_id,
            allowed="the outer merchant_id",
        )
    if max(len(asked.transaction_id), len(asked.refund_id)) > _ID_DIGITS_MAX:
        raise refuse(RefusalCode.NO_RECORDS)
    refund = await _refund(context, asked) if asked.refund_id else None
    payment_id = asked.transaction_id if refund is None else refund.payment_id
    view = await payments.find(
        context.gateway.payments,
        merchant.merchant_id,
        order_id=asked.order_id or None,
        payment_id=int(payment_id) if payment_id else None,
        rrn=asked.rrn or None,
    )
    if view is None:
        raise refuse(RefusalCode.NO_RECORDS)
    if refund is not None:
        return _told(context, facts_of(view, facts_of_refund(refund), about=refund.attempt_id), "")
    return _told(context, facts_of(view), await utr_of(context, view, utc_now()))


async def _refund(context: MerchantRequest, asked: VerifyRequest) -> Refund:
    """Return a refund by its id.

    Every other reference has to name its payment. Raises Refused.
    """
    refund = await refunds.find(
        context.gateway.payments, context.sender.merchant_id, int(asked.refund_id)
    )
    if refund is None or asked.transaction_id.lstrip("0") not in {"", str(refund.payment_id)}:
        raise refuse(RefusalCode.NO_RECORDS)
    return refund


async def utr_of(context: MerchantRequest, view: PaymentView, now: datetime) -> str:
    """Return the UTR by which a payment reached its merchant, "" while it has not."""
    paid = view.success
    if paid is None or paid.settled_at is None or now < paid.settled_at + _PAID_OUT_AFTER:
        return ""
    return await utrs.utr_of_attempt(
        context.gateway.db, context.sender.merchant_id, paid.attempt_id
    )


def _told(context: MerchantRequest, facts: PaymentFacts, utr: str) -> Answer[TransactionRecord]:
    record = transaction_record(facts, context.sender)
    if utr:
        record = msgspec.structs.replace(record, utr_no=utr)
    return Answer(record, record.message)


HANDLERS = {
    VERIFY: serving(
        VERIFY, verify, authentication=replace(authentication_of(VERIFY), live_only=True)
    ),
}
