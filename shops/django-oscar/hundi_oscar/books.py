"""Writes what became of a payment into Oscar's own books, once."""

from django.conf import settings
from django.db import IntegrityError, transaction
from oscar.core.loading import get_class, get_model

from hundi.sdk import Notification, Transaction
from hundi_oscar.gateway import callbacks, client, own_order
from hundi_oscar.models import HandledNotification, Refund

Source = get_model("payment", "Source")
SourceType = get_model("payment", "SourceType")
PaymentEventType = get_model("order", "PaymentEventType")

HUNDI = "Hundi"
PAID, REFUNDED = "Paid", "Refunded"
"""Types of payment events; the dashboard offers the second on an order's page."""
FAILED = "Failed"
"""The type of the transaction of a payment that ended unpaid."""
_BANK_SAYS = {
    "refund_done": Refund.State.DONE,
    "refund_failed": Refund.State.FAILED,
    "refund_reversed": Refund.State.FAILED,
}


def status(name: str) -> str:
    """Return the shop's own word for an order that is `paid` or `cancelled`."""
    return settings.HUNDI.get(f"{name}_status", name.capitalize())


def new_source(order):
    """Write that an order waits for its payment."""
    source_type, _ = SourceType.objects.get_or_create(name=HUNDI)
    source = Source(
        order=order,
        source_type=source_type,
        currency=order.currency,
        reference=f"{settings.HUNDI.get('order_prefix', '')}{order.number}",
    )
    source.save()
    source.allocate(order.total_incl_tax, reference=source.reference)
    return source


def source_of(reference: str):
    """Return the source of a payment by the order id that the gateway knows, or None."""
    mine = Source.objects.filter(source_type__name=HUNDI)
    return mine.select_related("order").filter(reference=reference).first()


def ask(source):
    """Ask the gateway how a payment stands, write it down, and return the answer."""
    found = client().verify(**own_order(source))
    with transaction.atomic():
        write(source.pk, found)
    return found


def take(notification: Notification) -> bool:
    """Hand a notification over once; return whether it is about an order of this shop.

    Raises MismatchError when the order in the shop's books has another amount.
    """
    told = notification.transaction
    source = source_of(told.order_id)
    if source is None:
        return False
    about_else = told.is_refund or told.is_excess or told.is_dispute
    if not about_else:
        told.demand(merchant_id=settings.HUNDI["merchant_id"], **own_order(source))
    try:
        with transaction.atomic():
            HandledNotification.objects.create(
                webhook_id=notification.webhook_id, event=notification.event
            )
            if told.is_refund:
                _write_refund(source.pk, notification)
            elif about_else:
                _note(source.order, f"Hundi: {notification.event} of {told.amount}")
            else:
                write(source.pk, told)
    except IntegrityError:
        if not HandledNotification.objects.filter(webhook_id=notification.webhook_id).exists():
            raise
    return True


def write(source_id: int, told: Transaction) -> None:
    """Write a payment's state; within a transaction, and the same state twice changes nothing."""
    source = Source.objects.select_for_update().select_related("order").get(pk=source_id)
    order = source.order
    if told.is_paid and not source.amount_debited:
        source.debit(
            source.amount_allocated, reference=told.transaction_id, status=told.payment_status
        )
        _handler().handle_payment_event(order, _event_type(PAID), source.amount_allocated)
        _event_type(REFUNDED)
        if status("paid") in order.available_statuses():
            _handler().handle_order_status_change(order, status("paid"))
        else:
            _note(order, f"Hundi: paid while the order is {order.status!r}: deliver or refund")
    elif told.is_failed and not (source.amount_debited or has_failed(source)):
        source.transactions.create(
            txn_type=FAILED, amount=0, reference=told.transaction_id, status=told.message[:128]
        )
        if status("cancelled") in order.available_statuses():
            _handler().handle_order_status_change(order, status("cancelled"), told.message)
        _handler().cancel_stock_allocations(order)


def has_failed(source) -> bool:
    """Return whether the payment ended unpaid."""
    return source.transactions.filter(txn_type=FAILED).exists()


def _write_refund(source_id: int, notification: Notification) -> None:
    told = notification.transaction
    source = Source.objects.select_for_update().select_related("order").get(pk=source_id)
    refund = source.hundi_refunds.filter(request_id=told.refund_request_id).first()
    state = _BANK_SAYS.get(notification.event)
    if refund is None or state is None:
        _note(source.order, f"Hundi: {notification.event} of {told.amount}, begun elsewhere")
        return
    begin(refund)
    if state == Refund.State.FAILED != refund.state:
        source.refresh_from_db()
        source.refund(-refund.amount, refund.request_id, notification.event)
        _note(source.order, f"Hundi: {notification.event} of {told.amount}: pay it another way")
    Refund.objects.filter(pk=refund.pk).update(state=state)


def begin(refund: Refund) -> bool:
    """Write an accepted refund once; return whether this was the first time.

    Within a transaction that holds the refund's source.
    """
    refund.refresh_from_db()
    if refund.state != Refund.State.ASKED:
        return False
    refund.state = Refund.State.BEGUN
    refund.save(update_fields=["state"])
    Source.objects.get(pk=refund.source_id).refund(refund.amount, refund.request_id, "begun")
    return True


def handed(headers, body: bytes) -> bool:
    """Check and hand over a request to the notification address. Raises UntrustedError."""
    return take(callbacks().read_notification(headers, body))


def _handler():
    return get_class("order.processing", "EventHandler")()


def _event_type(name: str):
    return PaymentEventType.objects.get_or_create(name=name)[0]


def _note(order, message: str) -> None:
    _handler().create_note(order, message)
