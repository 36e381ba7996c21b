"""Notifications of later news reach a merchant that chose them, by every kind of handler."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl

import msgspec
import pytest

from hundi.api.merchant.ipn import rendered
from hundi.kernel.events import SAFE, Kind
from hundi.kernel.states import (
    Actor,
    AttemptState,
    DisputePhase,
    DisputeState,
    EventKind,
    PaymentState,
    RefundState,
    SubscriptionState,
)
from hundi.payments.orders.facts.rules import PaymentFacts, facts_told
from hundi.payments.orders.news.rules import DisputeFacts, MandateFacts, RefundFacts
from hundi.payments.orders.rules import PaymentView, Step
from tests.docs.examples import ROOT
from tests.manners import FORMS, HANDLERS, Book, Handler, in_capitals, opened
from tests.page.views import NOW, attempt, merchant, paid_by_card, view

ORDER = "ORD-1"
UNPAID: Mapping[Kind, PaymentState] = {
    Kind.ATTEMPT_FAILED: PaymentState.OPEN,
    Kind.EXPIRED: PaymentState.EXPIRED,
    Kind.UNKNOWN: PaymentState.UNKNOWN,
}
"""News of an order that is not paid, with its state then."""
LATER = [each for each in Kind if each not in SAFE and each not in UNPAID]
"""News that comes after an order was paid, and says nothing of the order itself."""


def refund(state: RefundState) -> Mapping[str, Any]:
    return {
        "refund": RefundFacts(
            8, 500, state, bank_code="00", bank_message="As asked", rrn="632512345679"
        )
    }


def mandate(state: SubscriptionState, paise: int = 0) -> Mapping[str, Any]:
    return {"mandate": MandateFacts(9, state, 1 if paise else 0, paise, NOW if paise else None)}


def dispute(state: DisputeState) -> Mapping[str, Any]:
    respond_by = NOW + timedelta(days=3)
    return {
        "dispute": DisputeFacts(
            6, 6, DisputePhase.CHARGEBACK, state, 10_000, 10_000, 0, "10.4", respond_by
        )
    }


ABOUT: Mapping[Kind, Mapping[str, Any]] = {
    Kind.REFUND_DONE: refund(RefundState.DONE),
    Kind.REFUND_FAILED: refund(RefundState.FAILED),
    Kind.REFUND_REVERSED: refund(RefundState.REVERSED),
    Kind.EXCESS_PAYMENT: {},
    Kind.EXCESS_REFUNDED: refund(RefundState.DONE),
    Kind.EXCESS_REFUND_FAILED: refund(RefundState.FAILED),
    Kind.MANDATE_PAUSED: mandate(SubscriptionState.PAUSED),
    Kind.MANDATE_RESUMED: mandate(SubscriptionState.ACTIVE),
    Kind.MANDATE_CHANGED: mandate(SubscriptionState.ACTIVE),
    Kind.MANDATE_CANCELLED: mandate(SubscriptionState.CANCELLED),
    Kind.MANDATE_COMPLETED: mandate(SubscriptionState.COMPLETED),
    Kind.DEBIT_ANNOUNCED: mandate(SubscriptionState.ACTIVE, 5_000),
    Kind.DEBIT_FAILED: mandate(SubscriptionState.ACTIVE, 5_000),
    Kind.DEBIT_SKIPPED: mandate(SubscriptionState.PAUSED, 5_000),
    Kind.DEBIT_MISSED: mandate(SubscriptionState.ACTIVE, 5_000),
    Kind.DISPUTE_OPENED: dispute(DisputeState.OPEN),
    Kind.DISPUTE_DUE_SOON: dispute(DisputeState.OPEN),
    Kind.DISPUTE_CONTESTED: dispute(DisputeState.UNDER_REVIEW),
    Kind.DISPUTE_ACCEPTED: dispute(DisputeState.ACCEPTED),
    Kind.DISPUTE_EXPIRED: dispute(DisputeState.EXPIRED),
    Kind.DISPUTE_WON: dispute(DisputeState.WON),
    Kind.DISPUTE_LOST: dispute(DisputeState.LOST),
    Kind.DISPUTE_PARTLY_LOST: dispute(DisputeState.LOST),
    Kind.DISPUTE_CLOSED: dispute(DisputeState.CLOSED),
}
"""What each later news is about."""


def facts(kind: Kind) -> PaymentFacts:
    """Return what a merchant is told at an event."""
    found: PaymentView = view(UNPAID[kind], attempt()) if kind in UNPAID else paid_by_card()
    changed = None
    if kind is Kind.EXCESS_PAYMENT:
        changed = attempt(
            "upi_qr", AttemptState.OVERPAID, attempt_id=215_000_000_000_009, received_paise=149_950
        )
        found = PaymentView(found.payment, (*found.attempts, changed))
    step = Step(
        EventKind.PAID, Actor.BANK, found.payment, changed, announce=kind, **ABOUT.get(kind, {})
    )
    return facts_told(found, step)


def body(kind: Kind, form: str) -> bytes:
    shop = merchant(events=tuple(Kind), **FORMS[form])
    assert shop.settings.hears(kind)
    return rendered(shop, facts(kind), "ipn_7_215000000000001_9", kind, NOW).body


def booked(kind: Kind, form: str, handler: Handler, before: str) -> str:
    """Return what a shop believes of its order after it was told of an event."""
    book: Book = {ORDER: before}
    handler(KEY, body(kind, form), book)
    assert {*book} == {ORDER}
    return book[ORDER]


KEY = merchant().keys.encryption_key


def test_every_kind_that_is_not_safe_is_told_here() -> None:
    assert {*ABOUT} == {*LATER}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [each for each in Kind if each not in SAFE])
def test_no_manner_books_other_news_as_a_success(kind: Kind, form: str) -> None:
    """Even a manner that reads another form: it stops, or says no."""
    for handler, readable in HANDLERS.items():
        book: Book = {ORDER: "ordered"}
        if form in readable:
            handler(KEY, body(kind, form), book)
        else:
            with suppress(KeyError, ValueError, AttributeError, TypeError):
                handler(KEY, body(kind, form), book)
        assert book[ORDER] != "paid", handler.__name__


@pytest.mark.parametrize("kind", LATER)
def test_the_page_says_what_becomes_of_a_paid_order(kind: Kind) -> None:
    """What is not guaranteed.

    A handler that goes by order and status alone takes a paid order back.
    """
    page = (ROOT / "docs" / "callbacks.md").read_text("utf-8")
    table = page[page.index("| A handler that does this ") :].split("\n\n")[0].splitlines()[2:]
    told = {
        cells[1].strip(): cells[2].strip().strip("`") for cells in (row.split("|") for row in table)
    }
    made = {
        (handler.__doc__ or "").rstrip("."): booked(kind, form, handler, "paid")
        for handler, readable in HANDLERS.items()
        for form in readable
    }
    assert told == made


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", LATER)
def test_other_news_can_be_told_from_a_payments_by_its_event_but_in_the_form_in_capitals(
    kind: Kind, form: str
) -> None:
    sent = body(kind, form)
    if form == "form":
        told = dict(parse_qsl(sent.decode(), keep_blank_values=True))
        assert not [each for each in told if "EVENT" in each.upper()]
        assert booked(kind, form, in_capitals, "paid") == "processing"
        named = {"340": "refund", "350": "dispute"}.get(told["TRANSACTIONTYPE"], "")
        assert named == next((each for each in ("refund", "dispute") if each in ABOUT[kind]), "")
        return
    told = msgspec.json.decode(sent) if form.startswith("json") else opened(KEY, sent)
    assert (told["event"], told["data"]["orderid"]) == (kind, ORDER)
    assert (int(told["transaction_status"]), told["transaction_payment_status"]) == (
        211,
        "INPROCESS",
    )
    assert told["detailed_status"].split()[0] in {
        "REFUNDED",
        "REFUND",
        "EXCESS",
        "MANDATE",
        "DISPUTE",
    }
