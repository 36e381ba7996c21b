"""What somebody may send in the bank's name.

Forged, replayed, bent and late words change nothing they should not.
"""

import hmac
import json
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.system.browser import Browser
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import (
    AMOUNT_PAISE,
    PAID_POSTING,
    Shop,
    enter_card,
    enter_otp,
    new_order_id,
    pay_card,
    scan,
    settled,
)

pytestmark = pytest.mark.usefixtures("books_hold")
PATH = "/callbacks/sandbox"


def word(reference: str, **changes: Any) -> dict[str, Any]:
    """Return what the bank would say about a success."""
    said = {
        "event_id": f"evt_{time.monotonic_ns():x}", "reference": reference, "method": "upi",
        "kind": "payment", "status": "paid", "code": "00", "message": "Approved",
        "rrn": "632499999999", "amount_paise": AMOUNT_PAISE, "currency": "INR",
        "payer_vpa": "thief@hundi", "trans_status": "", "at": "2026-11-20T08:35:00.000+00:00",
    }  # fmt: skip
    return said | changes


def signature(key: str, body: bytes, at_s: float) -> str:
    """Sign as the simulator's contract says."""
    digest = hmac.new(key.encode(), b"%d." % int(at_s) + body, "sha256").hexdigest()
    return f"t={int(at_s)},v1={digest}"


def say(
    gateway: RunningGateway, sender: Sender, body: bytes, header: str | None = None
) -> httpx.Response:
    """Post a callback; signed with the right key unless a header is given."""
    signed = signature(gateway.acquirer_key, body, time.time()) if header is None else header
    headers = {"content-type": "application/json"} | (
        {"simbank-signature": signed} if signed else {}
    )
    return sender.http.post(gateway.base_url + PATH, content=body, headers=headers)


def state_of(shop: Shop, order_id: str) -> tuple[Any, ...]:
    """Return everything of an order that a callback could change.

    The time of the next question is not part of it.
    """
    attempts = [
        {**each, "inquire_at": None, "hastened_at": None, "inquiries": 0}
        for each in shop.attempts(order_id)
    ]
    return shop.payment(order_id), attempts, shop.events(order_id), shop.postings(order_id)


def reference_of(shop: Shop, order_id: str) -> str:
    return f"{shop.merchant.merchant_id}-{shop.attempts(order_id)[-1]['attempt_id']}"


FORGERIES: Mapping[str, Any] = {
    "unsigned": lambda key, body, now: "",
    "no signature at all": lambda key, body, now: "v1=",
    "another key": lambda key, body, now: signature("0" * 64, body, now),
    "the empty key": lambda key, body, now: signature("", body, now),
    "another body": lambda key, body, now: signature(key, body + b" ", now),
    "another time": lambda key, body, now: signature(key, body, now).replace("t=", "t=1"),
    "six minutes old": lambda key, body, now: signature(key, body, now - 360),
    "six minutes early": lambda key, body, now: signature(key, body, now + 360),
    "upper case": lambda key, body, now: signature(key, body, now).upper(),
    "two signatures": lambda key, body, now: (
        f"{signature('x', body, now)},{signature(key, body, now)}"
    ),
    "Devanagari time": lambda key, body, now: "t=१,v1=" + "0" * 64,
}


@pytest.mark.parametrize("forgery", [each for each in FORGERIES if each != "Devanagari time"])
def test_a_forged_callback_is_401_and_makes_us_ask_the_bank_at_most(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser, forgery: str
) -> None:
    order_id = new_order_id()
    shop.open_page(browser, order_id)
    before = state_of(shop, order_id)
    body = json.dumps(word(reference_of(shop, order_id))).encode()
    answer = say(gateway, sender, body, FORGERIES[forgery](gateway.acquirer_key, body, time.time()))
    assert (answer.status_code, answer.content) == (401, b"")
    # The forgery brings our question forward; the bank knows of no such payment, and so nothing
    # happens.
    until(lambda: shop.attempts(order_id)[0]["inquiries"] > 0, "the bank to be asked")
    assert state_of(shop, order_id) == before
    assert shop.verify(order_id).status_code == 211


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'{"reference":5}',
        b"\xff\xfe",
        b'{"event_id":"e","reference":"1-217000000000000","status":"paid"}' * 2,
    ],
)
def test_a_signed_callback_that_says_nothing_readable_is_refused(
    gateway: RunningGateway, sender: Sender, body: bytes
) -> None:
    assert say(gateway, sender, body).status_code == 401
    assert say(gateway, sender, body, "").status_code == 401


