"""The shop's actions: take an order, send the customer to pay, act on verified messages."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime

from litestar.exceptions import NotFoundException

from hundi.sdk import (
    AsyncClient,
    Buyer,
    Callbacks,
    Notification,
    Order,
    PaymentForm,
    Transaction,
    rupees,
)
from hundi.sdk.errors import HundiError, NotFoundError, UntrustedError
from hundi_testbed.shop import rules
from hundi_testbed.shop.rules import OrderStatus, ShopOrder
from hundi_testbed.shop.store import ShopOrderBook, TimelineEvent


class UnknownOrderError(NotFoundException):
    """The shop has no order with this id.

    This is an answer to the caller, and no fault to log.
    """


class DemoShop:
    """The shop: its order book and its client of the gateway."""

    def __init__(self, book: ShopOrderBook, client: AsyncClient, callbacks: Callbacks) -> None:
        """Keep the parts; nothing is sent yet."""
        self._book = book
        self._client = client
        self._callbacks = callbacks

    async def order(self, order_id: str) -> ShopOrder:
        """Return the order from the shop's own book. Raises UnknownOrderError."""
        order = await asyncio.to_thread(self._book.find, order_id)
        if order is None:
            raise UnknownOrderError
        return order

    async def of_offer(self, offer_id: str) -> ShopOrder | None:
        """Return the order whose coupons have this id, or None."""
        return await asyncio.to_thread(self._book.of_offer, offer_id)

    async def events(self, order_id: str) -> list[TimelineEvent]:
        """Return the order's timeline, oldest first."""
        return await asyncio.to_thread(self._book.events, order_id)

    async def place(self, title: str, amount_paise: int, buyer: Buyer) -> ShopOrder:
        """Write an order into the book.

        Raises InvalidOrderError when the gateway would refuse it.
        """
        order = ShopOrder(
            order_id=rules.new_order_id(),
            title=title,
            amount_paise=amount_paise,
            buyer=buyer,
            status=OrderStatus.PLACED,
            created_at=datetime.now(UTC),
        )
        _gateway_order(order).fields()
        placed = _event(
            "placed",
            "placed",
            "Order placed",
            {"Order": order.order_id, "Amount": rupees(amount_paise)},
        )
        await asyncio.to_thread(self._book.add, order, placed)
        return order

    async def payment_form(self, order: ShopOrder) -> PaymentForm:
        """Return the form that takes the customer to the payment page. Raises HundiError."""
        form = await self._client.payment_form(_gateway_order(order))
        sent = _event(
            "sent",
            "sent",
            "Customer sent to the payment page",
            {"Form fields": ", ".join(form.fields)},
        )
        await asyncio.to_thread(self._book.note, order.order_id, sent)
        return form

    async def take_return(self, form: Mapping[str, str]) -> ShopOrder:
        """Record the browser's return, then ask the gateway: a return alone releases no goods.

        Raises UnknownOrderError; UntrustedError when the return names no order.
        """
        order = await self.order(self._callbacks.claimed_order_id(form))
        try:
            record = self._callbacks.read_return(
                form, order_id=order.order_id, amount_paise=order.amount_paise
            )
        except UntrustedError as error:
            await self._refuse(order, "return", error)
        else:
            event = _event(
                f"return:{record.webhook_id}",
                "return",
                "The browser came back",
                _facts(record.transaction),
            )
            await asyncio.to_thread(self._book.note, order.order_id, event)
        await self.verify(order)
        return order

    async def verify(self, order: ShopOrder) -> None:
        """Ask the gateway for the payment's state, and record the answer whatever it is."""
        try:
            record = await self._client.verify(
                order_id=order.order_id, amount_paise=order.amount_paise
            )
        except NotFoundError:
            facts = {"Answer": "no payment was started for this order"}
            await asyncio.to_thread(
                self._book.note, order.order_id, _event("verify:503", "verify", "Verify", facts)
            )
        except HundiError as error:
            await self._refuse(order, "verify", error)
        else:
            # A repeated answer is one line of the timeline.
            event = _event(
                f"verify:{_outcome(record)}",
                "verify",
                "We asked the gateway: verify",
                _facts(record),
            )
            await asyncio.to_thread(self._book.note, order.order_id, event, record)

    async def take_notification(self, headers: Mapping[str, str], body: bytes) -> None:
        """Record a notification once, however often it is delivered.

        Raises UntrustedError or UnknownOrderError: the endpoint then answers 4xx and changes
        nothing.
        """
        notification = self._callbacks.read_notification(headers, body)
        order = await self.order(notification.transaction.order_id)
        if not notification.transaction.is_refund:
            notification.transaction.demand(
                merchant_id=notification.transaction.merchant_id,
                order_id=order.order_id,
                amount_paise=order.amount_paise,
            )
        await asyncio.to_thread(
            self._book.note, order.order_id, _notified(notification), notification.transaction
        )

    async def _refuse(self, order: ShopOrder, source: str, error: HundiError) -> None:
        facts = {"What": str(error), "Trying again": str(error.retry).replace("_", " ")}
        key = f"refused:{source}:{type(error).__name__}"
        heading = (
            f"{source.capitalize()} not believed"
            if isinstance(error, UntrustedError)
            else f"No answer to {source}"
        )
        await asyncio.to_thread(
            self._book.note, order.order_id, _event(key, "refused", heading, facts)
        )


def _gateway_order(order: ShopOrder) -> Order:
    return Order(
        order_id=order.order_id,
        amount_paise=order.amount_paise,
        buyer=order.buyer,
        custom_var=order.title,
    )


def _event(event_key: str, kind: str, heading: str, facts: Mapping[str, str]) -> TimelineEvent:
    return TimelineEvent(
        event_key=event_key, kind=kind, at=datetime.now(UTC), heading=heading, facts=facts
    )


def _notified(notification: Notification) -> TimelineEvent:
    facts = (
        {"Event": notification.event or "not named"}
        | _facts(notification.transaction)
        | {"Notification id": notification.webhook_id}
    )
    return _event(
        f"notification:{notification.webhook_id}",
        "notification",
        "Notification from the gateway",
        facts,
    )


def _outcome(record: Transaction) -> str:
    return f"{record.status_code} {record.payment_status}"


def _facts(record: Transaction) -> dict[str, str]:
    facts = {
        "Amount": rupees(record.amount_paise),
        "Status": _outcome(record),
        "Message": record.message,
        "Transaction id": record.transaction_id,
        "From": record.customer_vpa or f"{record.card_scheme} {record.card_number}".strip(),
        "RRN": record.rrn,
    }
    return {name: value for name, value in facts.items() if value}
