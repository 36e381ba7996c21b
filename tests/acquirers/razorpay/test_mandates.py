"""What Razorpay published of mandates, read by the connector."""

import json
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from hundi.acquirers.calls.razorpay_wire import RazorpayRefusal
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.mandates import MandateState, NoticeGiven
from hundi.acquirers.razorpay import mandate_questions, mandate_rules
from hundi.acquirers.razorpay.connector import RazorpayConnector
from hundi.acquirers.razorpay.messages import (
    NotifiedOrder,
    RazorpayPayment,
    RazorpayToken,
)
from hundi.acquirers.razorpay.reasons import DEBIT_REFUSED, MANDATE_OVER, MANDATE_PAUSED, REFUSED
from hundi.kernel.money import Money
from tests.acquirers.razorpay import published_mandates as published
from tests.acquirers.razorpay.standin_recurring import RecurringStandin

NOW_S = 1_595_447_500
AT = datetime.fromtimestamp(1_634_057_114, UTC)


def payment(**changes: Any) -> RazorpayPayment:
    return msgspec.convert(published.DEBIT | changes, RazorpayPayment)


@pytest.mark.parametrize(
    ("webhook", "state"),
    [
        (published.CONFIRMED, MandateState.ACTIVE),
        (published.REJECTED, MandateState.FAILED),
        (published.CANCELLED, MandateState.ENDED),
        (published.PAUSED, MandateState.PAUSED),
    ],
)
def test_a_published_token_says_how_its_mandate_stands(
    connector: RazorpayConnector,
    bank: RecurringStandin,
    webhook: dict[str, Any],
    state: MandateState,
) -> None:
    token = webhook["payload"]["token"]["entity"]
    found = mandate_rules.standing(msgspec.convert(token, RazorpayToken), NOW_S)
    assert not isinstance(found, Unknown)
    assert (found.state, found.name) == (state, token["id"])
    event = bank.signed(webhook["event"], json.dumps(webhook).encode())
    headers = {name.lower(): value for name, value in event.headers.items()}
    trigger = connector.read_trigger(headers, event.body, now_s=int(time.time()))
    assert trigger is not None
    assert (trigger.references, trigger.mandates) == ((), (token["id"],))
    assert connector.read_trigger(headers, event.body + b" ", now_s=int(time.time())) is None


def test_a_token_that_has_expired_is_over() -> None:
    token = msgspec.convert(published.ENACH_TOKEN, RazorpayToken)
    assert token.expired_at is not None
    found = mandate_rules.standing(token, token.expired_at)
    assert not isinstance(found, Unknown)
    assert found.state is MandateState.ENDED


def test_a_notice_is_given_once_it_is_delivered() -> None:
    before = msgspec.convert(published.ORDER, NotifiedOrder)
    assert isinstance(mandate_rules.notice_outcome(before, AT), Unknown)
    after = msgspec.convert(published.NOTICED_ORDER, NotifiedOrder)
    given = mandate_rules.notice_outcome(after, AT)
    told = datetime.fromtimestamp(1_634_057_113, UTC)
    assert given == NoticeGiven(before.id, told + timedelta(hours=24))
    failed = published.NOTICED_ORDER["notification"] | {"status": "failed"}
    again = msgspec.convert(published.ORDER | {"notification": failed}, NotifiedOrder)
    assert mandate_rules.notice_outcome(again, AT) is None


def test_a_published_debit_is_approved_with_its_amount() -> None:
    answer = mandate_rules.debit_outcome((payment(),), Money(100), NOW_S)
    assert isinstance(answer, Approved)
    assert (answer.amount, answer.rrn) == (Money(100), "854977234911")
    assert isinstance(mandate_rules.debit_outcome((), Money(100), NOW_S), NothingThere)
    open_debit = payment(status="created", captured=False)
    assert isinstance(mandate_rules.debit_outcome((open_debit,), Money(100), NOW_S), Unknown)


@pytest.mark.parametrize("reason", sorted(MANDATE_OVER | MANDATE_PAUSED | DEBIT_REFUSED))
def test_a_reason_ends_a_mandate_pauses_it_or_declines_the_debit(reason: str) -> None:
    failed = payment(status="failed", captured=False, error_reason=reason)
    answer = mandate_rules.debit_outcome((failed,), Money(100), NOW_S)
    assert isinstance(answer, Declined)
    assert answer.mandate_over == (reason in MANDATE_OVER)
    assert answer.mandate_paused == (reason in MANDATE_PAUSED)
    refused = mandate_rules.debit_refused(RazorpayRefusal("BAD_REQUEST_ERROR", reason=reason))
    assert isinstance(refused, Declined)
    assert refused.mandate_over == answer.mandate_over


def test_a_reason_that_proves_nothing_is_a_decline_after_a_day_and_a_half() -> None:
    failed = payment(status="failed", captured=False, error_reason="bank_technical_error")
    soon = mandate_rules.debit_outcome((failed,), Money(100), failed.created_at + 60)
    assert isinstance(soon, Unknown)
    late = failed.created_at + mandate_rules.SETTLES_S
    assert isinstance(mandate_rules.debit_outcome((failed,), Money(100), late), Declined)
    assert not (REFUSED | DEBIT_REFUSED) & (MANDATE_PAUSED)


def test_a_dummy_payment_may_have_made_a_token_and_another_failed_one_not() -> None:
    dummy = payment(status="failed", captured=False, error_reason=mandate_rules.DUMMY)
    assert mandate_rules.approves(dummy)
    assert not mandate_rules.approves(payment(status="failed", error_reason="payment_failed"))
    assert not mandate_rules.approves(payment(token_id=None))


def test_a_period_that_razorpay_lacks_is_as_presented() -> None:
    known = mandate_questions.FREQUENCIES
    assert known["upi", "MONTHLY"] == "monthly"
    assert ("upi", "DAILY") not in known
