"""BillDesk's published words, and envelopes of another library.

Nothing unclear ever reads as a decline.
"""

import base64
import json
from typing import Any

import pytest

from hundi.acquirers.billdesk import jose, rules
from hundi.acquirers.billdesk.answers import BillDeskAnswer
from hundi.acquirers.billdesk.jose import Keys
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown
from hundi.infra.http.client import HttpAnswer
from hundi.kernel.money import Money
from tests.acquirers.billdesk import published

SIGNED = Keys("bdmercid", published.SIGNING)
SEALED = Keys("bdmercid", published.SIGNING, published.SEALING, "k1")
ORIGINS = ("https://uat1.billdesk.com",)


def word(said: dict[str, Any], http: int = 200, /, **change: Any) -> BillDeskAnswer:
    found = BillDeskAnswer.read(HttpAnswer(http, json.dumps(said | change).encode(), 1, {}))
    assert found is not None
    return found


def payment(http: int = 200, /, **change: Any) -> object:
    said = word(published.PAID, http, **change)
    return rules.payment_outcome(said, published.REFERENCE, published.MERCID, "NONE")


def refund(http: int = 200, /, **change: Any) -> object:
    return rules.refund_outcome(
        word(published.REFUND, http, **change), "REF-900485875", published.MERCID, "NONE"
    )


def page(**change: Any) -> object:
    said = word(published.ORDER, **change)
    return rules.page(said, published.REFERENCE, published.MERCID, Money(50_000), ORIGINS)


def header(part: bytes) -> Any:
    return json.loads(base64.urlsafe_b64decode(part + b"=" * (-len(part) % 4)))


def test_envelopes_of_another_library_are_opened() -> None:
    assert jose.opened(published.SIGNED, SIGNED) == published.PAYLOAD
    assert jose.opened(published.SEALED, SEALED) == published.PAYLOAD
    assert jose.seal(published.PAYLOAD, SIGNED) == published.SIGNED, (
        "HS256 has one signature for one text"
    )


def test_our_envelopes_have_the_headers_of_a_call_that_billdesk_took() -> None:
    keys = Keys("bduat2k673sj", published.SIGNING, published.SEALING, "nPb9ToJ5WF79")
    head, inner, _mac = jose.seal(published.PAYLOAD, keys).split(b".")
    assert header(head) == published.JWS_HEADER
    assert (
        header(base64.urlsafe_b64decode(inner + b"=" * (-len(inner) % 4)).split(b".")[0])
        == published.JWE_HEADER
    )
    assert jose.opened(jose.seal(published.PAYLOAD, keys), keys) == published.PAYLOAD


def test_every_changed_byte_breaks_an_envelope() -> None:
    for place in range(len(published.SEALED)):
        other = b"A" if published.SEALED[place : place + 1] != b"A" else b"B"
        forged = published.SEALED[:place] + other + published.SEALED[place + 1 :]
        assert jose.opened(forged, SEALED) is None, place


@pytest.mark.parametrize(
    "keys",
    [Keys("c", "another-key-of-nobody", published.SEALING), Keys("c", published.SIGNING, "x" * 32)],
)
def test_another_key_opens_nothing(keys: Keys) -> None:
    assert jose.opened(published.SEALED, keys) is None


def test_what_is_only_signed_is_not_believed_where_it_is_to_be_encrypted() -> None:
    assert jose.opened(published.SIGNED, SEALED) is None


def signed(head: dict[str, Any]) -> bytes:
    """Return an envelope with another header, under the right key."""
    text = base64.urlsafe_b64encode(json.dumps(head).encode()).rstrip(b"=") + b".e30"
    mac = base64.urlsafe_b64encode(jose._mac(text.decode(), SIGNED)).rstrip(b"=")  # noqa: SLF001 (a forger has it)
    return text + b"." + mac


