"""Payments at an acquirer that decides without us.

Its UPI links, its page, cards in one step, webhooks that say when to ask.
"""

import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.conftest import NewFolder
from tests.system.bank_redirects import NB, go, pay_there
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender, order, v4
from tests.system.running import RunningGateway, until
from tests.system.shop import (
    AMOUNT_PAISE,
    PAID_POSTING,
    VISA,
    Shop,
    enter_otp,
    new_order_id,
    scan,
    settled,
)

DECLINED = "4000000000000002"
TYPED = {"expiry": "12/40", "cvv": "123", "holder": "ASHA RAO"}


@pytest.fixture(scope="module")
def face(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway whose acquirer is an aggregator with a page of its own."""
    with RunningGateway(new_folder("aggregator"), HUNDI_SIMBANK_FACE="aggregator") as running:
        yield running
        running.audit()


@pytest.fixture(scope="module")
def mall(face: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant of that gateway."""
    for shop in open_shop(face, server, "mall", channels="upi_pg_nb_ppc"):
        face.operate("merchant", "seamless", shop.merchant.merchant_id, "on")
        yield shop


def ask_for_link(browser: Browser, screen: Screen) -> Screen:
    """Open the row of UPI, as its script or a press does."""
    return browser.submit(screen.form("/qr"))


def at_acquirer(browser: Browser, screen: Screen) -> Screen:
    """Choose cards, and go on to the acquirer's page with the form that ours posts."""
    onward = browser.submit(screen.form("/card"))
    return browser.submit(onward.form("/aggregator/checkout"))


def type_card(browser: Browser, page: Screen, number: str = VISA) -> Screen:
    (form,) = page.forms
    return browser.submit(form, act="pay", number=number, **TYPED)


@pytest.fixture
def faults(face: RunningGateway) -> Iterator[Any]:
    """Injects faults into the acquirer's calls until the test is over."""
    yield face.inject_faults
    face.inject_faults()


def test_a_link_is_made_when_it_is_wanted_and_paid_once(
    face: RunningGateway, mall: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    screen = mall.first_screen(browser, order_id)
    assert mall.attempts(order_id) == [], "nobody asked the acquirer for anything"
    shown = ask_for_link(browser, screen)
    again = ask_for_link(browser, screen)
    assert shown.upi_link == again.upi_link, "one link is on show"
    assert [each["method"] for each in mall.attempts(order_id)] == ["upi_link"]
    scan(face, shown.upi_link, "decline@hundi")
    scan(face, shown.upi_link)
    assert mall.becomes(order_id, 200).channel == "upi"
    assert mall.postings(order_id) == PAID_POSTING
    assert [each["state"] for each in mall.attempts(order_id)] == ["paid"], (
        "a failed try ended nothing"
    )


def test_a_lost_link_is_followed_by_another_and_either_may_be_paid(
    face: RunningGateway, mall: Shop, browser: Browser, faults: Any
) -> None:
    order_id = new_order_id()
    screen = mall.first_screen(browser, order_id)
    faults(lose_reply=1.0)
    refused = ask_for_link(browser, screen)
    assert "cannot be done at the moment" in refused.text
    faults()
    shown = ask_for_link(browser, refused)
    assert [each["state"] for each in mall.attempts(order_id)] == ["offered", "offered"]
    scan(face, shown.upi_link)
    assert mall.becomes(order_id, 200).status_code == 200


@pytest.mark.parametrize("odd", ["409", "429", "garbage", "html", "truncated"])
def test_no_odd_answer_loses_a_payment(
    face: RunningGateway, mall: Shop, browser: Browser, faults: Any, odd: str
) -> None:
    order_id = new_order_id()
    screen = mall.first_screen(browser, order_id)
    faults(odd_answer=odd, odd_answers=1.0)
    assert "cannot be done at the moment" in ask_for_link(browser, screen).text
    faults()
    scan(face, ask_for_link(browser, screen).upi_link)
    assert mall.becomes(order_id, 200).status_code == 200


def test_a_card_is_typed_at_the_acquirers_page_and_may_be_tried_again(
    mall: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    screen = mall.first_screen(browser, order_id)
    assert not any("number" in each.fields for each in screen.forms), "no card is typed at ours"
    page = at_acquirer(browser, screen)
    refused = enter_otp(browser, type_card(browser, page, DECLINED))
    assert "/aggregator/checkout/" in refused.path
    after = settled(browser, enter_otp(browser, type_card(browser, refused)))
    assert after.at == "result"
    told = mall.verify(order_id)
    assert (told.status_code, told.channel, told.card_number) == (200, "pg", "XXXXXXXXXXXX1111")
    assert [(each["method"], each["state"]) for each in mall.attempts(order_id)] == [
        ("card_page", "paid")
    ]
    assert mall.postings(order_id) == PAID_POSTING


def test_who_leaves_the_acquirers_page_pays_another_way(
    face: RunningGateway, mall: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    page = at_acquirer(browser, mall.first_screen(browser, order_id))
    back = settled(browser, browser.submit(page.forms[0], act="cancel"))
    assert "No money has left your account" in back.text
    scan(face, ask_for_link(browser, back).upi_link)
    assert mall.becomes(order_id, 200).channel == "upi"


def test_a_bank_is_paid_at_its_own_page(mall: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    there = go(browser, mall.first_screen(browser, order_id), NB)
    assert settled(browser, pay_there(browser, there, NB)).at == "result"
    assert mall.verify(order_id).channel == "nb"


@pytest.mark.parametrize("ending", ["capture", "void"])
def test_a_hold_is_collected_or_given_back(mall: Shop, browser: Browser, ending: str) -> None:
    order_id = new_order_id()
    page = at_acquirer(browser, mall.first_screen(browser, order_id, authorise_only=True))
    assert settled(browser, enter_otp(browser, type_card(browser, page))).at == "result"
    held = mall.verify(order_id)
    assert held.payment_status == "AUTHORIZE"
    told = (mall.client.capture if ending == "capture" else mall.client.void)(held.transaction_id)
    assert told.payment_status == {"capture": "CAPTURE", "void": "VOIDED"}[ending]
    assert mall.bank_endings(order_id) == [(ending, AMOUNT_PAISE)]


def test_money_after_a_no_is_heard_of_by_webhook(
    face: RunningGateway, mall: Shop, browser: Browser, faults: Any
) -> None:
    order_id = new_order_id()
    page = at_acquirer(browser, mall.first_screen(browser, order_id))
    faults(late_success_s=3_600)
    refused = enter_otp(browser, type_card(browser, page, DECLINED))
    assert "/aggregator/checkout/" in refused.path
    left = settled(browser, browser.submit(refused.forms[0], act="cancel"))
    assert "No money has left your account" in left.text
    assert [each["state"] for each in mall.attempts(order_id)] == ["expired"]
    face.make_late_successes_due()
    assert mall.becomes(order_id, 200).status_code == 200


def signed(face: RunningGateway, body: bytes, key: str = "") -> dict[str, str]:
    at = int(time.time())
    digest = hmac.new(
        (key or face.acquirer_key).encode(), b"%d." % at + body, hashlib.sha256
    ).hexdigest()
    return {"simbank-signature": f"t={at},v1={digest}", "content-type": "application/json"}


def test_a_webhook_has_its_order_asked_about_and_proves_nothing(
    face: RunningGateway, mall: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    shown = ask_for_link(browser, mall.first_screen(browser, order_id))
    assert shown.upi_link
    (attempt,) = mall.attempts(order_id)
    reference = f"{mall.merchant.merchant_id}-{attempt['attempt_id']}"
    body = json.dumps(
        {"event_id": "evt_1", "reference": reference, "status": "paid", "amount_paise": 1}
    ).encode()
    with httpx.Client(base_url=face.base_url, trust_env=False) as http:
        sent = [
            http.post("/callbacks/sandbox", content=body, headers=signed(face, body)).status_code
            for _ in range(3)
        ]
        forged = http.post(
            "/callbacks/sandbox", content=body, headers=signed(face, body, "another key of 16+")
        )
        other = http.post(
            "/callbacks/sandbox", content=body.replace(b": ", b":"), headers=signed(face, body)
        )
    assert (sent, forged.status_code, other.status_code) == ([200] * 3, 401, 401)
    assert mall.verify(order_id).status_code == 211, "a webhook that says paid pays nothing"


def test_a_server_of_the_merchants_gets_the_link_or_is_told_of_the_page(
    face: RunningGateway, mall: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    message = order(order_id) | {"pay_by": "upi"}
    with httpx.Client(trust_env=False, timeout=30) as http:
        reply = Sender(face.base_url, http).ask(
            "seamless", mall.merchant, message, checksum=v4(message)
        )
    data = reply.envelope["data"]
    assert (data["next_action"], data["redirect_fields"]) == ("upi_link", {})
    scan(face, data["upi_link"])
    until(lambda: mall.verify(order_id).status_code == 200, "the link to be paid")
    assert mall.verify(order_id).amount_paise == AMOUNT_PAISE
