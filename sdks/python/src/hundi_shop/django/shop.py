"""A shop's views: the way to the payment page, the return and the notification."""

from abc import ABC, abstractmethod

from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from hundi.sdk import Callbacks, Client, Credentials, Gateway, Notification, Order, Transaction
from hundi.sdk.errors import UntrustedError
from hundi_shop.checks import UnknownOrderError, demand, refusing_status
from hundi_shop.django.models import HandledEvent


class Shop(ABC):
    """The three things that your own code gives, and the views that call them.

    database: where `HandledEvent` and your orders are. Keep one for the life of your process.
    """

    database = "default"

    def __init__(self, credentials: Credentials, gateway: Gateway) -> None:
        """Connect to the gateway."""
        self.client = Client(credentials, gateway)
        self.callbacks = Callbacks(credentials)

    @abstractmethod
    def order(self, order_id: str) -> Order | None:
        """Return an order of your own books. Amount and currency are compared with it."""

    @abstractmethod
    def handle(self, notification: Notification) -> None:
        """Do what an event asks for, in the database of your orders.

        It runs in one transaction with the mark that it is done: when this raises, both are undone
        and the gateway sends the event again. Other systems are to be told after the commit
        (`django.db.transaction.on_commit`).
        """

    @abstractmethod
    def after_return(self, order_id: str, told: Transaction | None) -> str:
        """Return the address of your page for a customer who comes back.

        told: None when the return is not believed. Deliver on the notification, not on this.
        """

    def payment_page(self, order: Order, nonce: str = "") -> HttpResponse:
        """Return the document that takes a customer to the payment page.

        Show it only to the customer whose order it is: it names the buyer. nonce: of your
        Content-Security-Policy.
        """
        answer = HttpResponse(self.client.payment_form(order).html(nonce=nonce))
        answer["Cache-Control"] = "no-store"
        return answer

    @property
    def urls(self) -> list[URLPattern]:
        """Return the addresses that the gateway knows: `notification` and `return`."""
        return [
            path("notification", csrf_exempt(require_POST(self.notification))),
            path("return", csrf_exempt(require_POST(self.returned))),
        ]

    def notification(self, request: HttpRequest) -> HttpResponse:
        """Hand an event over, once."""
        try:
            news = self.callbacks.read_notification(dict(request.headers), request.body)
            demand(news, self.order(news.transaction.order_id))
        except (UntrustedError, UnknownOrderError) as error:
            return _text(str(error), refusing_status(error))
        with transaction.atomic(using=self.database):
            about = {"event": news.event, "order_id": news.transaction.order_id}
            _, is_new = HandledEvent.objects.using(self.database).get_or_create(
                webhook_id=news.webhook_id, defaults=about
            )
            if is_new:
                self.handle(news)
        return _text("handled" if is_new else "handled before")

    def returned(self, request: HttpRequest) -> HttpResponse:
        """Send a customer who comes back to the shop's page."""
        form = {name: str(value) for name, value in request.POST.items()}
        try:
            order_id = self.callbacks.claimed_order_id(form)
        except UntrustedError as error:
            return _text(str(error), 400)
        order = self.order(order_id)
        if order is None:
            return _text("no such order", 404)
        try:
            told = self.callbacks.read_return(
                form,
                order_id=order.order_id,
                amount_paise=order.amount_paise,
                currency=order.currency,
            ).transaction
        except UntrustedError:
            told = None
        answer = HttpResponseRedirect(self.after_return(order_id, told))
        answer.status_code = 303
        return answer


def _text(words: str, status: int = 200) -> HttpResponse:
    return HttpResponse(words, status=status, content_type="text/plain; charset=utf-8")
