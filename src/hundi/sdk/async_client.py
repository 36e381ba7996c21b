"""The asynchronous client, over httpx; tasks of one event loop may share it."""

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Self

import httpx

from hundi.sdk import (
    disputes,
    notifications,
    payments,
    refunds,
    saved_cards,
    seamless,
    settlements,
    splits,
    subscriptions,
    terms,
    upi,
)
from hundi.sdk.async_methods import AsyncOperations
from hundi.sdk.calls import Answer, Arrived, Calls, Gateway, Lost, Pause, Result, Scope, Send, Step, Steps, performed
from hundi.sdk.credentials import Credentials
from hundi.sdk.disputes import Dispute, Evidence
from hundi.sdk.notifications import AnnouncedPage
from hundi.sdk.operations import perform
from hundi.sdk.order import Order, PaymentForm
from hundi.sdk.refunds import RefundResult
from hundi.sdk.saved_cards import SavedCard
from hundi.sdk.seamless import DirectPayment, NextStep
from hundi.sdk.settlements import Payout, Settlement, SettlementItems
from hundi.sdk.splits import Split, SplitResult
from hundi.sdk.subscriptions import Subscription
from hundi.sdk.terms import BankAccount, NextSettlement, PriceList
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
        self, credentials: Credentials, gateway: Gateway, *, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        """Connect to nothing yet; the first call does."""
        self._calls = Calls(credentials, gateway)
        self._timeout_s = gateway.timeout_s
        self._token_turn = asyncio.Lock()
        self._http = httpx.AsyncClient(
            **http_options(gateway), event_hooks={"request": [_hide_token]}, transport=transport
        )

    async def payment_form(self, order: Order) -> PaymentForm:
        """Return the form that takes the customer to the payment page; see `Client.payment_form`."""
        return await self._run(self._calls.payment_form(order))

    async def access_token(self, scope: Scope = "operations") -> str:
        """Return an access token; see `Client.access_token`."""
        return await self._run(self._calls.token(scope))

    async def verify(
        self, *, order_id: str, amount_paise: int, currency: str = "INR", transaction_id: str = "", rrn: str = ""
    ) -> Transaction:
        """Ask the gateway what became of a payment; see `Client.verify`."""
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

    async def refund(self, items: Sequence[RefundItem], *, request_id: str) -> tuple[RefundResult, ...]:
        """Give money back, all or a part of each payment; see `Client.refund`."""
        return await self._run(refunds.refund(self._calls, items, request_id))

    async def generate_qr(self, order: QrOrder) -> QrCode:
        """Open an order that is paid by scanning a QR, without the payment page; see `Client.generate_qr`."""
        return await self._run(upi.generate_qr(self._calls, order))

    async def begin_payment(self, payment: DirectPayment) -> NextStep:
        """Begin a payment from your own server; see `Client.begin_payment`."""
        return await self._run(seamless.begin(self._calls, payment))

    async def split(self, asked: Split) -> SplitResult:
        """Divide the settlement of a paid transaction; see `Client.split`."""
        return await self._run(splits.split(self._calls, asked))

    async def capture(self, transaction_id: str, *, amount_paise: int | None = None) -> Transaction:
        """Take the money an authorisation reserved; see `Client.capture`."""
        return await self._run(payments.capture(self._calls, transaction_id, amount_paise))

    async def void(self, transaction_id: str) -> Transaction:
        """Give up the money an authorisation reserved; see `Client.void`."""
        return await self._run(payments.void(self._calls, transaction_id))

    async def subscription(self, transaction_id: str = "", *, order_id: str = "") -> Subscription:
        """Ask how a subscription stands; see `Client.subscription`."""
        return await self._run(subscriptions.status(self._calls, transaction_id, order_id))

    async def subscriptions(self, *, state: str = "", before: str = "") -> tuple[Subscription, ...]:
        """List your subscriptions, newest first, without their debits; see `Client.subscriptions`."""
        return await self._run(subscriptions.listing(self._calls, state, before))

    async def charge_subscription(self, transaction_id: str, *, amount_paise: int | None = None) -> Subscription:
        """Announce the next debit now; see `Client.charge_subscription`."""
        return await self._run(subscriptions.charge(self._calls, transaction_id, amount_paise))

    async def change_subscription(
        self,
        transaction_id: str,
        *,
        amount_paise: int | None = None,
        debits: int | None = None,
        retries: int | None = None,
    ) -> Subscription:
        """Change a subscription within what its customer approved; see `Client.change_subscription`."""
        return await self._run(subscriptions.change(self._calls, transaction_id, amount_paise, debits, retries))

    async def pause_subscription(self, transaction_id: str) -> Subscription:
        """Pause a subscription; see `Client.pause_subscription`."""
        return await self._run(subscriptions.act(self._calls, "pause", transaction_id))

    async def resume_subscription(self, transaction_id: str) -> Subscription:
        """Resume a paused subscription; see `Client.resume_subscription`."""
        return await self._run(subscriptions.act(self._calls, "resume", transaction_id))

    async def cancel_subscription(self, transaction_id: str) -> Subscription:
        """Cancel a subscription for good; see `Client.cancel_subscription`."""
        return await self._run(subscriptions.act(self._calls, "cancel", transaction_id))

    async def saved_cards(self, customer_id: str) -> tuple[SavedCard, ...]:
        """List the cards that a customer lets you keep; see `Client.saved_cards`."""
        return await self._run(saved_cards.saved_cards(self._calls, customer_id))

    async def delete_saved_card(self, token: str) -> SavedCard:
        """Delete a saved card; see `Client.delete_saved_card`."""
        return await self._run(saved_cards.delete(self._calls, token))

    async def settlements(self, *, before: str = "") -> tuple[Settlement, ...]:
        """List your settlements, newest first, without their shares; see `Client.settlements`."""
        return await self._run(settlements.listing(self._calls, before))

    async def settlement(self, settlement_id: str) -> Settlement:
        """Ask what a settlement came to, and in which shares it left; see `Client.settlement`."""
        return await self._run(settlements.status(self._calls, settlement_id))

    async def settlement_items(self, settlement_id: str, *, after: str = "") -> SettlementItems:
        """List what a settlement is made of, a page at a time; see `Client.settlement_items`."""
        return await self._run(settlements.items(self._calls, settlement_id, after))

    async def notifications(self, *, after: str = "") -> AnnouncedPage:
        """List what was announced to you; see `Client.notifications`."""
        return await self._run(notifications.listing(self._calls, after))

    async def payouts(self, *, state: str = "", before: str = "") -> tuple[Payout, ...]:
        """List your payouts, newest first; see `Client.payouts`."""
        return await self._run(settlements.payouts(self._calls, state, before))

    async def disputes(self, *, state: str = "", before: str = "") -> tuple[Dispute, ...]:
        """List your disputes, newest first, without phases and documents; see `Client.disputes`."""
        return await self._run(disputes.listing(self._calls, state, before))

    async def dispute(self, dispute_id: str) -> Dispute:
        """Ask how a dispute stands; see `Client.dispute`."""
        return await self._run(disputes.status(self._calls, dispute_id))

    async def add_evidence(self, dispute_id: str, content: bytes, *, name: str = "") -> Evidence:
        """Keep a document for your answer; see `Client.add_evidence`."""
        return await self._run(disputes.add_evidence(self._calls, dispute_id, content, name))

    async def contest_dispute(self, dispute_id: str, *, note: str = "") -> Dispute:
        """Contest a dispute; the bank decides; see `Client.contest_dispute`."""
        return await self._run(disputes.contest(self._calls, dispute_id, note))

    async def accept_dispute(self, dispute_id: str, *, amount_paise: int | None = None, note: str = "") -> Dispute:
        """Accept a dispute, or with amount_paise only a part of it; see `Client.accept_dispute`."""
        return await self._run(disputes.accept(self._calls, dispute_id, amount_paise, note))

    async def next_settlement(self) -> NextSettlement:
        """Ask when you are settled next, and what it would come to; see `Client.next_settlement`."""
        return await self._run(terms.next_settlement(self._calls))

    async def price_list(self) -> PriceList:
        """List the prices in force today; see `Client.price_list`."""
        return await self._run(terms.price_list(self._calls))

    async def bank_accounts(self) -> tuple[BankAccount, ...]:
        """List the bank accounts that you are paid out to; see `Client.bank_accounts`."""
        return await self._run(terms.bank_accounts(self._calls))

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        """Return the client itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
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

    async def _send(self, request: Send) -> Arrived | Lost:
        body = ReplyBody(self._timeout_s)
        try:
            async with self._http.stream(
                "POST", request.url, content=request.body, headers=content_type(request)
            ) as response:
                async for chunk in response.aiter_bytes():
                    body.add(chunk)
                return Arrived(response.status_code, body.whole())
        except (httpx.RequestError, TimeoutError) as error:
            return lost(error)


async def _hide_token(request: httpx.Request) -> None:
    # httpx awaits the hooks of its asynchronous client.
    hide_token(request)
