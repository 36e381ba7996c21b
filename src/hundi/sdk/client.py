"""The synchronous client: performs the steps of `calls` with httpx; safe to share between threads."""

import threading
import time
from types import TracebackType
from typing import Self

import httpx

from hundi.sdk.calls import Answer, Arrived, Calls, Gateway, Lost, Pause, Result, Send, Step, Steps
from hundi.sdk.credentials import Credentials
from hundi.sdk.order import Order, PaymentForm
from hundi.sdk.transaction import Transaction
from hundi.sdk.transport import ReplyBody, hide_token, http_options, lost


class Client:
    """A merchant's connection to the gateway. Close it, or use it as a context manager.

    transport: what carries the requests, for tests and unusual networks; httpx's own when left out.
    Raises ConfigurationError when credentials or addresses cannot work.
    """

    def __init__(
        self, credentials: Credentials, gateway: Gateway, *, transport: httpx.BaseTransport | None = None
    ) -> None:
        """Connect to nothing yet; the first call does."""
        self._calls = Calls(credentials, gateway)
        self._timeout_s = gateway.timeout_s
        self._token_turn = threading.Lock()
        self._http = httpx.Client(**http_options(gateway), event_hooks={"request": [hide_token]}, transport=transport)

    def payment_form(self, order: Order) -> PaymentForm:
        """Return the form that takes the customer to the payment page (payment-interfaces, Endpoint 2).

        Fetches an access token when none is at hand. Render the form at once: its token lives some minutes.
        Raises InvalidOrderError before anything is sent; TransportError, CredentialsRefusedError, TooManyRequestsError.
        """
        return self._run(self._calls.payment_form(order))

    def verify(
        self, *, order_id: str, amount_paise: int, currency: str = "INR", transaction_id: str = "", rrn: str = ""
    ) -> Transaction:
        """Ask the gateway what became of a payment (payment-interfaces, Endpoint 3).

        order_id, amount_paise, currency: what your own books expect; always compared with the answer.
        transaction_id, rrn: look up by these instead of the order id; when both are given, both must agree.

        Safe to repeat; repeated here, within bounds, when no usable answer arrives.
        Raises MismatchError when the answer is about another order or amount; NotFoundError when there is no such
        payment; RefusedError, TransportError, SecureHashError.
        """
        return self._run(
            self._calls.verify(
                order_id=order_id,
                amount_paise=amount_paise,
                currency=currency,
                transaction_id=transaction_id,
                rrn=rrn,
            )
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        """Return the client itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        self.close()

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
            return self._run(self._calls.issue_token(step.rejected))

    def _send(self, request: Send) -> Arrived | Lost:
        body = ReplyBody(self._timeout_s)
        try:
            with self._http.stream("POST", request.url, content=request.body) as response:
                for chunk in response.iter_bytes():
                    body.add(chunk)
                return Arrived(response.status_code, body.whole())
        except (httpx.RequestError, TimeoutError) as error:
            return lost(error)
