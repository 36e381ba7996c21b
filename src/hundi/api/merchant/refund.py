"""Initiate refunds: a batch whose items are answered one by one, in their order.

See docs/spec/payment-interfaces.md#refund.
"""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from hundi.api import replies
from hundi.api.merchant.endpoint import MerchantRequest
from hundi.api.merchant.operations import Answer, serving
from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.payments.refunds import actions as refunds
from hundi.payments.refunds.actions import ItemToRefund, RefundOutcome
from hundi.payments.refunds.rules import RequestKey
from hundi.wire.batch import Unread
from hundi.wire.merchant import refunds as wire
from hundi.wire.merchant.refunds import REFUND, RefundItem, RefundRequest, RefundResults

BODY_BYTES_MAX = 256 * 1024
"""Largest body of a batch (docs/spec/wire.md#bodies)."""
PAYMENTS_AT_ONCE_MAX = 6
"""Payments of one batch that are refunded concurrently: fewer than the pool's connections."""
BEGUN_TOGETHER_MAX = 50
"""Refunds of one payment in one transaction, which holds the payment's lock meanwhile."""
_ID_MAX = 999_999_999_999_999


async def refund(context: MerchantRequest, asked: RefundRequest) -> Answer[RefundResults]:
    """Return one result for each item: accepted with its `refund_id`, or why not."""
    results = await _answered(context, asked)
    begun = sum(each.accepted for each in results)
    return Answer(
        RefundResults(results=tuple(results)), f"{begun} of {len(results)} refunds accepted"
    )


async def _answered(context: MerchantRequest, asked: RefundRequest) -> Sequence[wire.RefundResult]:
    """Return one result for each item.

    Payments are worked on concurrently, the items of one in their order.
    """
    of_payment: dict[int, list[int]] = defaultdict(list)
    results: dict[int, wire.RefundResult] = {}
    for place, item in enumerate(asked.items):
        payment_id = wire.payment_of(item)
        if isinstance(item, Unread):
            problem = item.problem
            said = Refusal(
                RefusalCode.FIELD_INVALID, problem.field, problem.received, problem.allowed
            )
            results[place] = _refused(item, said)
        elif payment_id > _ID_MAX:
            results[place] = _refused(item, Refusal(RefusalCode.NO_RECORDS))
        else:
            of_payment[payment_id].append(place)
    payments, merchant = context.gateway.payments, context.sender
    alone = merchant.settings.refund_alone_on_api
    whole = _content(asked)
    turns = asyncio.Semaphore(PAYMENTS_AT_ONCE_MAX)

    async def work(payment_id: int, places: list[int]) -> dict[int, wire.RefundResult]:
        outcomes: list[RefundOutcome] = []
        async with turns:
            for start in range(0, len(places), BEGUN_TOGETHER_MAX):
                together = places[start : start + BEGUN_TOGETHER_MAX]
                requests = [
                    ItemToRefund(
                        wire.amount_of(asked.items[place]), _key(asked, place, whole), alone=alone
                    )
                    for place in together
                ]
                answers = await refunds.request(
                    payments, merchant, payment_id, requests, context.now
                )
                # The reply says what was wrong with each; the log says which setting would accept
                # the first such.
                curable = (
                    found.refusal
                    for found in answers
                    if found.refusal is not None and found.refusal.cures
                )
                context.within = context.within or next(curable, None)
                outcomes += answers
        return {
            place: _result(asked.items[place], outcome)
            for place, outcome in zip(places, outcomes, strict=True)
        }

    for done in await asyncio.gather(*(work(*payment) for payment in of_payment.items())):
        results |= done
    return [results[place] for place in range(len(asked.items))]


def _result(item: RefundItem | Unread, found: RefundOutcome) -> wire.RefundResult:
    if found.refusal is not None:
        return _refused(item, found.refusal, found)
    return wire.accepted(wire.payment_of(item), found.paise, found.refund_id)


def _content(asked: RefundRequest) -> bytes:
    """Return the hash of a whole batch, to recognise a changed batch under the same id."""
    items = [
        (wire.payment_of(item), wire.amount_of(item), wire.request_id_of(item, asked))
        for item in asked.items
    ]
    return hashlib.sha256(msgspec.json.encode(items)).digest()


def _key(asked: RefundRequest, place: int, whole: bytes) -> RequestKey | None:
    """Return the idempotency key of an item.

    Its own request id, or the batch's with the item's place.
    """
    item = asked.items[place]
    request_id = wire.request_id_of(item, asked)
    if not request_id:
        return None
    if request_id != asked.request_id:
        content = msgspec.json.encode((wire.payment_of(item), wire.amount_of(item)))
        return RequestKey(request_id, 0, hashlib.sha256(content).digest())
    return RequestKey(request_id, place, whole)


def _refused(
    item: RefundItem | Unread, refusal: Refusal, found: RefundOutcome | None = None
) -> wire.RefundResult:
    words = f"The refund cannot be performed: {replies.words(refusal)}"
    if found is not None and found.refund_id:
        words += f"; it is refund {found.refund_id}"
    return wire.not_accepted(
        wire.payment_of(item), wire.amount_of(item), replies.CODE_OF[refusal.code], words
    )


HANDLERS = {REFUND: serving(REFUND, refund, body_bytes_max=BODY_BYTES_MAX)}
