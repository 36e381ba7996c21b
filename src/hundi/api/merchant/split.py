"""Configure split settlement, in its encrypted and its flat form.

See docs/spec/payment-interfaces.md#split.
"""

import hashlib

import msgspec

from hundi.api import replies
from hundi.api.gateway import Gateway
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.pipeline import Exchange, FlatForm, Operation, answer
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import SplitKind
from hundi.payments.splits import actions as splits
from hundi.payments.splits.rules import Part, Wish
from hundi.wire.merchant.splits import (
    CONFIGURED,
    REPLACED,
    SplitRequest,
    flat_token_matches,
    is_flat,
    parse_flat_split,
    parse_split,
    split_data,
)

_ID_DIGITS_MAX = 15


def _is_proven(exchange: Exchange, inbound: Inbound) -> bool:
    keys = exchange.sender.keys
    return flat_token_matches(exchange.outer.extra, keys.privatekey, keys.secret, inbound.header(b"api-key"))


SPLIT = Operation("split", token=False, flat=FlatForm(lambda outer: is_flat(outer.extra), _is_proven))


async def split(gateway: Gateway, inbound: Inbound) -> Reply:
    """Say how a transaction is shared between the merchant and its linked accounts."""
    return await answer(gateway, inbound, SPLIT, _split)


async def _split(exchange: Exchange) -> dict[str, object]:
    flat = is_flat(exchange.outer.extra)
    asked = parse_flat_split(exchange.outer.extra) if flat else parse_split(exchange.values)
    if len(asked.ap_transactionid) > _ID_DIGITS_MAX:
        raise refuse(RefusalCode.NO_RECORDS)
    db, merchant = exchange.gateway.db, exchange.sender
    done = await splits.configure(db, merchant.merchant_id, _wish(asked), exchange.now)
    status = CONFIGURED if done.stands else REPLACED
    data = split_data(asked, done.shares.primary_paise, done.shares.parts_paise, status)
    return replies.success(data, f"The split is {status}", exchange.request_id)


def _wish(asked: SplitRequest) -> Wish:
    """Return the request in business words. The hash covers what is wished, not the form it came in."""
    parts = tuple(Part(part.identifier, part.value) for part in asked.parts)
    content = (int(asked.ap_transactionid), asked.type, asked.primary_value, parts)
    return Wish(
        payment_id=int(asked.ap_transactionid),
        request_id=asked.request_id,
        kind=SplitKind(asked.type.value),
        primary_value=asked.primary_value,
        parts=parts,
        content_hash=hashlib.sha256(msgspec.json.encode(content)).digest(),
        rrn=asked.rrn,
        primary_identifier=asked.primary_identifier,
    )
