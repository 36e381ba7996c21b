"""The checksums of old kits against the vectors of public kits, and by the formulas."""

import hashlib
from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from hundi.merchants.directory.rules import KIT_VERSIONS
from hundi.wire.merchant import kit_checksums
from hundi.wire.merchant.kit_checksums import KitSecrets, order_texts, verdict
from hundi.wire.merchant.privatekey import derive

DAY = date(2026, 1, 15)
NOON = datetime(2026, 1, 15, 6, tzinfo=UTC)
PRIVATEKEY = derive("demo-secret", "demo-user", "demo-pass")
SECRETS = KitSecrets("demo-user", "demo-pass", PRIVATEKEY)
ORDER = {
    "buyerEmail": "a@b.co",
    "buyerFirstName": "A",
    "buyerLastName": "B",
    "buyerAddress": "xxxx",
    "buyerCity": "cc",
    "buyerState": "ss",
    "buyerCountry": "India",
    "amount": "10.00",
    "orderid": "ORD1",
}
VECTORS = {
    "3": "ccfab50778e3a33972e0ebe2516ba83710f5bc5fd2f43d70dcb96588d5e6abee",
    "2": "18af6e7f902c427b9d8cf1b5890b4ce9",
}
KEY256 = "458096de10599da1ddd6488aae3aa3880af88ff11a3f917e6c2fe49e9efb0042"


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_the_vectors_of_both_versions() -> None:
    assert tuple(kit_checksums.VERSIONS) == KIT_VERSIONS == tuple(VECTORS)
    assert sha("demo-user~:~demo-pass") == KEY256
    (text,) = order_texts(ORDER)
    assert text == "a@b.coABxxxxccssIndia10.00ORD1"
    for version, value in VECTORS.items():
        assert kit_checksums.VERSIONS[version](text, DAY, SECRETS) == value
        found = verdict([text], value.upper(), NOON, SECRETS)
        assert found is not None
        assert (found.version, found.day, found.dated) == (version, "ist", DAY)


def test_the_name_of_a_customer_and_a_subscription_are_joined() -> None:
    plan = {
        "UID": "asha-7",
        "txnsubtype": "12",
        "sb_nextrundate": "03/23/2026",
        "sb_period": "M",
        "sb_frequency": "2",
        "sb_amount": "20",
        "sb_recurringcount": "12",
        "sb_retryattempts": "1",
    }
    head, tail = "a@b.coABxxxxccssIndia10.00ORD1", "03/23/20262M20.001121"
    assert order_texts({**ORDER, **plan}) == (head + tail, head + "asha-7" + tail)
    as_presented = {**ORDER, **plan, "sb_period": "A", "UID": ""}
    assert order_texts(as_presented) == (head + "A20.0011",)


def test_operations_join_what_was_sent_and_what_the_kits_document() -> None:
    assert kit_checksums.joined_texts({"b": "2", "a": "1"}, ("a", "b", "c")) == ("12", "21")


@given(st.integers(-10, 10), st.integers(0, 23), st.text(max_size=20))
def test_only_the_days_of_india_and_utc_count(days: int, hour: int, text: str) -> None:
    now = datetime(2026, 3, 10, hour, 30, tzinfo=UTC)
    day = now.date() + timedelta(days=days)
    found = verdict([text], sha(f"{KEY256}@{text}{day}"), now, SECRETS)
    taken = {
        (now + timedelta(minutes=minutes + shift)).date()
        for minutes in (0, 330)
        for shift in (-60, 0, 60)
    }
    assert bool(found and found.day) == (day in taken)


def test_the_secrets_are_in_no_trace() -> None:
    assert "demo" not in repr(SECRETS)
