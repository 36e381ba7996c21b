"""The provider: customers go to the payment page, and what became of it is written once."""

import logging
from decimal import Decimal
from functools import cached_property

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from payments import PaymentError, PaymentStatus
from payments.core import BasicProvider
from payments.forms import PaymentForm

from hundi.sdk import (
    Buyer,
    Callbacks,
    Client,
    Credentials,
    Gateway,
    Notification,
    Order,
    RefundItem,
    Transaction,
)
from hundi.sdk.errors import HundiError, InvalidOrderError, UntrustedError

logger = logging.getLogger("hundi_payments")
_OPEN = frozenset({PaymentStatus.WAITING, PaymentStatus.INPUT})
_UNPAID = _OPEN | {PaymentStatus.REJECTED, PaymentStatus.ERROR, PaymentStatus.CANCELLED}
_CAME_BACK = frozenset({"refund_failed", "refund_reversed"})
_ADDRESSES = ("base_url", "payment_page_url", "shop_origin")


class HundiProvider(BasicProvider):
    """One merchant of a Hundi gateway.

    base_url and the other words of `_ADDRESSES`: the gateway's and the shop's addresses. The rest:
    the merchant's credentials under the names of `hundi.sdk.Credentials`. The gateway knows a
    payment by its token.
    """

    def __init__(self, *, capture: bool = True, **options: str) -> None:
        """Keep the options; the first payment opens a connection."""
        super().__init__(capture=capture)
        self._addresses = {name: options.pop(name) for name in _ADDRESSES if name in options}
        self._options = options

    @cached_property
    def _credentials(self) -> Credentials:
        return Credentials(
            **{**self._options, "webhook_keys": tuple(self._options["webhook_keys"])}
        )

    @cached_property
    def _client(self) -> Client:
        return Client(self._credentials, Gateway(**self._addresses))

    @cached_property
    def _callbacks(self) -> Callbacks:
        return Callbacks(self._credentials)

    # --- the way to the payment page and back ---

    def get_form(self, payment, data=None) -> PaymentForm:  # noqa: ARG002 (the signature of django-payments)
        """Return the form that takes the customer to the payment page; render it at once.

        Raises PaymentError when the payment cannot begin, with a sentence for the developer.
        """
        order = Order(
            buyer=Buyer(
                first_name=payment.billing_first_name,
                last_name=payment.billing_last_name,
                email=payment.billing_email,
                phone=str(payment.billing_phone),
            ),
            authorise_only=not self._capture,
            **_own(payment),
        )
        try:
            form = self._client.payment_form(order)
        except (HundiError, InvalidOrderError) as error:
            raise PaymentError(str(error)) from error
        return PaymentForm(form.fields, form.action_url, "post", autosubmit=True)

    def get_token_from_request(self, payment, request: HttpRequest) -> str:  # noqa: ARG002 (the signature of django-payments)
        """Return the token of the payment that a return or a notification is about.

        Raises PaymentError (400) for a notification that is not genuine.
        """
        try:
            if _is_notification(request):
                return self._heard(request).transaction.order_id
            return self._callbacks.claimed_order_id(request.POST.dict())
        except UntrustedError as error:
            logger.warning("not believed: %s", error)
            raise PaymentError("not believed", code=400) from error

    def process_data(self, payment, request: HttpRequest) -> HttpResponse:
        """Take a notification, or the browser that comes back."""
        if _is_notification(request):
            return self._take(payment, self._heard(request))
        try:
            self._callbacks.read_return(request.POST.dict(), **_own(payment))
        except UntrustedError as error:
            logger.warning("return of %s is not believed: %s", payment.token, error)
        # What the browser brings is a claim, so the gateway is asked.
        try:
            payment = self._write(payment, self._client.verify(**_own(payment)))
        except HundiError as error:
            logger.warning("%s: the gateway did not say: %s", payment.token, error)
        failed = payment.status in {PaymentStatus.REJECTED, PaymentStatus.ERROR}
        return redirect(payment.get_failure_url() if failed else payment.get_success_url())

    def _heard(self, request: HttpRequest) -> Notification:
        return self._callbacks.read_notification(request.headers, request.body)

    def _take(self, payment, told: Notification) -> HttpResponse:
        about = told.transaction
        if about.is_refund:
            self._write_refund(payment, told)
        elif not (about.is_excess or about.is_dispute):
            try:
                about.demand(merchant_id=self._credentials.merchant_id, **_own(payment))
            except UntrustedError as error:
                logger.warning("notification of %s is not believed: %s", payment.token, error)
                return HttpResponse("another amount than this shop's", status=400)
            self._write(payment, about)
        return HttpResponse("ok")

    # --- the shop's own books ---

    def _write(self, payment, told: Transaction):
        """Write a payment's state; within a transaction, and the same twice changes nothing."""
        locked = _locked(payment)
        if told.is_paid and (locked.status in _UNPAID or locked.status == PaymentStatus.PREAUTH):
            locked.transaction_id = told.transaction_id
            locked.captured_amount = Decimal(told.captured_paise or told.amount_paise) / 100
            locked.save()
            locked.change_status(PaymentStatus.CONFIRMED)
        elif told.is_authorised and locked.status in _UNPAID:
            locked.transaction_id = told.transaction_id
            locked.save()
            locked.change_status(PaymentStatus.PREAUTH)
        elif told.is_failed and locked.status in _OPEN:
            locked.change_status(PaymentStatus.REJECTED, told.message)
        return locked

    def _write_refund(self, payment, told: Notification) -> None:
        """Write a refund that came back, once for each notification."""
        locked = _locked(payment)
        handled = getattr(locked.attrs, "handled", [])
        if told.event not in _CAME_BACK or told.webhook_id in handled:
            return
        locked.attrs.handled = [*handled, told.webhook_id]
        locked.captured_amount += Decimal(told.transaction.amount_paise) / 100
        locked.save()
        locked.change_status(PaymentStatus.CONFIRMED, f"{told.event}: pay it another way")

    # --- money back, and money that was reserved ---

    def refund(self, payment, amount: Decimal | None = None) -> Decimal:
        """Give money back; without an amount all that is left. Raises PaymentError.

        The request's id counts the payment's refunds. So when no answer came, and nothing was
        written, the same again is that very request, which gives nothing back twice.
        """
        amount = payment.captured_amount if amount is None else amount
        count = getattr(payment.attrs, "refunds", 0) + 1
        item = RefundItem(transaction_id=payment.transaction_id, amount_paise=_paise(amount))
        request_id = f"{payment.transaction_id}-{count}"
        try:
            (answer,) = self._client.refund([item], request_id=request_id)
            if answer.error:
                raise answer.error
        except HundiError as error:
            raise PaymentError(str(error)) from error
        payment.attrs.refunds = count
        payment.save()
        return amount

    def capture(self, payment, amount: Decimal | None = None) -> Decimal | None:
        """Take reserved money, or a part of it. Raises PaymentError.

        None when the bank has not answered: a notification follows.
        """
        part = None if amount is None else _paise(amount)
        try:
            told = self._client.capture(payment.transaction_id, amount_paise=part)
        except HundiError as error:
            raise PaymentError(str(error)) from error
        return Decimal(told.captured_paise) / 100 if told.is_paid else None

    def release(self, payment) -> None:
        """Give reserved money up. Raises PaymentError."""
        try:
            self._client.void(payment.transaction_id)
        except HundiError as error:
            raise PaymentError(str(error)) from error


def _own(payment) -> dict[str, str | int]:
    """Return what the shop's own books expect of a payment."""
    return {
        "order_id": payment.token,
        "amount_paise": _paise(payment.total),
        "currency": payment.currency,
    }


def _paise(amount: Decimal) -> int:
    paise = amount * 100
    if paise != int(paise):
        raise ValueError(f"{amount} has more than two places")
    return int(paise)


def _locked(payment):
    return type(payment)._default_manager.select_for_update().get(pk=payment.pk)  # noqa: SLF001 (Django's own name)


def _is_notification(request: HttpRequest) -> bool:
    return "webhook-id" in request.headers
