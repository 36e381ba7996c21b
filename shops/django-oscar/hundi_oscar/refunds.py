"""Refunds from the order's page of the dashboard, each asked for once."""

import uuid
from decimal import Decimal

from django.db import transaction
from oscar.apps.payment.exceptions import PaymentError

from hundi.sdk import RefundItem
from hundi.sdk.errors import HundiError, RefusedError
from hundi_oscar import books
from hundi_oscar.gateway import client, minor_units
from hundi_oscar.models import Refund


def refund(order, amount: Decimal) -> Refund:
    """Give money back. Raises PaymentError with words for the shop's staff.

    Without an answer the refund stays written as asked for: the same amount again repeats that
    very request, which gives nothing back twice.
    """
    asked, transaction_id = _asked(order, amount)
    if asked.state != Refund.State.ASKED:
        _mark(asked)
        raise PaymentError(f"the refund of {amount} that had no answer is begun; nothing was sent")
    item = RefundItem(transaction_id=transaction_id, amount_paise=minor_units(amount))
    try:
        (answer,) = client().refund([item], request_id=asked.request_id)
        if answer.error:
            raise answer.error
    except RefusedError as error:
        _mark(asked, state=Refund.State.FAILED)
        raise PaymentError(str(error)) from error
    except HundiError as error:
        words = f"no answer yet; send the same amount again, it is never refunded twice ({error})"
        raise PaymentError(words) from error
    with transaction.atomic():
        books.Source.objects.select_for_update().get(pk=asked.source_id)
        books.begin(asked)
        if not _mark(asked):
            raise PaymentError("this refund is under way already")
    return asked


def _mark(asked: Refund, **more: str) -> bool:
    """Write that the staff has its answer; return whether this was the first one."""
    unanswered = Refund.objects.filter(pk=asked.pk, is_answered=False)
    return unanswered.update(is_answered=True, **more) == 1


def _asked(order, amount: Decimal) -> tuple[Refund, str]:
    """Return the refund of this amount that has no answer, or a new one, and what it refunds."""
    with transaction.atomic():
        paid = books.Source.objects.select_for_update().filter(
            order=order, source_type__name=books.HUNDI, amount_debited__gt=0
        )
        source = paid.first()
        if source is None:
            raise PaymentError("this order was not paid with Hundi")
        debit = source.transactions.get(txn_type="Debit")
        same = source.hundi_refunds.filter(is_answered=False, amount=amount).first()
        if same:
            return same, debit.reference
        open_ones = source.hundi_refunds.filter(state=Refund.State.ASKED)
        left = source.amount_available_for_refund - sum(each.amount for each in open_ones)
        if not 0 < amount <= left:
            raise PaymentError(f"between 0.01 and {left} can be refunded")
        new = Refund.objects.create(source=source, amount=amount, request_id=uuid.uuid4().hex)
        return new, debit.reference
