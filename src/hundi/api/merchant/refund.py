"""Initiate refunds: a batch whose items are answered one by one, in their order.

See docs/spec/payment-interfaces.md#refund.
"""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from hundi.api import replies
from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.endpoint import MerchantRequest, merchant_endpoint
from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.merchants.directory.api_keys import KeyScope
from hundi.payments.refunds import actions as refunds
from hundi.payments.refunds.actions import RefundRequest, RefundResult
from hundi.payments.refunds.rules import Key
from hundi.wire.merchant import refunds as wire

BODY_BYTES_MAX = 256 * 1024
"""Largest body of a batch (docs/spec/wire.md#bodies)."""
REFUND = merchant_endpoint("refund", KeyScope.REFUND, body_bytes_max=BODY_BYTES_MAX)
PAYMENTS_AT_ONCE_MAX = 6
"""Payments of one batch worked on side by side: fewer than the pool has connections."""
BEGUN_TOGETHER_MAX = 50
"""Refunds of one payment begun in one transaction, which holds the payment's lock meanwhile."""
_ID_MAX = 999_999_999_999_999


async def refund(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return one result for each item: accepted with its `refund_id`, or why not."""
    return await serve(gateway, inbound, REFUND, _refund)


async def _refund(context: MerchantRequest) -> dict[str, object]:
    asked = wire.parse_refund(context.values)
    results = await _answered(context, asked)
    begun = sum(each.success == "true" for each in results)
    return replies.success(wire.refund_data(results), f"{begun} of {len(results)} refunds accepted", context.request_id)


async def _answered(context: MerchantRequest, asked: wire.RefundRequest) -> Sequence[wire.RefundResult]:
    """Return one result for each item; payments are worked on at the same time, items of one in their order."""
    of_payment: dict[int, list[int]] = defaultdict(list)
    results: dict[int, wire.RefundResult] = {}
    for place, item in enumerate(asked.items):
        if item.problem is not None:
            problem = item.problem
            said = Refusal(RefusalCode.FIELD_INVALID, problem.field, problem.received, problem.allowed)
            results[place] = _refused(item, said)
        elif item.ap_transactionid > _ID_MAX:
            results[place] = _refused(item, Refusal(RefusalCode.NO_RECORDS))
        else:
            of_payment[item.ap_transactionid].append(place)
    payments, merchant = context.gateway.payments, context.sender
    alone = merchant.settings.refund_alone_on_api
    whole = _content(asked)
    turns = asyncio.Semaphore(PAYMENTS_AT_ONCE_MAX)

    async def work(payment_id: int, places: list[int]) -> None:
        async with turns:
            for start in range(0, len(places), BEGUN_TOGETHER_MAX):
                together = places[start : start + BEGUN_TOGETHER_MAX]
                requests = [
                    RefundRequest(asked.items[place].amount_paise, _key(asked, place, whole), alone=alone)
                    for place in together
                ]
                answers = await refunds.request(payments, merchant, payment_id, requests, context.now)
                # The reply says what was wrong with each; the log says which setting would accept the first such.
                curable = (found.refusal for found in answers if found.refusal is not None and found.refusal.cures)
                context.within = context.within or next(curable, None)
                for place, found in zip(together, answers, strict=True):
                    results[place] = _result(asked.items[place], found)

    await asyncio.gather(*(work(payment_id, places) for payment_id, places in of_payment.items()))
    return [results[place] for place in range(len(asked.items))]


def _result(item: wire.RefundItem, found: RefundResult) -> wire.RefundResult:
    if found.refusal is not None:
        return _refused(item, found.refusal, found)
    return wire.accepted(item.ap_transactionid, found.paise, found.refund_id)


def _content(asked: wire.RefundRequest) -> bytes:
    """Return the hash of a whole batch, so that a changed batch under the same id is recognised."""
    items = [(item.ap_transactionid, item.amount_paise, item.request_id) for item in asked.items]
    return hashlib.sha256(msgspec.json.encode(items)).digest()


def _key(asked: wire.RefundRequest, place: int, whole: bytes) -> Key | None:
    """Return the idempotency key of an item: its own request id, or the batch's and its place in it."""
    item = asked.items[place]
    if not item.request_id:
        return None
    if item.request_id != asked.request_id:
        content = msgspec.json.encode((item.ap_transactionid, item.amount_paise))
        return Key(item.request_id, 0, hashlib.sha256(content).digest())
    return Key(item.request_id, place, whole)


def _refused(item: wire.RefundItem, refusal: Refusal, found: RefundResult | None = None) -> wire.RefundResult:
    words = f"The refund cannot be performed: {replies.words(refusal)}"
    if found is not None and found.refund_id:
        words += f"; it is refund {found.refund_id}"
    return wire.not_accepted(item, replies.CODE_OF[refusal.code], words)
