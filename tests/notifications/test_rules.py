"""The schedule of notifications, their identity and their signature."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from hundi.kernel.events import Kind
from hundi.notifications import rules
from hundi.notifications.rules import (
    Delivery,
    DeliveryKey,
    DeliveryOutcome,
    DeliveryState,
    Rendered,
    verdict,
)

AT = datetime(2026, 11, 20, 8, 35, tzinfo=UTC)
KEY = DeliveryKey(10_001, 217_000_000_000_001, 3)
OLD_KEY, NEW_KEY = (
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
)
SERVER_ERROR = DeliveryOutcome("https://shop.example/ipn", 500, 12, problem="answered 500")


def delivery(position: int = 1, *, probe: bool = False, scheduled_from: datetime = AT) -> Delivery:
    return Delivery(KEY, Kind.PAID, {}, AT, position, position, scheduled_from, probe)


def test_the_schedule_when_every_try_fails_at_once() -> None:
    now, gaps, position = AT, [], 1
    while due := rules.next_due(position, AT, now, retry_after_s=0, jitter=0.0):
        gaps.append(int((due - now).total_seconds()))
        now, position = due, position + 1
    assert gaps[:6] == [30, 120, 600, 1_800, 3_600, 10_800]
    assert set(gaps[5:]) == {10_800}
    assert timedelta(hours=69) < now - AT <= timedelta(hours=72)


@given(
    position=st.integers(1, 40),
    jitter=st.floats(0, 1, exclude_max=True),
    asked_s=st.integers(0, 10**9),
    age_s=st.integers(0, 300_000),
)
def test_a_retry_is_never_early_never_after_the_end_and_never_put_off_without_bound(
    position: int, jitter: float, asked_s: int, age_s: int
) -> None:
    now = AT + timedelta(seconds=age_s)
    due = rules.next_due(position, AT, now, retry_after_s=asked_s, jitter=jitter)
    if due is None:
        assert (
            age_s + max(rules.LATER_GAP_S, rules.RETRY_AFTER_S_MAX) * (1 + rules.JITTER)
            > rules.SCHEDULE_S_MAX
        )
        return
    waited = (due - now).total_seconds()
    assert waited >= max(30, min(asked_s, rules.RETRY_AFTER_S_MAX))
    assert waited <= rules.RETRY_AFTER_S_MAX * (1 + rules.JITTER)
    assert due - AT <= timedelta(seconds=rules.SCHEDULE_S_MAX)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120),
        (" 7 ", 7),
        (format_datetime(AT + timedelta(seconds=90), usegmt=True), 90),
        (format_datetime(AT - timedelta(seconds=90), usegmt=True), 0),
        ("Fri, 20 Nov 2026 08:36:00", 60),
        ("", 0),
        ("soon", 0),
        ("-5", 0),
        ("1.5", 0),
        ("99999999999999999999", 0),
        ("Fri, 99 Nov 2026 08:36:00 GMT", 0),
        ("९०", 0),
    ],
)
def test_retry_after_as_servers_write_it(header: str, seconds: int) -> None:
    assert rules.retry_after_seconds(header, AT) == seconds


@given(st.text())
def test_no_retry_after_header_breaks_a_worker(header: str) -> None:
    assert rules.retry_after_seconds(header, AT) >= 0


def test_what_a_try_makes_of_its_delivery_and_of_the_endpoint() -> None:
    ended = AT + timedelta(seconds=1)
    late = AT - timedelta(hours=72)
    table = [
        # delivery, outcome, quiet -> state, waits, endpoint fails
        (
            delivery(),
            DeliveryOutcome("https://shop.example/ipn", 204, 9),
            True,
            DeliveryState.DELIVERED,
            False,
            False,
        ),
        (delivery(), rules.NO_ENDPOINT, True, DeliveryState.NO_ENDPOINT, False, False),
        (delivery(), SERVER_ERROR, True, DeliveryState.WAITING, True, False),
        (
            delivery(),
            DeliveryOutcome("https://shop.example/ipn", 302, 9),
            True,
            DeliveryState.WAITING,
            True,
            False,
        ),
        (
            delivery(),
            DeliveryOutcome("https://shop.example/ipn", None, 9),
            True,
            DeliveryState.WAITING,
            True,
            False,
        ),
        (
            delivery(28, scheduled_from=late),
            SERVER_ERROR,
            True,
            DeliveryState.EXHAUSTED,
            False,
            True,
        ),
        (
            delivery(28, scheduled_from=late),
            SERVER_ERROR,
            False,
            DeliveryState.EXHAUSTED,
            False,
            False,
        ),
        (delivery(1, probe=True), SERVER_ERROR, True, DeliveryState.WAITING, True, True),
        (
            delivery(28, probe=True, scheduled_from=late),
            SERVER_ERROR,
            False,
            DeliveryState.EXHAUSTED,
            False,
            True,
        ),
    ]
    for tried, outcome, quiet, state, waits, fails in table:
        found = verdict(tried, outcome, ended, quiet=quiet, jitter=0.5)
        assert (found.state, found.due_at is not None, found.probe_at is not None) == (
            state,
            waits,
            fails,
        )


def test_a_webhook_id_names_one_announcement() -> None:
    assert rules.parse_webhook_id(KEY.webhook_id) == KEY
    for text in (
        "",
        "ipn_1_2",
        "ipn_1_2_3_4",
        "ipn_0_2_3",
        "ipn_1_2_x",
        "msg_1_2_3",
        "ipn_1_2_3\n",
    ):
        assert rules.parse_webhook_id(text) is None


def test_a_signature_verifies_with_the_new_key_and_with_the_one_before() -> None:
    now = datetime.now(UTC)
    rendered = Rendered("application/json", '{"note":"नमस्ते"}'.encode())
    headers = rules.signed_headers(KEY, rendered, (NEW_KEY, OLD_KEY), now)
    assert headers["webhook-signature"].count("v1,") == 2
    assert headers["content-type"] == "application/json"
    for key in (NEW_KEY, OLD_KEY):
        assert Webhook(key).verify(rendered.body, headers) == {"note": "नमस्ते"}
    with pytest.raises(WebhookVerificationError):
        Webhook("whsec_" + "A" * 32).verify(rendered.body, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(NEW_KEY).verify(rendered.body + b" ", headers)


@given(wanted=st.dictionaries(st.integers(1, 40), st.integers(0, 20)), free=st.integers(0, 100))
def test_places_are_shared_out_one_each_before_anybody_gets_a_second(
    wanted: dict[int, int], free: int
) -> None:
    got = rules.share_out(wanted, free)
    assert sum(got.values()) == min(free, sum(wanted.values()))
    assert all(0 < got[merchant_id] <= wanted[merchant_id] for merchant_id in got)
    left = [merchant_id for merchant_id, count in wanted.items() if got.get(merchant_id, 0) < count]
    assert all(got.get(each, 0) >= max(got.values(), default=0) - 1 for each in left)


def test_when_places_are_few_those_who_come_first_get_them() -> None:
    assert rules.share_out({3: 5, 1: 5, 2: 5}, 2) == {3: 1, 1: 1}
    assert rules.share_out({3: 5, 1: 1, 2: 0}, 4) == {3: 3, 1: 1}
