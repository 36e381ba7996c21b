"""Orders, refunds and events in their plain form."""

from datetime import datetime

from hundi.instruments.bank_names import name_of
from hundi.instruments.card import CardFacts
from hundi.payments.orders.facts.rules import PaymentFacts
from hundi.payments.refunds.rules import Refund
from hundi.wire.plain.events import (
    PlainEvent,
    PlainEventData,
    PlainEventDispute,
    PlainEventRefund,
    PlainEventSubscription,
)
from hundi.wire.plain.orders import PlainBuyer, PlainCard, PlainOrder
from hundi.wire.plain.refunds import PlainRefund


def order_of(facts: PaymentFacts, page_url: str = "", utr: str = "") -> PlainOrder:
    """Return an order. page_url: "" where nothing can be paid, or the facts are of the past."""
    buyer = facts.buyer
    return PlainOrder(
        order_id=facts.order_id,
        transaction_id=str(facts.payment_id),
        state=str(facts.state),
        amount_paise=facts.amount_paise,
        currency=facts.currency,
        captured_paise=facts.captured_paise,
        refunded_paise=facts.refunded_paise,
        surcharge_paise=facts.surcharge_paise,
        page_url=page_url,
        channel=facts.method,
        note=facts.custom_var,
        buyer=PlainBuyer(
            email=buyer.email,
            phone=buyer.phone,
            firstname=buyer.firstname,
            lastname=buyer.lastname,
        ),
        card=_card_of(facts.card) if facts.card else None,
        payer_vpa=facts.payer_vpa,
        bank=facts.bank_name or name_of(facts.bank) or facts.bank,
        rrn=facts.rrn,
        utr=utr,
        bank_code=facts.bank_code,
        bank_message=facts.bank_message,
        attempts=facts.attempts,
        created_at=facts.created_at,
        paid_at=facts.paid_at,
    )


def _card_of(card: CardFacts) -> PlainCard:
    return PlainCard(
        last4=card.last4,
        scheme=card.scheme,
        type=card.type,
        issuer=card.issuer,
        country=card.country,
    )


def refund_of(refund: Refund) -> PlainRefund:
    """Return a refund."""
    return PlainRefund(
        refund_id=str(refund.refund_id),
        transaction_id=str(refund.payment_id),
        amount_paise=refund.amount.paise,
        currency=refund.amount.currency,
        state=str(refund.state),
        rrn=refund.rrn,
        bank_code=refund.reversed_code or refund.bank_code,
        bank_message=refund.reversed_message or refund.bank_message,
        created_at=refund.created_at,
        ended_at=refund.reversed_at or refund.settled_at,
    )


def event_of(webhook_id: str, kind: str, at: datetime, facts: PaymentFacts) -> PlainEvent:
    """Return an announced event, with what was true then."""
    return PlainEvent(id=webhook_id, type=kind, timestamp=at, data=data_of(facts))


def data_of(facts: PaymentFacts) -> PlainEventData:
    """Return what an event says of its order, and of what else it is about."""
    refund, dispute, mandate = facts.refund, facts.dispute, facts.mandate
    return PlainEventData(
        order=order_of(facts),
        excess_paise=facts.excess_paise,
        refund=refund
        and PlainEventRefund(
            refund_id=str(refund.refund_id),
            amount_paise=refund.amount_paise,
            state=str(refund.state),
            request_id=refund.request_id,
            rrn=refund.rrn,
            bank_code=refund.bank_code,
            bank_message=refund.bank_message,
        ),
        dispute=dispute
        and PlainEventDispute(
            dispute_id=str(dispute.dispute_id),
            phase=str(dispute.phase),
            state=str(dispute.state),
            amount_paise=dispute.amount_paise,
            held_paise=dispute.held_paise,
            taken_paise=dispute.taken_paise,
            reason=dispute.reason,
            respond_by=dispute.respond_by,
        ),
        subscription=mandate
        and PlainEventSubscription(
            subscription_id=str(mandate.subscription_id),
            state=str(mandate.state),
            period=mandate.period_no,
            amount_paise=mandate.amount_paise,
            debit_at=mandate.debit_at,
        ),
    )
