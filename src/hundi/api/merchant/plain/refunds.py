"""Refunds of the plain interface: one a request, and each only once."""

from hundi.api.merchant.plain.endpoint import PlainCall
from hundi.api.merchant.plain.facts import refund_of
from hundi.api.merchant.settlements import id_named
from hundi.infra.postgres.database import Beside
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.payments.refunds import actions as refunds
from hundi.payments.refunds.actions import ItemToRefund
from hundi.wire.plain.refunds import (
    CREATE,
    SHOW,
    PlainRefund,
    PlainRefundName,
    PlainRefundRequest,
)


async def _create(call: PlainCall, asked: PlainRefundRequest) -> PlainRefund:
    """Begin a refund."""
    context, payment_id = call.context, id_named(asked.transaction_id)
    merchant, payments = context.sender, context.gateway.payments

    async def do(beside: Beside | None) -> tuple[int, PlainRefund]:
        alone = merchant.settings.refund_alone_on_api
        item = ItemToRefund(asked.amount_paise, alone=alone, beside=beside)
        (outcome,) = await refunds.request(payments, merchant, payment_id, [item], context.now)
        if outcome.refusal is not None:
            raise Refused(outcome.refusal)
        return outcome.refund_id, await show(outcome.refund_id)

    async def show(refund_id: int) -> PlainRefund:
        found = await refunds.find(payments, merchant.merchant_id, refund_id)
        if found is None:
            raise refuse(RefusalCode.NO_RECORDS)
        return refund_of(found)

    return await call.once(do, show)


async def _show(call: PlainCall, asked: PlainRefundName) -> PlainRefund:
    context, refund_id = call.context, id_named(asked.refund_id)
    found = await refunds.find(context.gateway.payments, context.sender.merchant_id, refund_id)
    if found is None:
        raise refuse(RefusalCode.NO_RECORDS)
    return refund_of(found)


ACTS = {CREATE: _create, SHOW: _show}
