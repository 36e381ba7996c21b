"""A shop's routes in FastAPI or Starlette: the way to the payment page, return, notification."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import closing
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from hundi.sdk import AsyncClient, Callbacks, Credentials, Gateway, Notification, Order, Transaction
from hundi.sdk.callback import BODY_BYTES_MAX, FORM_FIELDS_MAX
from hundi.sdk.errors import UntrustedError
from hundi_shop.checks import UnknownOrderError, demand, refusing_status

CREATE_TABLE = """
CREATE TABLE IF NOT EXISTS hundi_events (
  webhook_id varchar(255) PRIMARY KEY,
  event varchar(64) NOT NULL,
  order_id varchar(64) NOT NULL,
  handled_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP
)
"""
"""The table of handled events, in PostgreSQL and SQLite."""
_MARK = (
    "INSERT INTO hundi_events (webhook_id, event, order_id) VALUES ({0}, {0}, {0})"
    " ON CONFLICT (webhook_id) DO NOTHING"
)


class DatabaseConnection(Protocol):
    """The part of a connection of DB-API 2 (PEP 249) that is used."""

    def cursor(self) -> Any:  # noqa: ANN401 (drivers differ in what their cursors take)
        """Return what statements are run with."""
        ...

    def commit(self) -> None:
        """End the transaction, and keep what it wrote."""
        ...

    def rollback(self) -> None:
        """End the transaction, and undo what it wrote."""
        ...

    def close(self) -> None:
        """Disconnect."""
        ...


Connection = TypeVar("Connection")
Connection_co = TypeVar("Connection_co", covariant=True)
Opened = TypeVar("Opened", bound=DatabaseConnection)


class EventStore(Protocol[Connection_co]):
    """Hands an event over once: the mark and the shop's effect are written together, or neither."""

    async def hand_over(
        self, notification: Notification, handle: Callable[[Notification, Connection_co], object]
    ) -> bool:
        """Return whether `handle` ran now; False when it ran before."""
        ...


class TableStore(Generic[Opened]):
    """Marks events in a table beside the shop's orders, over any driver of DB-API 2 (PEP 249).

    connect: opens a connection that commits on demand. placeholder: the driver's, `?` for SQLite.
    The handler is called in a thread, with that connection, within the transaction.
    """

    def __init__(self, connect: Callable[[], Opened], placeholder: str = "%s") -> None:
        """Keep how to connect."""
        self._connect = connect
        self._mark = _MARK.format(placeholder)

    async def hand_over(
        self, notification: Notification, handle: Callable[[Notification, Opened], object]
    ) -> bool:
        """Return whether `handle` ran now."""
        return await run_in_threadpool(self._in_transaction, notification, handle)

    def _in_transaction(
        self, notification: Notification, handle: Callable[[Notification, Opened], object]
    ) -> bool:
        values = (notification.webhook_id, notification.event, notification.transaction.order_id)
        with closing(self._connect()) as connection:
            try:
                cursor = connection.cursor()
                cursor.execute(self._mark, values)
                is_new = cursor.rowcount == 1
                if is_new:
                    handle(notification, connection)
            except BaseException:
                connection.rollback()
                raise
            connection.commit()
        return is_new


class Shop(ABC, Generic[Connection]):
    """What your own code gives, and the routes that call it.

    Keep one for the life of your process, and await `client.close()` at its end.
    """

    def __init__(
        self, credentials: Credentials, gateway: Gateway, store: EventStore[Connection]
    ) -> None:
        """Connect to the gateway."""
        self.client = AsyncClient(credentials, gateway)
        self.callbacks = Callbacks(credentials)
        self.store = store

    @abstractmethod
    async def order(self, order_id: str) -> Order | None:
        """Return an order of your own books. Amount and currency are compared with it."""

    @abstractmethod
    def handle(self, notification: Notification, connection: Connection) -> object:
        """Do what an event asks for, in the transaction that the store opened.

        When this raises, its mark is undone too, and the gateway sends the event again. A store of
        your own may await what this returns; `TableStore` calls it in a thread.
        """

    @abstractmethod
    def after_return(self, order_id: str, told: Transaction | None) -> str:
        """Return the address of your page for a customer who comes back.

        told: None when the return is not believed. Deliver on the notification, not on this.
        """

    async def payment_page(self, order: Order, nonce: str = "") -> HTMLResponse:
        """Return the document that takes a customer to the payment page.

        Show it only to the customer whose order it is: it names the buyer. nonce: of your
        Content-Security-Policy.
        """
        form = await self.client.payment_form(order)
        return HTMLResponse(form.html(nonce=nonce), headers={"cache-control": "no-store"})

    @property
    def routes(self) -> list[Route]:
        """Return the addresses that the gateway knows: `/notification` and `/return`."""
        return [
            Route("/notification", self.notification, methods=["POST"]),
            Route("/return", self.returned, methods=["POST"]),
        ]

    async def notification(self, request: Request) -> Response:
        """Hand an event over, once."""
        try:
            news = self.callbacks.read_notification(request.headers, await _body(request))
            demand(news, await self.order(news.transaction.order_id))
        except (UntrustedError, UnknownOrderError) as error:
            return PlainTextResponse(str(error), refusing_status(error))
        is_new = await self.store.hand_over(news, self.handle)
        return PlainTextResponse("handled" if is_new else "handled before")

    async def returned(self, request: Request) -> Response:
        """Send a customer who comes back to the shop's page."""
        text = (await _body(request)).decode("utf-8", "replace")
        try:
            form = dict(parse_qsl(text, max_num_fields=FORM_FIELDS_MAX))
            order_id = self.callbacks.claimed_order_id(form)
        except (UntrustedError, ValueError) as error:
            return PlainTextResponse(str(error), 400)
        order = await self.order(order_id)
        if order is None:
            return PlainTextResponse("no such order", 404)
        return RedirectResponse(self.after_return(order_id, self._believed(form, order)), 303)

    def _believed(self, form: dict[str, str], order: Order) -> Transaction | None:
        try:
            return self.callbacks.read_return(
                form,
                order_id=order.order_id,
                amount_paise=order.amount_paise,
                currency=order.currency,
            ).transaction
        except UntrustedError:
            return None


async def _body(request: Request) -> bytes:
    """Return the raw body; one that is too long is cut, and refused afterwards."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_BYTES_MAX:
            break
    return body
