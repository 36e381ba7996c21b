"""Calls one method of the synchronous or the asynchronous client, on a gateway's double."""

import asyncio
from collections.abc import Callable

import httpx

from hundi.sdk import AsyncClient, Client, Gateway
from tests.sdk.gateway_double import CREDENTIALS, PAID, GatewayDouble, changed

GATEWAY = Gateway(
    base_url="http://127.0.0.1:1", pauses_s=(0.0, 0.0), shop_origin="https://shop.example"
)
AUTHORISED = changed(PAID, transaction_payment_status="AUTHORIZE", transaction_type=310, chmod="pg")
ID = PAID.ap_transactionid
Call = Callable[..., object]


def in_sync(double: GatewayDouble, name: str, /, *arguments: object, **named: object) -> object:
    """Call the synchronous client."""
    with Client(CREDENTIALS, GATEWAY, transport=httpx.MockTransport(double)) as client:
        return getattr(client, name)(*arguments, **named)


def in_async(double: GatewayDouble, name: str, /, *arguments: object, **named: object) -> object:
    """Call the asynchronous client."""

    async def run() -> object:
        async with AsyncClient(
            CREDENTIALS, GATEWAY, transport=httpx.MockTransport(double.answer_later)
        ) as client:
            return await getattr(client, name)(*arguments, **named)

    return asyncio.run(run())
