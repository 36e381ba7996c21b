"""Orders: how a merchant's conventions are read, and content hashes that stored orders have."""

from datetime import UTC, date, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hundi.api.merchant.endpoint import MerchantRequest
from hundi.api.merchant.mandates import hashed
from hundi.api.merchant.orders import new_order, read_order
from hundi.kernel.states import PaymentKind
from hundi.wire.merchant.payments import PaymentRequest
from hundi.wire.merchant.qr_orders import GenerateOrderRequest
from hundi.wire.message import read_request

ORDER = {
    "orderid": "ORD-1001",
    "amount": "1499.50",
    "currency_code": "356",
    "iso_currency": "INR",
    "buyer_email": "asha@example.in",
    "buyer_phone": "+91 98765 43210",
    "buyer_firstname": "आशा",
    "buyer_lastname": "O'Brien",
}
MANDATE = ORDER | {
    "txnsubtype": "12",
    "sb_nextrundate": "12/11/2026",
    "sb_period": "m",
    "sb_frequency": "1",
    "sb_amount": "99.00",
    "sb_isrecurring": "1",
    "sb_recurringcount": "12",
    "sb_retryattempts": "3",
    "sb_maxamount": "150",
}
STORED = [
    (
        {},
        "db9f657d91a8561e9632d1291fc1da7c7034179d25cbcbd97679712a779dba79",
        "c8755bd2e7cb04385d1ad9afe2119f7d041b2112028cf03f36f8669c2484e740",
    ),
    (
        {"sb_period": "A", "sb_maxamount": ""},
        "2f1c7c9c304133d9732b5b3ca143530f50d13a0730bbc44e56b370bb71de00c8",
        "32b19ac8bfbb2dbfdde2f59ef2b75b58776c3e9d0ccbd99bacf090218da6a39d",
    ),
    (
        {"sb_recurringcount": "999"},
        "16a64fe2d0ff182302639d7462ee26631d50cf713b38a1f396681f62d76f041b",
        "9fe5f3f9dc82e4114e7290887a7808ffd399045e532adced63c625bd9aacf914",
    ),
]
"""Hashes of stored orders, of the page and of a QR: with others a repeat would be refused."""


@pytest.mark.parametrize(("changes", "page", "qr"), STORED)
def test_the_hash_of_a_mandate_s_order_is_that_of_stored_ones(
    changes: dict[str, str], page: str, qr: str
) -> None:
    kind = PaymentKind.SUBSCRIPTION
    form = read_request(PaymentRequest, MANDATE | changes)
    assert form.subscription is not None
    asked_as = f"12 {hashed(form.subscription)}"
    assert new_order(form, kind=kind, channels=(), asked_as=asked_as).content_hash.hex() == page
    of_qr = read_request(GenerateOrderRequest, MANDATE | changes)
    assert of_qr.subscription is not None
    asked_as = f"qr {hashed(of_qr.subscription)}"
    order = new_order(of_qr, kind=kind, channels=("upi",), asked_as=asked_as)
    assert order.content_hash.hex() == qr


def test_the_hash_of_a_sale_is_that_of_stored_ones() -> None:
    asked = read_request(PaymentRequest, ORDER)
    order = new_order(asked, kind=PaymentKind.SALE, channels=(), asked_as=asked.txnsubtype)
    stored = "84df30ff05e8ef5a1d74acc2d13ffdee9714e0996516bad0edafe7e595a04d37"
    assert order.content_hash.hex() == stored


def context(values: dict[str, Any], dates: str = "month-first", **outer: str) -> MerchantRequest:
    """Return what a request brings to the reading of its order."""
    said = SimpleNamespace(
        values=values,
        outer=SimpleNamespace(**({"chmod": "", "mer_dom": ""} | outer)),
        sender=SimpleNamespace(settings=SimpleNamespace(dates=dates)),
        now=datetime(2026, 11, 1, tzinfo=UTC),
    )
    return cast("MerchantRequest", said)


def test_outer_channel_and_origin_count_when_the_inner_are_empty() -> None:
    outer = {"chmod": "nb", "mer_dom": "b3V0"}
    asked = read_order(PaymentRequest, context(ORDER, **outer), "chmod", "mer_dom")
    assert (asked.channels, asked.mer_dom) == (("nb",), "b3V0")
    inner = ORDER | {"chmod": "pg_upi", "mer_dom": "aHR0cHM6Ly94"}
    asked = read_order(PaymentRequest, context(inner, **outer), "chmod", "mer_dom")
    assert (asked.channels, asked.mer_dom) == (("pg", "upi"), "aHR0cHM6Ly94")
    of_qr = read_order(GenerateOrderRequest, context(ORDER, **outer), "mer_dom")
    assert (of_qr.channels, of_qr.mer_dom) == ((), "b3V0")


def test_a_date_is_read_as_its_merchant_writes_dates() -> None:
    read = {
        dates: read_order(PaymentRequest, context(MANDATE, dates)).subscription
        for dates in ("month-first", "day-first")
    }
    assert {dates: terms and terms.next_run for dates, terms in read.items()} == {
        "month-first": date(2026, 12, 11),
        "day-first": date(2026, 11, 12),
    }
