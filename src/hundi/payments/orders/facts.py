"""What outsiders read of a payment: in verify replies, on the return leg and in notifications.

Pure.
"""

from datetime import datetime

import msgspec

from hundi.instruments.card import CardFacts
from hundi.kernel.events import Kind
from hundi.kernel.moves import MOVED
from hundi.kernel.records import replace
from hundi.kernel.states import PaymentKind
from hundi.kernel.states import PaymentState as P
from hundi.payments.orders.news import DisputeFacts, MandateFacts, RefundFacts
from hundi.payments.orders.rules import Attempt, Buyer, PaymentView, Step, channel_of


class PaymentFacts(msgspec.Struct, frozen=True):
    """What outsiders read of a payment, in verify replies, returns and notifications alike.

    kept with every announcement, so that a redelivery says what was true then. Amounts in paise,
    time in UTC. excess_paise: what one attempt brought beyond the order, where that is the news;
    else 0. surcharge_paise: what the customer paid on top of the order's amount. rate_micros: at
    which another currency than the rupee is paid out, 0 until it is known. saved_card: the token of
    the card that paid, where its customer lets the merchant keep it.
    """

    merchant_id: int
    payment_id: int
    order_id: str
    state: P
    kind: PaymentKind
    method: str
    amount_paise: int
    currency: str
    buyer: Buyer
    custom_var: str
    bank_code: str
    bank_message: str
    created_at: datetime
    attempts: int
    rrn: str = ""
    payer_vpa: str = ""
    card: CardFacts | None = None
    captured_paise: int = 0
    refunds: int = 0
    refunded_paise: int = 0
    refund: RefundFacts | None = None
    bank: str = ""
    mandate: MandateFacts | None = None
    bank_name: str = ""
    paid_at: datetime | None = None
    emi_months: int = 0
    emi_rate_bps: int = 0
    excess_paise: int = 0
    saved_card: str = ""
    surcharge_paise: int = 0
    rate_micros: int = 0
    dispute: DisputeFacts | None = None


def facts_of(
    view: PaymentView,
    refund: RefundFacts | None = None,
    *,
    about: int | None = None,
    excess: bool = False,
) -> PaymentFacts:
    """Return what outsiders read of a payment, with bank facts of its successful or latest attempt.

    refund: where a refund is the news. about: the attempt to speak of, where it is another; excess:
    of its money.
    """
    payment = view.payment
    named = view.attempt(about) if about is not None else None
    spoken = named or view.success or view.latest
    return PaymentFacts(
        merchant_id=payment.merchant_id,
        payment_id=payment.payment_id,
        order_id=payment.order_id,
        state=payment.state,
        kind=payment.kind,
        method=channel_of(payment, named.method) if named else payment.method,
        amount_paise=payment.amount.paise,
        currency=payment.amount.currency,
        buyer=payment.buyer,
        custom_var=payment.custom_var,
        bank_code=payment.bank_code,
        bank_message=payment.bank_message,
        created_at=payment.created_at,
        attempts=sum(each.acted for each in view.attempts),
        rrn=spoken.rrn if spoken else "",
        payer_vpa=spoken.payer_vpa if spoken else "",
        card=replace(spoken.card, token="") if spoken and spoken.card.last4 else None,
        captured_paise=payment.captured_paise,
        refunds=payment.refunds,
        refunded_paise=payment.refunded_paise,
        refund=refund,
        bank=_bank_of(spoken) if spoken else "",
        bank_name=spoken.bank_name if spoken else "",
        paid_at=view.success.settled_at if view.success else None,
        emi_months=spoken.instalments.months if spoken else 0,
        emi_rate_bps=spoken.instalments.rate_bps if spoken else 0,
        excess_paise=spoken.received_paise if spoken and excess else 0,
        rate_micros=spoken.rate_micros
        if spoken and spoken.state in MOVED and payment.amount.currency != "INR"
        else 0,
        surcharge_paise=view.success.surcharge_paise if view.success else 0,
        saved_card=spoken.saved_card
        if spoken and spoken.card.token and spoken.state in MOVED
        else "",
    )


def _bank_of(spoken: Attempt) -> str:
    """Return the chosen bank's code.

    Of instalments the bank that the acquirer says, by code or name.
    """
    return (spoken.card.issuer if spoken.card.emi_months else "") or spoken.bank


def facts_told(view: PaymentView, step: Step) -> PaymentFacts:
    """Return what a merchant is told of a step: a refund or an excess is about its own attempt."""
    excess = step.announce is Kind.EXCESS_PAYMENT
    facts = facts_of(
        view, step.refund, about=step.attempt_id if excess or step.refund else None, excess=excess
    )
    if step.mandate or step.dispute:
        return msgspec.structs.replace(facts, mandate=step.mandate, dispute=step.dispute)
    return facts
