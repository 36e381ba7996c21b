"""Limits of refunds: without a second person, by an API key, and in total; pure."""

from hundi.kernel.money import Money, shown
from hundi.kernel.records import replace
from hundi.kernel.refusals import Cure, Refusal, RefusalCode, wrong_state
from hundi.kernel.states import PaymentState
from hundi.merchants.directory.api_keys.rules import ApiKey
from hundi.merchants.directory.rules import MerchantSettings
from hundi.payments.orders.rules import NOT_DISPUTED, Disputed, Payment

REFUNDABLE = frozenset({PaymentState.PAID, PaymentState.CAPTURED})


def alone_paise_max(settings: MerchantSettings, payment: Payment) -> int:
    """Return how much of a payment one person may refund in total, in paise.

    0 in another currency, whose minor units say little of its worth in rupees.
    """
    return settings.refund_alone_paise if payment.amount.currency == "INR" else 0


def alone_refusal(
    settings: MerchantSettings, payment: Payment, paise: int | None
) -> Refusal | None:
    """Return why a refund needs a second person, or None."""
    refusal = altogether_refusal(
        payment, paise, alone_paise_max(settings, payment), "without a second person"
    )
    if refusal is None:
        return None
    higher = Cure("refund_alone_paise", str(_given_back_after(payment, paise)))
    in_rupees = payment.amount.currency == "INR"
    return replace(
        refusal, cures=(*((higher,) if in_rupees else ()), Cure("refund_alone_on_api", "off"))
    )


def key_paise_max(key: ApiKey, payment: Payment) -> int:
    """Return how much of a payment a further API secret may refund in total, in paise.

    0 in another currency, as for one person.
    """
    return key.refund_paise if payment.amount.currency == "INR" else 0


def altogether_refusal(
    payment: Payment, paise: int | None, most: int, whose: str
) -> Refusal | None:
    """Return why a refund is more than its requester may refund of a payment, or None.

    Refunds of one payment count together: ten small ones are a large one. whose: the limit, in
    words.
    """
    after = _given_back_after(payment, paise)
    if after <= most:
        return None
    received, allowed = (shown(Money(paise, payment.amount.currency)) for paise in (after, most))
    words = f"{allowed} of a payment altogether, {whose}"
    return Refusal(RefusalCode.STATE_FORBIDS, field="amount", received=received, allowed=words)


def _given_back_after(payment: Payment, paise: int | None) -> int:
    return payment.captured_paise if paise is None else payment.refunded_paise + paise


def refund_refusal(
    payment: Payment, paise: int | None, *, several: bool, disputed: Disputed = NOT_DISPUTED
) -> Refusal | None:
    """Return why no refund of this amount may begin, or None. paise: None means all that remains.

    several: the merchant may refund one payment in parts
    (docs/spec/payment-interfaces.md#refund-rules).
    """
    if payment.state not in REFUNDABLE:
        return wrong_state("payment", payment.state, *sorted(REFUNDABLE))
    if payment.refunds and not several:
        return Refusal(RefusalCode.REFUND_EXISTS, cures=(Cure("multiple_partial_refunds", "on"),))
    if disputed.open:
        return Refusal(RefusalCode.UNDER_DISPUTE)
    left = payment.remaining.paise - disputed.paise
    if left <= 0 or (paise is not None and paise > left):
        return Refusal(RefusalCode.MORE_THAN_REMAINS)
    return None
