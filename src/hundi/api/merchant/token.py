"""Issue access token (docs/spec/payment-interfaces.md#token)."""

from hundi.api import replies
from hundi.api.gateway import Gateway
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.pipeline import Exchange, Operation, answer
from hundi.kernel.refusals import Refusal, RefusalCode, refuse
from hundi.merchants.access import actions as access
from hundi.wire.merchant.payments import parse_token

_FAILURES = {RefusalCode.CREDENTIALS_WRONG, RefusalCode.ENCDATA_UNREADABLE, RefusalCode.CHECKSUM_WRONG}
"""Refusals that could be somebody guessing."""


async def _weigh(exchange: Exchange, refusal: Refusal) -> Refusal:
    """Count a failure; an address that fails too often is told to wait and not what was wrong."""
    if refusal.code not in _FAILURES or exchange.merchant is None:
        return refusal
    blocked = await access.count_failure(
        exchange.gateway.db, exchange.merchant.merchant_id, exchange.address, exchange.now
    )
    return Refusal(RefusalCode.TOO_MANY_REQUESTS, detail=refusal.detail) if blocked else refusal


TOKEN = Operation("token", token=False, privatekey="ignored", refusal=replies.token_refused, weigh=_weigh)


async def token(gateway: Gateway, inbound: Inbound) -> Reply:
    """Return `access_token`, `expires_in` (seconds, a number) and `scope` for the right client id and secret."""
    return await answer(gateway, inbound, TOKEN, _issue)


async def _issue(exchange: Exchange) -> dict[str, object]:
    asked = parse_token(exchange.values)
    merchant, tokens = exchange.sender, exchange.gateway.tokens
    if asked.merchant_id.lstrip("0") != str(merchant.merchant_id):
        raise refuse(
            RefusalCode.FIELD_INVALID, field="merchant_id", received=asked.merchant_id, allowed="the outer merchant_id"
        )
    issued = await tokens.issue(merchant, asked.client_id, asked.client_secret, exchange.now)
    data = {"access_token": issued, "expires_in": int(tokens.life.total_seconds()), "scope": None}
    return replies.success(data, "Success", exchange.request_id)
