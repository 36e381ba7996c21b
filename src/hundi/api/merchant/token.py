"""Issue access token (docs/spec/payment-interfaces.md#token)."""

from math import ceil

from hundi.api import replies
from hundi.api.context import GatewayContext
from hundi.api.endpoint import sender_address, serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.endpoint import MerchantAuthentication, MerchantRequest, merchant_endpoint
from hundi.kernel.clock import world_now
from hundi.kernel.refusals import Refusal, RefusalCode, refuse
from hundi.merchants.access import actions as access
from hundi.merchants.access.rules import TokenScope
from hundi.wire.merchant.payments import parse_token

_FAILURES = {RefusalCode.CREDENTIALS_WRONG, RefusalCode.ENCDATA_UNREADABLE, RefusalCode.CHECKSUM_WRONG}
"""Refusals that could be somebody guessing."""


async def _count_failure(context: MerchantRequest, refusal: Refusal) -> Refusal:
    """Count a failure; an address that fails too often is told to wait, not what was wrong."""
    if refusal.code not in _FAILURES or context.claimed is None:
        return refusal
    wait = await access.count_failure(context.gateway.db, context.claimed, context.address, context.now)
    if not wait:
        return refusal
    wait_s = ceil(wait.total_seconds())
    return Refusal(RefusalCode.TOO_MANY_REQUESTS, detail=refusal.detail, retry_after_s=wait_s)


def _refused(context: MerchantRequest, refusal: Refusal, _: Exception) -> dict[str, object]:
    return replies.token_refused(refusal, context.request_id)


TOKEN = merchant_endpoint(
    "token",
    MerchantAuthentication(None, token=False, privatekey="ignored", operation=False),
    encode_refusal=_refused,
    on_refusal=_count_failure,
)


async def token(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return `access_token`, `expires_in` (seconds) and `scope` for the right client id and secret."""
    return await serve(gateway, inbound, TOKEN, _issue)


async def _issue(context: MerchantRequest) -> dict[str, object]:
    asked = parse_token(context.values)
    merchant, tokens = context.sender, context.gateway.tokens
    if asked.merchant_id.lstrip("0") != str(merchant.merchant_id):
        raise refuse(
            RefusalCode.FIELD_INVALID, field="merchant_id", received=asked.merchant_id, allowed="the outer merchant_id"
        )
    at, address = world_now(), sender_address(context.inbound, context.gateway)
    scope = TokenScope(asked.scope)
    issued = await tokens.issue(merchant, asked.client_id, asked.client_secret, scope, address, at)
    data = {"access_token": issued, "expires_in": int(tokens.life.total_seconds()), "scope": asked.scope or None}
    return replies.success(data, "Success", context.request_id)
