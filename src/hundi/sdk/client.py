"""The synchronous client: performs the steps of `calls` with httpx.

Safe to share between threads.
"""

import threading
import time
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
)
from hundi.sdk.credentials import Credentials
from hundi.sdk.methods import Operations
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


class Client(Operations):
    """A merchant's connection to the gateway. Close it, or use it as a context manager.

    transport: what carries the requests, for tests and unusual networks; httpx's own when left out.
    Raises ConfigurationError when credentials or addresses cannot work.
    """

    def __init__(
        self,
        credentials: Credentials,
        gateway: Gateway,
        *,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        self._calls = Calls(credentials, gateway)
        self._timeout_s = gateway.timeout_s
        self._token_turn = threading.Lock()
        self._http = httpx.Client(
            **http_options(gateway), event_hooks={"request": [hide_token]}, transport=transport
        )

    def payment_form(self, order: Order) -> PaymentForm:
        """Return the form that takes the customer to the payment page.

        See docs/spec/payment-interfaces.md#payment. Fetches an access token if needed. Render the
        form at once: its token is valid for some minutes. Raises InvalidOrderError before anything
        is sent; TransportError, CredentialsRefusedError, TooManyRequestsError.
        """
        return self._run(self._calls.payment_form(order))

    def access_token(self, scope: Scope = "operations") -> str:
        """Return an access token, for requests made without this client.

        scope: what it opens; one for the payment page passes through the customer's browser and
        opens nothing else. See docs/spec/payment-interfaces.md#token.

        Every call here fetches, keeps and renews its own. Raises TransportError,
        CredentialsRefusedError.
        """
        return self._run(self._calls.token(scope))

    def verify(
        self,
        *,
        order_id: str,
        amount_paise: int,
        currency: str = "INR",
        transaction_id: str = "",
        rrn: str = "",
    ) -> Transaction:
        """Return the state of a payment (docs/spec/payment-interfaces.md#verify).

        order_id, amount_paise, currency: what your own books expect; always compared with the
        answer. transaction_id, rrn: look up by these instead of the order id; when both are given,
        both must agree.

        Safe to repeat; repeated here, within bounds, when no usable answer arrives. Raises
        MismatchError when the answer is about another order or amount; NotFoundError when there is
        no such payment; RefusedError, TransportError, SecureHashError.
        """
        return self._run(
            payments.verify(
                self._calls,
                order_id=order_id,
                amount_paise=amount_paise,
                currency=currency,
                transaction_id=transaction_id,
                rrn=rrn,
            )
        )

    def refund(self, items: Sequence[RefundItem], *, request_id: str) -> tuple[RefundResult, ...]:
        """Give money back, all or a part of each payment (docs/spec/payment-interfaces.md#refund).

        items: 1 to 1000, each answered on its own; the answers come in the same order, refusals
        among them. request_id: 1 to 64 of `A-Z a-z 0-9 - _ .`, of your own books. The same id with
        the same items never refunds
            twice, which is why this call is repeated here, and why you may repeat it after a
            TransportError.

        An accepted refund is begun, not done: a notification (`refund_done`, `refund_failed`,
        `refund_reversed`) tells. An item that differs from the one that had its place under the
        same id is refused with code 122. Raises InvalidRequestError before anything is sent;
        RefusedError, TransportError.
        """
        return self._run(refunds.refund(self._calls, items, request_id))

    def generate_qr(self, order: QrOrder) -> QrCode:
        """Open an order that is paid by scanning a QR, without the payment page.

        See docs/spec/payment-interfaces.md#generateorder. The same order again reopens the same
        payment. Ask `verify` until it is paid, or wait for the notification. Raises
        InvalidRequestError before anything is sent; OrderRefusedError when the order is paid, or
        its id was used for another order; RefusedError, TransportError, MismatchError.
        """
        return self._run(upi.generate_qr(self._calls, order))

    def begin_payment(self, payment: DirectPayment) -> NextStep:
        """Begin a payment from your own server (docs/spec/payment-interfaces.md#seamless).

        Sent once: after a TransportError ask `verify` before you begin again. Raises
        InvalidRequestError before anything is sent; NotEnabledError; StateRefusedError while an
        attempt is under way; OrderRefusedError; RefusedError.
        """
        return self._run(seamless.begin(self._calls, payment))

    def split(self, asked: Split) -> SplitResult:
        """Divide the settlement of a paid transaction (docs/spec/payment-interfaces.md#split).

        Safe to repeat: it has a request id. Raises InvalidRequestError before anything is sent;
        StateRefusedError when the transaction is settled; OrderRefusedError (122); RefusedError,
        TransportError, MismatchError.
        """
        return self._run(splits.split(self._calls, asked))

    def capture(self, transaction_id: str, *, amount_paise: int | None = None) -> Transaction:
        """Capture an authorised amount (docs/spec/payment-interfaces.md#capture).

        amount_paise: a part of it, once; the rest is released. None for all of it. Returns the
        transaction: `is_paid` when it is captured, still `is_authorised` when the bank has not
        answered yet: then ask `verify`, or wait for the notification. Never repeated here: after a
        TransportError ask `verify`. Raises StateRefusedError (120 not authorised, or already ended;
        121 more than was authorised), RefusedError, TransportError, MismatchError, SecureHashError.
        """
        return self._run(payments.capture(self._calls, transaction_id, amount_paise))

    def void(self, transaction_id: str) -> Transaction:
        """Void an authorisation (docs/spec/payment-interfaces.md#capture).

        Returns the transaction: `is_voided`, or still `is_authorised` when the bank has not
        answered yet. Never repeated here, and raises what `capture` raises.
        """
        return self._run(payments.void(self._calls, transaction_id))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        """Return the client itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connections."""
        self.close()

    def _operation(self, operation: Operation[Asked, Told], asked: Asked) -> Told:
        return self._run(perform(self._calls, operation, asked))

    def _run(self, steps: Steps[Result]) -> Result:
        answer: Answer = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as end:
                return end.value
            answer = self._perform(step)

    def _perform(self, step: Step) -> Answer:
        if isinstance(step, Send):
            return self._send(step)
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        with self._token_turn:
            return self._run(self._calls.issue_token(step.scope, step.rejected))

    def _send(self, request: Send) -> HttpReply | Lost:
        body = ReplyBody(self._timeout_s)
        try:
            with self._http.stream(
                "POST", request.url, content=request.body, headers=content_type(request)
            ) as response:
                for chunk in response.iter_bytes():
                    body.add(chunk)
                return HttpReply(response.status_code, body.whole())
        except (httpx.RequestError, TimeoutError) as error:
            return lost(error)
