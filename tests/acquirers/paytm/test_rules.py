"""Paytm's published words and checksums, and what is made of them.

Nothing unclear ever reads as a decline.
"""

import copy
import json
from typing import Any

import pytest

from hundi.acquirers.paytm import checksums, rules
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.kernel.money import Money
from tests.acquirers.paytm import published


def word(
    said: dict[str, Any], info: dict[str, str] | None = None, **change: Any
) -> rules.PaytmAnswer:
    changed = copy.deepcopy(said)
    changed["body"] |= change
    changed["body"]["resultInfo"] |= info or {}
    found = rules.read(json.dumps(changed).encode())
    assert found is not None
    return found


def payment(info: dict[str, str] | None = None, **change: Any) -> object:
    return rules.payment_outcome(
        word(published.PAID, info, **change), published.ORDER, published.MID
    )


def refund(info: dict[str, str] | None = None, **change: Any) -> object:
    return rules.refund_outcome(word(published.REFUNDED, info, **change), "REF_001", published.MID)


def failed(code: str) -> dict[str, str]:
    return {"resultStatus": "TXN_FAILURE", "resultCode": code, "resultMsg": "said so"}


def test_the_librarys_checksums_are_reproduced_and_no_other_holds() -> None:
    key, text, form = published.KEY, published.TEXT, published.FORM
    assert checksums.sign(text, key, published.TEXT_SALT) == published.TEXT_CHECKSUM
    assert (
        checksums.sign(checksums.form_text(form), key, published.FORM_SALT)
        == published.FORM_CHECKSUM
    )
    assert checksums.holds(text, key, published.TEXT_CHECKSUM)
    assert checksums.holds(text, key, checksums.sign(text, key))
    assert not checksums.holds(text + b" ", key, published.TEXT_CHECKSUM)
    assert not checksums.holds(text, key[::-1], published.TEXT_CHECKSUM)


@pytest.mark.parametrize(
    "checksum", ["", "A", "not base64!", "AAAA", "A" * 108, "=" * 108, "é" * 108]
)
def test_what_is_no_checksum_does_not_hold(checksum: str) -> None:
    assert not checksums.holds(published.TEXT, published.KEY, checksum)


def test_every_changed_byte_of_a_checksum_breaks_it() -> None:
    for place in range(0, len(published.TEXT_CHECKSUM), 7):
        other = "B" if published.TEXT_CHECKSUM[place] == "A" else "A"
        forged = published.TEXT_CHECKSUM[:place] + other + published.TEXT_CHECKSUM[place + 1 :]
        assert not checksums.holds(published.TEXT, published.KEY, forged)


def test_the_published_token_and_link_are_read() -> None:
    said, link = rules.read(published.TOKEN), rules.read(published.QR)
    assert said is not None
    assert link is not None
    assert rules.page_token(said) == "abc123"
    assert (
        rules.upi_url(link, Money(49_900))
        == "upi://pay?pa=shop@paytm&pn=Shop&am=499.00&tr=QR_ORD_001"
    )
    assert isinstance(rules.upi_url(link, Money(49_901)), Unknown)
    assert isinstance(rules.page_token(link), Unknown)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "upi://pay?pn=Shop&am=499.00",
        "https://x.example/?pa=a&am=499.00",
        "upi://pay?pa=a b&am=499.00",
    ],
)
def test_a_link_that_nobody_can_pay_is_none(url: str) -> None:
    said = word(json.loads(published.QR), qrData=url)
    assert isinstance(rules.upi_url(said, Money(49_900)), Unknown)


def test_the_published_success_is_approved_with_paytms_amount() -> None:
    assert payment() == Approved(Money(100), "62909899")
    assert payment(bankTxnId="") == Approved(Money(100), "202005081112128XXXXXX68470101509706")
    assert payment(txnAmount="2.50") == Approved(Money(250), "62909899")


@pytest.mark.parametrize(
    "change",
    [
        {"orderId": "other"},
        {"orderId": None},
        {"mid": "OTHER"},
        {"txnId": ""},
        {"txnAmount": "0.001"},
        {"txnAmount": "-1"},
        {"txnAmount": None},
    ],
)
def test_a_success_that_is_not_ours_or_has_no_amount_approves_nothing(
    change: dict[str, Any],
) -> None:
    assert isinstance(payment(**change), Unknown)


def test_the_published_failure_is_declined_and_a_cancelled_one_was_left() -> None:
    assert payment(failed("227")) == Declined("227", "said so")
    assert payment(failed("141")) == Declined("141", "said so", left=True)


@pytest.mark.parametrize("code", sorted(rules.NO_WORD_ABOUT_MONEY))
def test_a_failure_of_the_call_is_no_failure_of_the_payment(code: str) -> None:
    assert isinstance(payment(failed(code)), Unknown)


def test_a_failure_that_names_no_transaction_declines_nothing() -> None:
    # 227 is a decline in one list and a wrong checksum in another.
    assert isinstance(payment(failed("227"), txnId="", orderId=""), Unknown)


@pytest.mark.parametrize(
    ("status", "code"), [("TXN_FAILURE", "334"), ("TXN_FAILURE", "331"), ("NO_RECORD_FOUND", "331")]
)
def test_an_order_without_a_transaction_is_not_there(status: str, code: str) -> None:
    info = {"resultStatus": status, "resultCode": code}
    assert payment(info, txnId="") == NothingThere()
    assert payment(info) != NothingThere(), "an answer that names a transaction"


@pytest.mark.parametrize("status", ["PENDING", "F", "U", "", "SUCCESS"])
def test_what_waits_and_what_is_not_published_is_undecided(status: str) -> None:
    assert isinstance(payment({"resultStatus": status, "resultCode": "402"}), Unknown)


def test_the_published_refund_is_done_and_what_waits_is_not() -> None:
    assert refund() == Approved(Money(5_000), "20240511153012800110168524598765432")
    assert isinstance(refund({"resultStatus": "PENDING"}), Unknown)
    assert isinstance(refund(refId="REF_002"), Unknown)
    assert refund(failed("631"), refundId="") == NothingThere()
    assert isinstance(refund(failed("620")), Declined)


@pytest.mark.parametrize("code", sorted(rules.NO_END_OF_A_REFUND))
def test_a_failure_that_waits_or_was_done_is_no_failed_refund(code: str) -> None:
    assert isinstance(refund(failed(code)), Unknown)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"[]",
        b'{"body": []}',
        b'{"body": {"resultInfo": {}}}',
        b"<html>",
        b'{"body": {"resultInfo": {"resultStatus": true}}}',
    ],
)
def test_what_is_no_answer_is_not_read(body: bytes) -> None:
    assert rules.read(body) is None
