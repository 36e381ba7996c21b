"""Initiate refund (payment interfaces, Endpoints 5): a batch whose items are answered one by one, in their order."""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from hundi.api import replies
from hundi.api.gateway import Gateway
from hundi.api.inbound import Inbound, Reply
from hundi.api.pipeline import Exchange, Operation, answer
from hundi.kernel.refusals import Refusal, RefusalCode, Refused
from hundi.refunds import actions as refunds
from hundi.refunds.actions import Answer, Item, Key
from hundi.wire.refunds import (
    RefundItem,
    RefundRequest,
    RefundResult,
    accepted,
    not_accepted,
    parse_refund,
    refund_data,
)

BODY_BYTES_MAX = 256 * 1024
"""Largest body of a batch [ours, wire decisions section 1]."""
REFUND = Operation("refund", body_bytes_max=BODY_BYTES_MAX)
PAYMENTS_AT_ONCE_MAX = 6
"""Payments of one batch worked on side by side: fewer than the pool has connections."""
_ID_MAX = 999_999_999_999_999


async def refund(gateway: Gateway, inbound: Inbound) -> Reply:
    """Return one result for each item: accepted with its `refund_id`, or why not."""
    return await answer(gateway, inbound, REFUND, _refund)


async def _refund(exchange: Exchange) -> dict[str, object]:
    asked = parse_refund(exchange.values)
    results = await _answered(exchange, asked)
    begun = sum(each.success == "true" for each in results)
    return replies.success(refund_data(results), f"{begun} of {len(results)} refunds accepted", exchange.request_id)


async def _answered(exchange: Exchange, asked: RefundRequest) -> Sequence[RefundResult]:
    """Answer items of one payment one after the other, in their order; of several payments side by side."""
    of_payment: dict[int, list[int]] = defaultdict(list)
    for place, item in enumerate(asked.items):
        of_payment[item.ap_transactionid].append(place)
    results: dict[int, RefundResult] = {}
    whole = _content(asked)
    turns = asyncio.Semaphore(PAYMENTS_AT_ONCE_MAX)

    async def work(places: list[int]) -> None:
        async with turns:
            for place in places:
                results[place] = await _result(exchange, asked, place, whole)

    await asyncio.gather(*(work(places) for places in of_payment.values()))
    return [results[place] for place in range(len(asked.items))]


async def _result(exchange: Exchange, asked: RefundRequest, place: int, whole: bytes) -> RefundResult:
    item = asked.items[place]
    if item.problem is not None:
        problem = item.problem
        return _refused(item, Refusal(RefusalCode.FIELD_INVALID, problem.field, problem.received, problem.allowed))
    if item.ap_transactionid > _ID_MAX:
        return _refused(item, Refusal(RefusalCode.NO_RECORDS))
    ports, merchant = exchange.gateway.payments, exchange.sender
    wanted = Item(item.ap_transactionid, item.amount_paise)
    try:
        found = await refunds.ask(ports, merchant, wanted, _key(asked, place, whole), exchange.now)
    except Refused as refused:
        return _refused(item, refused.refusal)
    if found.refusal is not None:
        return _refused(item, found.refusal, found)
    return accepted(item.ap_transactionid, found.paise, found.refund_id)


def _content(asked: RefundRequest) -> bytes:
    """Return the hash of a whole batch: under the batch's id another one, longer or shorter, is another content."""
    items = [(item.ap_transactionid, item.amount_paise, item.request_id) for item in asked.items]
    return hashlib.sha256(msgspec.json.encode(items)).digest()


def _key(asked: RefundRequest, place: int, whole: bytes) -> Key | None:
    """Return what makes a repeat of this item harmless: its own request id, or the batch's and its place in it."""
    item = asked.items[place]
    if not item.request_id:
        return None
    if item.request_id != asked.request_id:
        content = msgspec.json.encode((item.ap_transactionid, item.amount_paise))
        return Key(item.request_id, 0, hashlib.sha256(content).digest())
    return Key(item.request_id, place, whole)


def _refused(item: RefundItem, refusal: Refusal, found: Answer | None = None) -> RefundResult:
    words = f"The refund cannot be performed: {replies.words(refusal)}"
    return not_accepted(item, replies.CODE_OF[refusal.code], words, found.refund_id if found else 0)