def test_a_callback_has_a_size_and_an_address(gateway: RunningGateway, sender: Sender) -> None:
    assert say(gateway, sender, b"x" * 17_000).status_code == 413
    assert (
        sender.http.post(gateway.base_url + "/callbacks/nobody", content=b"{}").status_code == 404
    )
    assert sender.http.get(gateway.base_url + PATH).status_code == 405


@pytest.mark.parametrize("signed", [None, "", "t=1,v1=0"])
@pytest.mark.parametrize(
    "body",
    [
        b'{"reference":"\xff"}',
        b'{"reference":"\\u0000","event_id":"e","status":"paid"}',
        b"\xff\xfe{",
        b"[" * 16_000,
        b"",
    ],
    ids=["no UTF-8", "NUL", "no text", "deep", "nothing"],
)
def test_a_body_that_nobody_can_read_is_refused_and_no_fault_of_ours(
    gateway: RunningGateway, sender: Sender, body: bytes, signed: str | None
) -> None:
    assert say(gateway, sender, body, signed).status_code == 401


@pytest.mark.parametrize(
    "reference",
    [
        "",
        "1",
        "1-2",
        "7-217000000000001",
        "9" * 18 + "-217000000000001",
        "a-b",
        "1-217000000000001; --",
        "\0",
    ],
)
def test_a_word_about_a_payment_that_is_not_ours_is_taken_and_changes_nothing(
    gateway: RunningGateway, sender: Sender, reference: str
) -> None:
    before = gateway.value("SELECT count(*) FROM ledger_postings")
    answer = say(gateway, sender, json.dumps(word(reference)).encode())
    # What cannot be kept is out of form, as is what says nothing.
    assert answer.status_code == (401 if reference in {"", "\0"} else 204)
    assert gateway.value("SELECT count(*) FROM ledger_postings") == before


@pytest.mark.parametrize(
    "changes",
    [
        {"amount_paise": AMOUNT_PAISE - 1},
        {"amount_paise": AMOUNT_PAISE + 1},
        {"amount_paise": AMOUNT_PAISE * 100},
        {"amount_paise": 1},
        {"currency": "USD"},
        {"currency": ""},
        {"amount_paise": None},
    ],
)
def test_a_word_with_another_amount_is_asked_about_and_not_believed(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser, changes: dict[str, Any]
) -> None:
    order_id = new_order_id()
    shop.open_page(browser, order_id)
    say(gateway, sender, json.dumps(word(reference_of(shop, order_id), **changes)).encode())
    until(lambda: shop.attempts(order_id)[0]["inquiries"] > 0, "the bank to be asked")
    assert shop.postings(order_id) == []
    assert shop.attempts(order_id)[0]["state"] in {"offered", "pending"}
    assert shop.verify(order_id).status_code == 211


def genuine(shop: Shop, order_id: str) -> bytes:
    """Return what the bank has said about an order's payment, once more."""
    paid = shop.attempts(order_id)[-1]
    return json.dumps(
        word(reference_of(shop, order_id), rrn=paid["rrn"], payer_vpa=paid["payer_vpa"])
    ).encode()


