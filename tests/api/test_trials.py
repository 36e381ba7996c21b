"""What trial notifications tell: each event as a real one has it."""

import json
from datetime import UTC, datetime

import pytest

from hundi.api.merchant import ipn, trials
from hundi.api.merchant.record import transaction_record
from hundi.kernel.events import Kind
from tests.page.views import merchant

AT = datetime(2026, 11, 28, 12, tzinfo=UTC)
NEWS = {"REFUND", "REFUNDED", "EXCESS", "MANDATE", "DISPUTE"}


@pytest.mark.parametrize("event", trials.EVENTS)
def test_each_event_has_the_standard_form(event: str) -> None:
    sent = trials.notification(merchant(notification_form=ipn.STANDARD), event, AT)
    told = json.loads(sent.body)
    assert (told["type"], told["id"]) == (event, sent.headers["webhook-id"])
    assert told["data"]["order"]["order_id"] == trials.TEST_ORDER
    facts = trials.facts_of(10001, event, AT)
    about = {"refund": facts.refund, "dispute": facts.dispute, "subscription": facts.mandate}
    assert {name: told["data"][name] is None for name in about} == {
        name: news is None for name, news in about.items()
    }
    assert json.loads(sent.plain) == told


@pytest.mark.parametrize("event", trials.EVENTS)
def test_news_after_a_payment_is_no_second_success(event: str) -> None:
    told = transaction_record(trials.facts_of(10001, event, AT), merchant())
    assert told.orderid == trials.TEST_ORDER
    words = told.detailed_status.split(" ")[0]
    is_news = event.startswith(("refund_", "excess_", "dispute_", "debit_")) or event in {
        Kind.MANDATE_PAUSED,
        Kind.MANDATE_RESUMED,
        Kind.MANDATE_CHANGED,
        Kind.MANDATE_CANCELLED,
        Kind.MANDATE_COMPLETED,
    }
    assert (words in NEWS) is is_news
    if is_news:
        assert told.transaction_status == 211
