"""Refunds at Cashfree: their ids and outcomes."""

from collections.abc import Sequence

from hundi.acquirers.cashfree.rules import said_amount
from hundi.acquirers.cashfree.words import TEXT_MAX, CashfreeRefund, in_paise
from hundi.acquirers.port.answers import Approved, Declined, Unknown
from hundi.acquirers.port.splits import ReversalOrder
from hundi.kernel.ids import parse_refund_reference
from hundi.kernel.money import Money

REFUND_ENDED = frozenset({"CANCELLED", "FAILED"})


def refund_outcome(
    refund: CashfreeRefund, refund_id: str, order_id: str, amount: str
) -> Approved | Declined | Unknown:
    """Return the outcome of a requested refund.

    refund_id, order_id, amount: the request's; the amount as `said_amount` writes it.
    """
    money = in_paise(refund.refund_amount, refund.refund_currency)
    if (
        (refund.refund_id, refund.order_id) != (refund_id, order_id)
        or money is None
        or said_amount(money) != amount
    ):
        return Unknown(message="the acquirer answered about another refund")
    if refund.refund_status == "SUCCESS":
        return Approved(money, (refund.refund_arn or "")[:TEXT_MAX])
    if refund.refund_status in REFUND_ENDED:
        return Declined(refund.refund_status, (refund.status_description or "")[:TEXT_MAX])
    return Unknown(refund.refund_status[:TEXT_MAX], (refund.status_description or "")[:TEXT_MAX])


def part_taken(refund: CashfreeRefund, party: str, amount: Money) -> Approved | Declined | Unknown:
    """Return whether a refund took a part of a vendor. amount: the part that it was asked for."""
    if refund.refund_status in REFUND_ENDED:
        return Declined(refund.refund_status, (refund.status_description or "")[:TEXT_MAX])
    if refund.refund_status != "SUCCESS":
        return Unknown(refund.refund_status[:TEXT_MAX])
    parts = [each.amount for each in refund.refund_splits or () if each.vendor_id == party]
    taken = [in_paise(each, amount.currency) for each in parts]
    if len(taken) != 1 or taken[0] is None:
        return Unknown(message="the refund does not say what it took of the vendor")
    return Approved(taken[0], (refund.refund_arn or "")[:TEXT_MAX])


def said_parts(reversals: Sequence[ReversalOrder]) -> str:
    """Return what vendors bear of a refund, as it is stored beside the refund's reference."""
    return " ".join(f"{each.share.party}:{each.amount.paise}" for each in reversals)


def refund_id(reference: str) -> str:
    """Return a refund's reference as `refund_id`.

    Cashfree shows only letters, digits and underscores.
    """
    return reference.replace("-", "_")


def own_refund(text: str) -> str:
    """Return the reference of a `refund_id`; any other text stays as it is."""
    own = text.replace("_", "-")
    return own if parse_refund_reference(own) else text
