"""Configure split settlement, in its encrypted and its flat form.

See docs/spec/payment-interfaces.md#split.
"""

import hashlib

import msgspec

from hundi.api.merchant.endpoint import (
    EVERYTHING,
    FlatForm,
    MerchantRequest,
    Proof,
)
from hundi.api.merchant.operations import Answer, authentication_of, serving
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import SplitKind
from hundi.merchants.directory.keys.rules import merchant_of_secret
from hundi.merchants.directory.rules import Merchant
from hundi.payments.splits import actions as splits
from hundi.payments.splits.rules import SharePart, SplitOrder
from hundi.wire.merchant import splits as wire
from hundi.wire.merchant.splits import SPLIT, FlatSplitRequest, SplitData, SplitRequest, SplitShare
from hundi.wire.message import read_request

_ID_DIGITS_MAX = 15


def _is_flat(context: MerchantRequest) -> bool:
    return wire.is_flat(context.outer.extra)


def _claimed(context: MerchantRequest) -> str:
    """Return the merchant id of the vendor's form, which has no field for it.

    Its API secret names the merchant.
    """
    named = merchant_of_secret(context.inbound.header(b"api-key"))
    return named or wire.primary_identifier(context.outer.extra)


def _proven_by(context: MerchantRequest, merchant: Merchant) -> Proof | None:
    keys, api_key = merchant.keys, context.inbound.header(b"api-key")

    def matches(derived: str, secret: str) -> bool:
        return wire.flat_token_matches(context.outer.extra, derived, secret, api_key)

    first = [
        matches(*each)
        for each in zip(keys.privatekeys, (keys.secret, keys.secret_before), strict=False)
    ]
    pairs = zip(keys.privatekeys_further, keys.further, strict=True)
    further = [matches(derived, each.secret) for derived, each in pairs]
    if any(first):
        return EVERYTHING
    return keys.further[further.index(True)] if any(further) else None


_FLAT = FlatForm(_is_flat, _claimed, _proven_by)


def _read(context: MerchantRequest) -> SplitRequest | FlatSplitRequest:
    if not _is_flat(context):
        return read_request(SplitRequest, context.values)
    merchant_id = str(context.sender.merchant_id)
    return read_request(FlatSplitRequest, {**context.outer.extra, "merchant_id": merchant_id})


async def _split(
    context: MerchantRequest, asked: SplitRequest | FlatSplitRequest
) -> Answer[SplitData]:
    """Configure how a transaction is shared between the merchant and its linked accounts."""
    if len(asked.transaction_id) > _ID_DIGITS_MAX:
        raise refuse(RefusalCode.NO_RECORDS)
    db, merchant, order = context.gateway.db, context.sender, _order(asked)
    done = await splits.configure(db, merchant.merchant_id, order, context.now)
    shares = zip(order.parts, done.shares.parts_paise, strict=True)
    data = SplitData(
        request_id=asked.request_id,
        status=wire.CONFIGURED if done.stands else wire.REPLACED,
        transaction_id=asked.transaction_id,
        primary_paise=done.shares.primary_paise,
        shares=tuple(SplitShare(part.identifier, paise) for part, paise in shares),
    )
    return Answer(data, f"The split is {data.status}")


def _order(asked: SplitRequest | FlatSplitRequest) -> SplitOrder:
    """Return the request in business terms.

    The hash covers the contents of the request, not its form.
    """
    parts = tuple(SharePart(part.identifier, part.value) for part in asked.parts)
    content = (int(asked.transaction_id), asked.type, asked.primary_value, parts)
    return SplitOrder(
        payment_id=int(asked.transaction_id),
        request_id=asked.request_id,
        kind=SplitKind(asked.type.value),
        primary_value=asked.primary_value,
        parts=parts,
        content_hash=hashlib.sha256(msgspec.json.encode(content)).digest(),
        rrn=asked.rrn,
        primary_identifier=asked.primary_identifier,
    )


HANDLERS = {
    SPLIT: serving(
        SPLIT,
        _split,
        read=_read,
        authentication=replace(authentication_of(SPLIT), flat=_FLAT),
    ),
}