@pytest.mark.parametrize(
    "head",
    [
        {"alg": "none"},
        {"alg": "HS512"},
        {"alg": "HS256", "crit": ["x"]},
        {"alg": "HS256", "enc": "A256GCM"},
        {},
    ],
)
def test_an_envelope_does_not_choose_its_algorithm(head: dict[str, Any]) -> None:
    assert jose.opened(signed({"alg": "HS256"}), SIGNED) == b"{}"
    assert jose.opened(signed(head), SIGNED) is None


def test_the_published_order_is_a_form() -> None:
    fields = (
        ("merchantid", published.MERCID),
        ("bdorderid", "OA78F1MDCV15BN7"),
        ("rdata", "674502462cab69a69c94"),
    )
    assert page() == Redirect(
        "https://uat1.billdesk.com/u2/web/v1_2/embeddedsdk", "OA78F1MDCV15BN7", fields
    )


@pytest.mark.parametrize(
    "change",
    [
        {"orderid": "other"},
        {"mercid": "OTHER"},
        {"amount": "1.00"},
        {"links": []},
        {"links": None},
        {"links": ["x"]},
        {"bdorderid": None},
    ],
)
def test_an_order_that_is_not_ours_or_has_no_page_is_none(change: dict[str, Any]) -> None:
    assert isinstance(page(**change), Unknown)


def test_the_published_payment_is_approved_with_billdesks_amount() -> None:
    assert payment() == Approved(Money(50_000), "BILLDESK12")
    assert payment(bank_ref_no="") == Approved(Money(50_000), "USBI0AV002T226")
    assert payment(amount="1.00", charge_amount="1.00") == Approved(Money(100), "BILLDESK12")


@pytest.mark.parametrize(
    "change",
    [
        {"orderid": "other"},
        {"mercid": "OTHER"},
        {"transactionid": ""},
        {"objectid": "refund"},
        {"amount": "0.001"},
        {"charge_amount": "510.00"},
        {"currency": "840"},
        {"auth_status": None},
    ],
)
def test_what_is_not_ours_or_has_no_one_amount_approves_nothing(change: dict[str, Any]) -> None:
    assert isinstance(payment(**change), Unknown)


def test_the_published_failure_is_declined_and_what_waits_is_not() -> None:
    assert payment(**published.FAILED) == Declined("TRPPE0001", "Payment processing error")
    assert isinstance(payment(**published.PENDING), Unknown)


@pytest.mark.parametrize("state", ["0001", "NA", "0301", "", 300])
def test_a_state_that_says_nothing_of_the_money_decides_nothing(state: object) -> None:
    assert isinstance(payment(auth_status=state), Unknown)


def test_an_error_is_no_transaction_and_one_code_says_not_there() -> None:
    assert payment(404, error_code="NONE") == NothingThere()
    assert isinstance(payment(404, error_code="OTHER"), Unknown)
    assert isinstance(payment(200, error_code="NONE", objectid=None), Unknown)
    assert rules.payment_outcome(word({}, 404), "x", published.MERCID, "") == Unknown()


def test_the_published_refund_is_done() -> None:
    assert refund() == Approved(Money(8_850), "U12300005481021")
    assert refund(refund_status="0799") == Approved(Money(8_850), "U12300005481021")
    assert refund(404, error_code="NONE") == NothingThere()


@pytest.mark.parametrize(
    "change",
    [
        {"merc_refund_ref_no": "other"},
        {"mercid": "OTHER"},
        {"refund_status": "0002"},
        {"refund_status": ["0699"]},
        {"refund_amount": {"value": "88.50"}},
        {"currency": "840"},
        {"refund_amount": None},
        {"objectid": "transaction"},
    ],
)
def test_what_is_not_our_refund_or_waits_is_undecided(change: dict[str, Any]) -> None:
    assert isinstance(refund(**change), Unknown)


def test_a_trace_is_one_for_a_reference_and_of_its_kind() -> None:
    assert rules.trace("refund", "10001-5") == rules.trace("refund", "10001-5")
    assert rules.trace("refund", "10001-5") != rules.trace("order", "10001-5")
    assert rules.trace("refund", "10001-5").isalnum()
