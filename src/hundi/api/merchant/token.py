"""Issue access token (docs/spec/payment-interfaces.md#token)."""

from math import ceil

from hundi.api import replies
from hundi.api.endpoint import sender_address
from hundi.api.merchant.endpoint import MerchantAuthentication, MerchantRequest
from hundi.api.merchant.operations import Answer, serving
from hundi.kernel.clock import world_now
from hundi.kernel.refusals import Refusal, RefusalCode, refuse
from hundi.merchants.access import actions as access
from hundi.merchants.access.rules import TokenScope
from hundi.wire.merchant.token import ISSUE, AccessToken, TokenRequest

_FAILURES = {
    RefusalCode.CREDENTIALS_WRONG,
    RefusalCode.ENCDATA_UNREADABLE,
    RefusalCode.CHECKSUM_WRONG,
}
"""Refusals that could be a guess."""


async def _count_failure(context: MerchantRequest, refusal: Refusal) -> Refusal:
    """Count a failure; an address with too many learns only that it has to wait."""
    if refusal.code not in _FAILURES or context.claimed is None:
        return refusal
    wait = await access.count_failure(
        context.gateway.db, context.claimed, context.address, context.now
    )
    if not wait:
        return refusal
    wait_s = ceil(wait.total_seconds())
    return Refusal(RefusalCode.TOO_MANY_REQUESTS, detail=refusal.detail, retry_after_s=wait_s)


def _refused(context: MerchantRequest, refusal: Refusal, _: Exception) -> dict[str, object]:
    return replies.token_refused(refusal, context.request_id)


async def _issue(context: MerchantRequest, asked: TokenRequest) -> Answer[AccessToken]:
    """Issue a token for the right client id and secret."""
    merchant, tokens = context.sender, context.gateway.tokens
    if asked.merchant_id.lstrip("0") != str(merchant.merchant_id):
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="merchant_id",
            received=asked.merchant_id,
            allowed="the outer merchant_id",
        )
    at, address = world_now(), sender_address(context.inbound, context.gateway)
    scope = TokenScope(asked.scope)
    issued = await tokens.issue(merchant, asked.client_id, asked.client_secret, scope, address, at)
    return Answer(
        AccessToken(token=issued, life_s=int(tokens.life.total_seconds()), scope=asked.scope),
        "Success",
    )


HANDLERS = {
    ISSUE: serving(
        ISSUE,
        _issue,
        authentication=MerchantAuthentication(
            None, token=False, privatekey="ignored", operation=False
        ),
        encode_refusal=_refused,
        on_refusal=_count_failure,
    ),
}
