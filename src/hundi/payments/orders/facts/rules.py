"""The facts of a payment for verify replies, the return leg and notifications; pure."""

from datetime import datetime

import msgspec

from hundi.instruments.card import CardFacts
from hundi.kernel.events import Kind
from hundi.kernel.moves import MOVED
from hundi.kernel.records import replace
from hundi.kernel.states import PaymentKind
from hundi.kernel.states import PaymentState as P
from hundi.payments.orders.news.rules import DisputeFacts, MandateFacts, RefundFacts
from hundi.payments.orders.rules import Attempt, Buyer, PaymentView, Step, channel_of


class PaymentFacts(msgspec.Struct, frozen=True):
    """What outsiders read of a payment, in verify replies, returns and notifications alike.

    Kept with every announcement, so that a redelivery repeats what was true then. Amounts in paise,
    time in UTC. excess_paise: what one attempt brought beyond the order, if the news is about that;
    else 0. surcharge_paise: what the customer paid on top of the order's amount. rate_micros:
    rupees for one unit of another currency, in millionths, 0 until it is known. saved_card: the
    token of the card that paid, if its customer lets the merchant keep it.
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
    """Return the facts of a payment, with the bank's facts of its successful or latest attempt.

    refund: set if the news is about it. about: the attempt of the news, if it is another. excess:
    the news is about its excess money.
    """
    payment = view.payment
    news_attempt = view.attempt(about) if about is not None else None
    attempt = news_attempt or view.success or view.latest
    return PaymentFacts(
        merchant_id=payment.merchant_id,
        payment_id=payment.payment_id,
        order_id=payment.order_id,
        state=payment.state,
        kind=payment.kind,
        method=channel_of(payment, news_attempt.method) if news_attempt else payment.method,
        amount_paise=payment.amount.paise,
        currency=payment.amount.currency,
        buyer=payment.buyer,
        custom_var=payment.custom_var,
        bank_code=payment.bank_code,
        bank_message=payment.bank_message,
        created_at=payment.created_at,
        attempts=sum(each.acted for each in view.attempts),
        rrn=attempt.rrn if attempt else "",
        payer_vpa=attempt.payer_vpa if attempt else "",
        card=replace(attempt.card, token="") if attempt and attempt.card.last4 else None,
        captured_paise=payment.captured_paise,
        refunds=payment.refunds,
        refunded_paise=payment.refunded_paise,
        refund=refund,
        bank=_bank_of(attempt) if attempt else "",
        bank_name=attempt.bank_name if attempt else "",
        paid_at=view.success.settled_at if view.success else None,
        emi_months=attempt.instalments.months if attempt else 0,
        emi_rate_bps=attempt.instalments.rate_bps if attempt else 0,
        excess_paise=attempt.received_paise if attempt and excess else 0,
        rate_micros=attempt.rate_micros
        if attempt and attempt.state in MOVED and payment.amount.currency != "INR"
        else 0,
        surcharge_paise=view.success.surcharge_paise if view.success else 0,
        saved_card=attempt.saved_card
        if attempt and attempt.card.token and attempt.state in MOVED
        else "",
    )


def _bank_of(spoken: Attempt) -> str:
    """Return the chosen bank's code.

    For instalments, the acquirer's bank by code or name.
    """
    return (spoken.card.issuer if spoken.card.emi_months else "") or spoken.bank


def facts_told(view: PaymentView, step: Step) -> PaymentFacts:
    """Return the facts for a step's notification.

    A refund or an excess is about its own attempt.
    """
    excess = step.announce is Kind.EXCESS_PAYMENT
    facts = facts_of(
        view, step.refund, about=step.attempt_id if excess or step.refund else None, excess=excess
    )
    if step.mandate or step.dispute:
        return msgspec.structs.replace(facts, mandate=step.mandate, dispute=step.dispute)
    return facts
