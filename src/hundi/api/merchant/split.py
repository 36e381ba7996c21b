"""Configure split settlement, in its encrypted and its flat form.

See docs/spec/payment-interfaces.md#split.
"""

import hashlib

import msgspec

from hundi.api import replies
from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.endpoint import (
    EVERYTHING,
    FlatForm,
    MerchantAuthentication,
    MerchantRequest,
    Proof,
    merchant_endpoint,
)
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import SplitKind
from hundi.merchants.directory.api_keys import KeyScope
from hundi.merchants.directory.keys.rules import merchant_of_secret
from hundi.merchants.directory.rules import Merchant
from hundi.payments.splits import actions as splits
from hundi.payments.splits.rules import SharePart, SplitOrder
from hundi.wire.merchant import splits as wire

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
SPLIT = merchant_endpoint("split", MerchantAuthentication(KeyScope.MANAGE, token=False, flat=_FLAT))


async def split(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Configure how a transaction is shared between the merchant and its linked accounts."""
    return await serve(gateway, inbound, SPLIT, _split)


async def _split(context: MerchantRequest) -> dict[str, object]:
    asked = (
        wire.parse_flat_split(context.outer.extra)
        if _is_flat(context)
        else wire.parse_split(context.values)
    )
    if len(asked.ap_transactionid) > _ID_DIGITS_MAX:
        raise refuse(RefusalCode.NO_RECORDS)
    db, merchant = context.gateway.db, context.sender
    done = await splits.configure(db, merchant.merchant_id, _split_request(asked), context.now)
    status = wire.CONFIGURED if done.stands else wire.REPLACED
    data = wire.split_data(asked, done.shares.primary_paise, done.shares.parts_paise, status)
    return replies.success(data, f"The split is {status}", context.request_id)


def _split_request(asked: wire.SplitRequest) -> SplitOrder:
    """Return the request in business words.

    The hash covers what is requested, not the form it came in.
    """
    parts = tuple(SharePart(part.identifier, part.value) for part in asked.parts)
    content = (int(asked.ap_transactionid), asked.type, asked.primary_value, parts)
    return SplitOrder(
        payment_id=int(asked.ap_transactionid),
        request_id=asked.request_id,
        kind=SplitKind(asked.type.value),
        primary_value=asked.primary_value,
        parts=parts,
        content_hash=hashlib.sha256(msgspec.json.encode(content)).digest(),
        rrn=asked.rrn,
        primary_identifier=asked.primary_identifier,
    )