def test_a_replayed_word_counts_once_however_often_and_at_once(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    scan(gateway, shop.open_page(browser, order_id).upi_link)
    shop.endpoint.hears(shop.merchant, order_id)
    before = state_of(shop, order_id)
    body = genuine(shop, order_id)
    with ThreadPoolExecutor(8) as crowd:
        answers = list(crowd.map(lambda _: say(gateway, sender, body).status_code, range(16)))
    assert answers == [204] * 16
    # A "no" that arrives late, or another "yes" of another event, does not undo or double a yes.
    for late in (
        {"status": "declined", "code": "ZA"},
        {"status": "pending", "code": "01"},
        {"rrn": "632400000001"},
    ):
        assert (
            say(
                gateway, sender, json.dumps(word(reference_of(shop, order_id), **late)).encode()
            ).status_code
            == 204
        )
    assert state_of(shop, order_id) == before
    assert before[3] == PAID_POSTING
    assert len(shop.endpoint.about(shop.merchant, order_id)) == 1


def test_a_word_cannot_be_turned_to_another_order(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser
) -> None:
    paid, other = new_order_id(), new_order_id()
    scan(gateway, shop.open_page(browser, paid).upi_link)
    shop.becomes(paid, 200)
    shop.open_page(browser, other)
    body = genuine(shop, paid)
    header = signature(gateway.acquirer_key, body, time.time())
    turned = body.replace(reference_of(shop, paid).encode(), reference_of(shop, other).encode())
    assert say(gateway, sender, turned, header).status_code == 401
    assert shop.verify(other).status_code == 211
    assert shop.postings(other) == []


def test_that_a_customer_confirmed_is_asked_of_the_network_and_of_nobody_else(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    challenge = enter_card(browser, shop.open_page(browser, order_id))
    reference = reference_of(shop, order_id)
    claims = (
        {
            "kind": "authentication",
            "status": "authenticated",
            "trans_status": "Y",
            "method": "card",
        },
        {"status": "authenticated"},
    )
    for claim in claims:
        assert (
            say(gateway, sender, json.dumps(word(reference, **claim)).encode()).status_code == 204
        )
    assert shop.attempts(order_id)[-1]["state"] == "authenticating"
    assert shop.bank_debits(order_id) == []
    assert settled(browser, enter_otp(browser, challenge)).at == "result"
    assert (shop.postings(order_id), shop.bank_debits(order_id)) == (
        PAID_POSTING,
        [(AMOUNT_PAISE, "done")],
    )


def test_less_paid_through_a_bent_link_is_owed_back_and_the_order_stays_open(
    gateway: RunningGateway, shop: Shop, browser: Browser
) -> None:
    """A customer's app pays what the link says.

    Whoever bends the link pays the wrong amount, which buys nothing.
    """
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id)
    bent = screen.upi_link.replace("am=1499.50", "am=1.00")
    assert scan(gateway, bent)["status"] == "success"
    # Its refund begins by itself, and may be told in the same moment.
    told = shop.hears_event(order_id, "excess_payment").transaction
    assert (told.status_code, told.amount_paise, told.is_paid) == (211, 100, False)
    assert shop.postings(order_id) == [("overpaid", "receivable:sandbox", "owed_back", 100)]
    assert shop.verify(order_id).status_code == 211
    assert gateway.audit()["notes"]["owed_back"] >= 1
    # The order can still be paid in full, by a new QR or by card.
    paid = pay_card(browser, browser.get(screen.url))
    assert paid.at == "result"
    assert sorted(shop.postings(order_id)) == sorted(
        [("overpaid", "receivable:sandbox", "owed_back", 100), *PAID_POSTING]
    )
    assert shop.verify(order_id).is_paid
    shop.hears_event(order_id, "excess_refunded")
    assert (100, "done") in shop.bank_refunds(order_id)


def test_more_paid_through_a_bent_link_is_owed_back_whole(
    gateway: RunningGateway, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    scan(gateway, shop.open_page(browser, order_id).upi_link.replace("am=1499.50", "am=9999.00"))
    shop.hears_event(order_id, "excess_payment")
    assert shop.postings(order_id) == [("overpaid", "receivable:sandbox", "owed_back", 999_900)]
    assert not shop.verify(order_id).is_paid


def test_a_link_bent_to_another_payee_reaches_nobody(
    gateway: RunningGateway, shop: Shop, rival: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    link = shop.open_page(browser, order_id).upi_link
    ours, theirs = f"m{shop.merchant.merchant_id}@simbank", f"m{rival.merchant.merchant_id}@simbank"
    for bent in (
        link.replace(ours, theirs),
        link.replace("cu=INR", "cu=USD"),
        link.replace("am=1499.50", "am=-1"),
    ):
        answer = gateway.bank.post("/upi/pay", json={"uri": bent, "payer_vpa": "success@hundi"})
        assert answer.status_code == 400, answer.text
    assert shop.verify(order_id).status_code == 211
    assert shop.bank_debits(order_id) == []


@pytest.mark.parametrize(
    ("mandate", "status"),
    [("7-1", 204), ("no reference", 204), ("", 401)],
    ids=["nobody's", "malformed", "empty"],
)
def test_news_of_a_mandate_that_is_none_of_ours_changes_nothing(
    gateway: RunningGateway, sender: Sender, mandate: str, status: int
) -> None:
    body = json.dumps(
        {"kind": "mandate_changed", "event_id": "mandate_1", "mandate": mandate}
    ).encode()
    assert say(gateway, sender, body).status_code == status
    assert say(gateway, sender, body, "").status_code == 401
