"""Checksums against independent vectors, and every reading real clients have of them."""

import hashlib
import json
import zlib
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.wire import strict_json
from hundi.wire.merchant import checksum

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "wire-v4.json").read_text())
DAY = date(2026, 1, 15)
NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)
ORDER = {"orderid": "ORD-1", "amount": "10.00"}
USER = {"username": "demo-user", "password": "demo-pass"}


def matched(fields, given_checksum, now=NOON, *, payment_page=False):
    """Return the form's name, for the demo merchant."""
    return checksum.match(fields, given_checksum, now, payment_page=payment_page, **USER)


def sha(text):
    """Return hex sha256."""
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("vector", VECTORS["checksum_v4"])
def test_v4_vectors(vector):
    assert checksum.v4(vector["fields"], date.fromisoformat(vector["date"])) == vector["checksum"]
    assert matched(vector["fields"], vector["checksum"]) == "v4-ist"
    assert matched(vector["fields"], vector["checksum"].upper()) == "v4-ist"


@pytest.mark.parametrize("vector", VECTORS["checksum_crc32"])
def test_crc32_vectors(vector):
    order = vector["order"].replace(" ", "-")
    assert matched(vector["fields"], vector["decimal"]) == f"crc32-{order}-decimal"
    assert matched(vector["fields"], vector["hex"]) == f"crc32-{order}-hex"
    assert checksum.crc32_forms(vector["fields"])[f"crc32-{order}-hex"] == vector["hex"]


def test_mobile_vector():
    vector = VECTORS["checksum_mobile"][0]
    names = ("email", "firstname", "lastname", "address", "city", "state", "country")
    buyer = dict(zip(names, ("a@b.co", "A", "B", "xxxx", "cc", "ss", "India"), strict=True))
    fields = {f"buyer_{name}": value for name, value in buyer.items()} | {
        "amount": "10.00",
        "orderid": "ORD1",
    }
    assert checksum.mobile(fields, day=DAY, **USER) == vector["checksum"]
    assert matched(fields, vector["checksum"], payment_page=True) == "mobile-ist"
    assert matched(fields, vector["checksum"], payment_page=False) is None


def mobile_of(alldata):
    """Return the mobile checksum of a text, computed here."""
    return sha(f"{sha('demo-user~:~demo-pass')}@{alldata}{DAY}")


SUBSCRIPTION = {
    "buyerEmail": "a@b.co",
    "buyer_firstname": "A",
    "buyerLastName": "B",
    "amount": "10.00",
    "orderid": "O1",
    "txnsubtype": "12",
    "sb_nextrundate": "02/01/2026",
    "sb_frequency": "1",
    "sb_period": "M",
    "sb_amount": "99.5",
    "sb_recurringcount": "12",
    "sb_retryattempts": "3",
}


@pytest.mark.parametrize(
    ("changes", "alldata"),
    [
        ({}, "a@b.coAB10.00O102/01/20261M99.501123"),
        ({"sb_period": "A"}, "a@b.coAB10.00O1A99.5013"),
        ({"sb_amount": None}, "a@b.coAB10.00O102/01/20261M10.001123"),
        ({"sb_amount": "odd"}, "a@b.coAB10.00O102/01/20261Modd1123"),
        ({"txnsubtype": "2"}, "a@b.coAB10.00O1"),
    ],
)
def test_mobile_alldata_with_older_spellings_and_subscriptions(changes, alldata):
    assert matched(SUBSCRIPTION | changes, mobile_of(alldata), payment_page=True) == "mobile-ist"


@pytest.mark.parametrize(
    ("now", "days"),
    [
        ("2026-01-15T12:00", {"ist": "2026-01-15"}),
        ("2026-01-15T18:29", {"ist": "2026-01-15", "ist+1h": "2026-01-16"}),
        ("2026-01-15T18:30", {"ist": "2026-01-16", "utc": "2026-01-15"}),
        ("2026-01-15T22:30", {"ist": "2026-01-16", "utc": "2026-01-15"}),
        ("2026-01-16T00:30", {"ist": "2026-01-16", "utc-1h": "2026-01-15"}),
        ("2026-01-16T01:00", {"ist": "2026-01-16"}),
    ],
)
def test_the_dates_that_count(now, days):
    moment = datetime.fromisoformat(now).replace(tzinfo=UTC)
    assert {name: str(day) for name, day in checksum.accepted_days(moment).items()} == days
    for name, day in days.items():
        assert (
            checksum.verify_v4(ORDER, checksum.v4(ORDER, date.fromisoformat(day)), moment)
            == f"v4-{name}"
        )


@pytest.mark.parametrize("day", [date(2026, 1, 14), date(2026, 1, 16), date(2025, 1, 15)])
def test_other_dates_do_not_count(day):
    assert matched(ORDER, checksum.v4(ORDER, day)) is None


@pytest.mark.parametrize(
    ("null", "suffix"), [("", ""), ("None", "-null-none"), ("null", "-null-word")]
)
def test_a_null_may_have_been_written_three_ways(null, suffix):
    fields = {"a": "1", "b": None, "c": "2"}
    assert matched(fields, sha(f"1{null}2{DAY}")) == f"v4-ist{suffix}"
    assert matched(fields, str(zlib.crc32(f"1{null}2".encode()))) == f"crc32-by-key-decimal{suffix}"


def test_numbers_count_as_their_text_and_nested_values_as_compact_json():
    fields = strict_json.parse('{"b": 10.50, "a": [1, {"x": "आ"}], "c": true}'.encode())
    assert matched(fields, sha(f'[1,{{"x":"आ"}}]10.50true{DAY}')) == "v4-ist"
    assert matched(fields, sha(f'[1,{{"x":"\\u0906"}}]10.50true{DAY}')) == "v4-ist-escaped"


@pytest.mark.parametrize("wrong", ["", "0", "0" * 64, "é", "\ud800", "x" * 100_000])
def test_a_wrong_checksum_matches_nothing(wrong):
    assert matched(ORDER, wrong, payment_page=True) is None


FIELDS = st.dictionaries(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=8),
    st.none() | st.text(st.characters(exclude_categories=("Cs",)), max_size=20) | st.integers(),
    max_size=8,
)


@given(FIELDS, st.datetimes(datetime(2020, 1, 2), datetime(2090, 1, 1)))  # noqa: DTZ001 (made aware below)
def test_every_canonical_text_is_accepted_under_a_form_that_gives_it(fields, naive):
    now = naive.replace(tzinfo=UTC)
    values = {text.form: text.value for text in checksum.canonical_texts(fields, now)}
    for value in values.values():
        # Two forms of a trivial message can give one value, so any form that gives it is right.
        assert values[matched(fields, value, now)] == value


@given(FIELDS, st.text())
def test_never_crashes(fields, text):
    matched(fields, text, payment_page=True)


def test_canonical_texts_hash_to_their_values_and_show_no_secret():
    fields = {"client_id": "cid", "client_secret": "very-secret"}
    first, *others = checksum.canonical_texts(fields, NOON)
    assert first == ("v4-ist", f"cid****{DAY}", sha(f"cidvery-secret{DAY}"))
    assert not any("very-secret" in other.text for other in others)
    shown = next(checksum.canonical_texts(ORDER, NOON))
    assert sha(shown.text) == shown.value
