"""Webhooks of Cashfree: authentic, and about which reference."""

import json

import pytest

from hundi.acquirers.calls.cashfree_wire import signature
from hundi.acquirers.cashfree import webhooks
from tests.acquirers.cashfree import published

SECRET = "a secret of nobody"
AT = "1763899200000"
NOW_S = 1_763_899_200


def signed(body: bytes, at: str = AT, **changes: str) -> dict[str, str]:
    return {
        "x-webhook-timestamp": at,
        "x-webhook-signature": signature(SECRET, at, body),
        "x-idempotency-key": "n9rn",
    } | changes


def test_the_signature_is_over_timestamp_and_raw_body_without_anything_between() -> None:
    # printf '1763899200000{"a":170.00}' | openssl dgst -sha256 -hmac 'a secret of nobody' -binary |
    # base64
    assert signature(SECRET, AT, b'{"a":170.00}') == published.SIGNATURE


@pytest.mark.parametrize(("kind", "body"), sorted(published.WEBHOOKS.items()))
def test_published_webhooks_name_our_references(kind: str, body: str) -> None:
    for theirs, ours in (
        ("order_OFR_2", "10001-219876543210007"),
        ("refund_sampleorder0413", "10001_R219876543210008"),
        ("sampleorder0413", "10001-219876543210007"),
    ):
        body = body.replace(f'"{theirs}"', f'"{ours}"')
    trigger = webhooks.trigger(signed(body.encode()), body.encode(), (SECRET,), NOW_S)
    assert trigger is not None, kind
    assert trigger.event_id == "n9rn"
    assert set(trigger.references) == (
        {"10001-219876543210007", "10001-R219876543210008"}
        if "REFUND" in kind
        else {"10001-219876543210007"}
    )


def test_a_webhook_that_is_not_authentic_or_old_or_changed_triggers_nothing() -> None:
    body = (
        b'{"data":{"order":{"order_id":"10001-219876543210007","order_amount":170.00}},'
        b'"type":"PAYMENT"}'
    )
    good = signed(body)
    assert webhooks.trigger(good, body, ("another secret", SECRET), NOW_S) is not None
    third_retry_s = 2_520
    assert webhooks.trigger(good, body, (SECRET,), NOW_S + third_retry_s) is not None
    in_seconds = signed(body, at=str(NOW_S))
    assert webhooks.trigger(in_seconds, body, (SECRET,), NOW_S) is not None
    again = json.dumps(json.loads(body)).encode()
    cases: list[tuple[dict[str, str], bytes, int]] = [
        ({}, body, NOW_S),
        (good, again, NOW_S),
        (good, body + b" ", NOW_S),
        (signed(body, **{"x-webhook-signature": "é"}), body, NOW_S),
        (signed(body, **{"x-webhook-timestamp": "1763899200001"}), body, NOW_S),
        (signed(body, **{"x-webhook-timestamp": "176389920000٠"}), body, NOW_S),
        (good, body, NOW_S + webhooks.WEBHOOK_AGE_S_MAX + 1),
        (good, body, NOW_S - webhooks.WEBHOOK_AHEAD_S_MAX - 1),
    ]
    for headers, sent, now_s in cases:
        assert webhooks.trigger(headers, sent, (SECRET,), now_s) is None
    assert webhooks.trigger(good, body, ("",), NOW_S) is None
    for garbage in (b"", b"[]", b"\xff", b'{"data":1}', b'{"data":{"a":1},"data":{}}'):
        assert webhooks.trigger(signed(garbage), garbage, (SECRET,), NOW_S) is None


def test_a_webhook_about_nothing_of_ours_names_nothing() -> None:
    body = b'{"data":{"settlement":{"cf_settlement_id":1},"order":{"order_id":"CFPay_1"}}}'
    trigger = webhooks.trigger(signed(body), body, (SECRET,), NOW_S)
    assert trigger is not None
    assert trigger.references == ()


def test_a_payment_links_order_is_found_by_its_tag() -> None:
    body = (
        b'{"data":{"order":{"order_id":"CFPay_1",'
        b'"order_tags":{"link_id":"10001-219876543210007"}}}}'
    )
    trigger = webhooks.trigger(signed(body), body, (SECRET,), NOW_S)
    assert trigger is not None
    assert trigger.references == ("10001-219876543210007",)
