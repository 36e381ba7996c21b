"""Session names and the counting of failures."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.merchants.access import rules
from hundi.merchants.access.sessions.rules import Sessions
from hundi.wire.merchant.token import SCOPES

NOW = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
MOST = 10


@given(merchant=st.integers(1, 999_999_999_999), payment=st.integers(1, 999_999_999_999_999))
def test_a_session_name_opens_to_what_it_was_made_of(merchant: int, payment: int) -> None:
    sessions = Sessions(lambda: (b"k" * 32,))
    assert sessions.open_(sessions.seal(merchant, payment)) == (merchant, payment)


def test_a_language_may_follow_a_session_name() -> None:
    sessions = Sessions(lambda: (b"k" * 32,))
    name = sessions.seal(12345, 900)
    assert sessions.open_(f"{name}.ta") == (12345, 900)
    for tail in (".", ".TA", ".tam", ".ta.hi", "ta"):
        assert sessions.open_(name + tail) is None


@given(st.text(max_size=80))
def test_no_other_text_is_a_session(text: str) -> None:
    assert Sessions(lambda: (b"k" * 32,)).open_(text) is None


def test_a_session_name_of_one_payment_opens_no_other() -> None:
    sessions = Sessions(lambda: (b"k" * 32,))
    name = sessions.seal(12345, 900)
    assert sessions.open_(name.replace("900", "901")) is None
    assert sessions.open_(name.replace("12345", "12346")) is None
    assert Sessions(lambda: (b"x" * 32,)).open_(name) is None
    assert Sessions(lambda: (b"x" * 32, b"k" * 32)).open_(name) == (12345, 900)


def test_tokens_are_40_hex_characters_and_stored_hashed() -> None:
    token = rules.new_token()
    assert len(token) == 40
    assert set(token) <= set("0123456789abcdef")
    assert token.encode() not in rules.token_hash(token)


def test_ten_failures_a_minute_then_waiting_that_doubles_then_forgiveness() -> None:
    count = None
    for _ in range(MOST - 1):
        count = rules.after_failure(count, NOW, MOST)
        assert not rules.wait_of(count, NOW)
    count = rules.after_failure(count, NOW, MOST)
    assert rules.wait_of(count, NOW)
    assert count.blocked_until == NOW + rules.BACK_OFF_FIRST
    for _ in range(MOST):
        count = rules.after_failure(count, NOW, MOST)
    assert count.blocked_until == NOW + 2 * rules.BACK_OFF_FIRST
    for _ in range(200):
        count = rules.after_failure(count, NOW, MOST)
    assert count.blocked_until == NOW + rules.BACK_OFF_MAX
    assert (
        rules.after_failure(count, NOW + rules.BACK_OFF_MAX + timedelta(minutes=2), MOST).failures
        == 1
    )


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("", ""),
        ("x" * 5_000, "x" * 64),
    ],
)
def test_an_ipv6_customer_is_counted_as_one(address: str, counted: str) -> None:
    assert rules.network_of(address) == counted


def test_the_wire_reads_the_scopes_that_tokens_have() -> None:
    """They are written twice: the wire knows nothing of who may do what."""
    assert set(SCOPES) == set(rules.TokenScope)
