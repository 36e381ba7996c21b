"""Compares what the gateway tells with the shop's own books, and names the answer to give."""

from hundi.sdk import Notification, Order, Transaction
from hundi.sdk.errors import HundiError, MismatchError

MANDATE_NEWS = "MANDATE "
"""How the payment status of news about a subscription begins; its amount is the debit's."""


class UnknownOrderError(LookupError):
    """The shop's books have no such order."""


def has_amount_of_order(transaction: Transaction) -> bool:
    """Return whether a record's amount is the order's.

    In news of a refund, a dispute, an excess or a subscription it is the amount of that.
    """
    return not (
        transaction.is_refund
        or transaction.is_dispute
        or transaction.is_excess
        or transaction.payment_status.startswith(MANDATE_NEWS)
    )


def demand(notification: Notification, order: Order | None) -> None:
    """Raise unless a notification fits the shop's books.

    Raises UnknownOrderError or MismatchError.
    """
    transaction = notification.transaction
    if order is None:
        message = f"the shop has no order {transaction.order_id}"
        raise UnknownOrderError(message)
    if has_amount_of_order(transaction):
        transaction.demand(
            merchant_id=transaction.merchant_id,
            order_id=order.order_id,
            amount_paise=order.amount_paise,
            currency=order.currency.upper() or "INR",
        )


def refusing_status(error: HundiError | UnknownOrderError) -> int:
    """Return the HTTP status for a notification that is refused. The gateway sends it again."""
    if isinstance(error, UnknownOrderError):
        return 404
    return 409 if isinstance(error, MismatchError) else 400
