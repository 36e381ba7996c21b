"""The asynchronous client, over httpx; tasks of one event loop may share it."""

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Self

import httpx

from hundi.sdk import (
    payments,
    refunds,
    seamless,
    splits,
    upi,
)
from hundi.sdk.async_methods import AsyncOperations
from hundi.sdk.calls import (
    Answer,
    Calls,
    Gateway,
    HttpReply,
    Lost,
    Pause,
    Result,
    Scope,
    Send,
    Step,
    Steps,
    performed,
)
from hundi.sdk.credentials import Credentials
from hundi.sdk.operations import perform
from hundi.sdk.order import Order, PaymentForm
from hundi.sdk.refunds import RefundResult
from hundi.sdk.seamless import DirectPayment, NextStep
from hundi.sdk.splits import Split, SplitResult
from hundi.sdk.transaction import Transaction
from hundi.sdk.transport import ReplyBody, content_type, hide_token, http_options, lost
from hundi.sdk.upi import QrCode, QrOrder
from hundi.wire.merchant.refunds import RefundItem
from hundi.wire.operation import Asked, Operation, Told


class AsyncClient(AsyncOperations):
    """`Client` for asyncio, with the same calls, results and errors.

    Close it, or use it as an async context manager.
    """

    def __init__(
        self,
        credentials: Credentials,
        gateway: Gateway,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        self._calls = Calls(credentials, gateway)
        self._timeout_s = gateway.timeout_s
        self._token_turn = asyncio.Lock()
        self._http = httpx.AsyncClient(
            **http_options(gateway), event_hooks={"request": [_hide_token]}, transport=transport
        )

    async def payment_form(self, order: Order) -> PaymentForm:
        """Return the form that takes the customer to the payment page.

        See `Client.payment_form`.
        """
        return await self._run(self._calls.payment_form(order))

    async def access_token(self, scope: Scope = "operations") -> str:
        """Return an access token; see `Client.access_token`."""
        return await self._run(self._calls.token(scope))

    async def verify(
        self,
        *,
        order_id: str,
        amount_paise: int,
        currency: str = "INR",
        transaction_id: str = "",
        rrn: str = "",
    ) -> Transaction:
        """Return the state of a payment; see `Client.verify`."""
        return await self._run(
            payments.verify(
                self._calls,
                order_id=order_id,
                amount_paise=amount_paise,
                currency=currency,
                transaction_id=transaction_id,
                rrn=rrn,
            )
        )

    async def refund(
        self, items: Sequence[RefundItem], *, request_id: str
    ) -> tuple[RefundResult, ...]:
        """Refund all or a part of each payment; see `Client.refund`."""
        return await self._run(refunds.refund(self._calls, items, request_id))

    async def generate_qr(self, order: QrOrder) -> QrCode:
        """Open an order that is paid by scanning a QR, without the payment page.

        See `Client.generate_qr`.
        """
        return await self._run(upi.generate_qr(self._calls, order))

    async def begin_payment(self, payment: DirectPayment) -> NextStep:
        """Begin a payment from your own server; see `Client.begin_payment`."""
        return await self._run(seamless.begin(self._calls, payment))

    async def split(self, asked: Split) -> SplitResult:
        """Divide the settlement of a paid transaction; see `Client.split`."""
        return await self._run(splits.split(self._calls, asked))

    async def capture(self, transaction_id: str, *, amount_paise: int | None = None) -> Transaction:
        """Capture an authorised amount; see `Client.capture`."""
        return await self._run(payments.capture(self._calls, transaction_id, amount_paise))

    async def void(self, transaction_id: str) -> Transaction:
        """Void an authorisation; see `Client.void`."""
        return await self._run(payments.void(self._calls, transaction_id))

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        """Return the client itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connections."""
        await self.close()

    async def _operation(self, operation: Operation[Asked, Told], asked: Asked) -> Told:
        return await self._run(perform(self._calls, operation, asked))

    async def _run(self, steps: Steps[Result]) -> Result:
        return await performed(steps, self._perform)

    async def _perform(self, step: Step) -> Answer:
        if isinstance(step, Send):
            return await self._send(step)
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        async with self._token_turn:
            return await self._run(self._calls.issue_token(step.scope, step.rejected))

    async def _send(self, request: Send) -> HttpReply | Lost:
        body = ReplyBody(self._timeout_s)
        try:
            async with self._http.stream(
                "POST", request.url, content=request.body, headers=content_type(request)
            ) as response:
                async for chunk in response.aiter_bytes():
                    body.add(chunk)
                return HttpReply(response.status_code, body.whole())
        except (httpx.RequestError, TimeoutError) as error:
            return lost(error)


async def _hide_token(request: httpx.Request) -> None:
    # httpx awaits the hooks of its asynchronous client.
    hide_token(request)
