"""Payments that a merchant's server begins itself.

Every way to pay, who may, and what is refused.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from hundi.sdk import Card, DirectPayment, Order
from hundi.sdk.errors import OrderRefusedError
from tests.system.bank_redirects import NB, WALLET, pay_there
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Reply, Sender, order, v4
from tests.system.running import RunningGateway, until
from tests.system.shop import (
    AMOUNT_PAISE,
    ASHA,
    PAID_POSTING,
    Shop,
    enter_otp,
    new_order_id,
    scan,
    settled,
)

pytestmark = pytest.mark.usefixtures("books_hold")
VISA, DECLINED = "4111111111111111", "4000000000000002"
TYPED = {"card_expiry": "12/40", "card_cvv": "123", "card_holder": "ASHA RAO"}
PHONE = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36"
)


@pytest.fixture(scope="module")
def direct(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant with a payment page of its own, certified to hold cards."""
    for shop in open_shop(
        gateway, server, "direct", channels="upi_pg_nb_ppc_payltr", upi_collect="on"
    ):
        set_to = gateway.operate(
            "merchant", "seamless", shop.merchant.merchant_id, "on", "--cards", "on"
        )
        assert (set_to["seamless"], set_to["seamless_cards"]) == (True, True)
        gateway.operate(
            "merchant", "surcharge", shop.merchant.merchant_id, "ppc", "--flat-paise", "500"
        )
        with Browser() as other:
            until(
                lambda: "adds a fee" in shop.open_page(other, new_order_id()).text,
                "the settings to be known",
            )
        yield shop


@pytest.fixture(scope="module")
def uncertified(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant whose server may begin payments, but never sees a card."""
    for shop in open_shop(gateway, server, "uncertified", channels="upi_pg_nb"):
        gateway.operate("merchant", "seamless", shop.merchant.merchant_id, "on")
        yield shop


def ask(sender: Sender, shop: Shop, pay_by: str, order_id: str = "", **more: Any) -> Reply:
    message = order(order_id or new_order_id()) | {"pay_by": pay_by} | more
    return sender.ask("seamless", shop.merchant, message, checksum=v4(message))


def begun(reply: Reply) -> dict[str, Any]:
    assert (reply.code, reply.envelope["status"]) == ("00", "success"), reply.envelope
    return reply.envelope["data"]


def test_a_card_is_authenticated_and_paid(direct: Shop, sender: Sender, browser: Browser) -> None:
    order_id = new_order_id()
    data = begun(ask(sender, direct, "pg", order_id, card_number="4111 1111 1111 1111", **TYPED))
    assert (data["next_action"], data["orderid"], data["transaction_status"]) == (
        "redirect",
        order_id,
        211,
    )
    assert (data["amount"], data["payable_amount"], data["surcharge_amount"]) == (
        "1499.50",
        "1499.50",
        "0.00",
    )
    assert data["redirect_url"].startswith(f"{direct.gateway.simbank_url}/3ds/")
    after = settled(browser, enter_otp(browser, browser.get(data["redirect_url"])))
    assert after.at == "result"
    told = direct.verify(order_id)
    assert (told.status_code, told.channel, told.card_number) == (200, "pg", "XXXXXXXXXXXX1111")
    assert direct.hears_event(order_id, "paid").transaction == told
    assert direct.come_back(after, order_id).transaction == told
    assert direct.postings(order_id) == PAID_POSTING


@pytest.mark.parametrize(("pay_by", "way", "bank"), [("nb", NB, "HDFC"), ("ppc", WALLET, "MOBK")])
def test_a_bank_or_wallet_is_paid_at_its_own_page(
    direct: Shop, sender: Sender, browser: Browser, pay_by: str, way: str, bank: str
) -> None:
    order_id = new_order_id()
    data = begun(ask(sender, direct, pay_by, order_id, bank_code=bank))
    fee = "5.00" if pay_by == "ppc" else "0.00"
    assert (data["next_action"], data["surcharge_amount"]) == ("redirect", fee)
    assert (
        settled(browser, pay_there(browser, browser.get(data["redirect_url"]), way)).at == "result"
    )
    assert (direct.verify(order_id).channel, direct.verify(order_id).status_code) == (pay_by, 200)


def test_the_sdk_begins_and_says_what_comes_next(direct: Shop, browser: Browser) -> None:
    ours = Order(order_id=new_order_id(), amount_paise=AMOUNT_PAISE, buyer=ASHA)
    card = Card(number=VISA, expiry="12/40", cvv="123", holder="ASHA RAO")
    step = direct.client.begin_payment(DirectPayment(order=ours, pay_by="pg", card=card))
    assert (step.action, step.payable_paise, step.surcharge_paise) == ("redirect", AMOUNT_PAISE, 0)
    assert settled(browser, enter_otp(browser, browser.get(step.redirect_url))).at == "result"
    assert direct.verify(ours.order_id).transaction_id == step.transaction_id
    with pytest.raises(OrderRefusedError):
        direct.client.begin_payment(DirectPayment(order=ours, pay_by="nb", bank_code="HDFC"))


def test_a_upi_link_is_opened_and_paid(
    gateway: RunningGateway, direct: Shop, sender: Sender
) -> None:
    order_id = new_order_id()
    data = begun(
        ask(sender, direct, "upi", order_id, customer_ip="203.0.113.7", customer_agent=PHONE)
    )
    assert data["next_action"] == "upi_link"
    assert data["upi_link"].startswith("upi://pay?")
    again = begun(ask(sender, direct, "upi", order_id))
    assert again["upi_link"] == data["upi_link"], "the same order has the same link"
    scan(gateway, data["upi_link"])
    assert direct.becomes(order_id, 200).channel == "upi"
    paid = ask(sender, direct, "upi", order_id)
    assert paid.code == "112"


def test_a_request_to_a_upi_address_waits_for_the_customer(direct: Shop, sender: Sender) -> None:
    order_id = new_order_id()
    data = begun(ask(sender, direct, "upi", order_id, vpa="Success@hundi", customer_agent=PHONE))
    assert (data["next_action"], data["upi_link"], data["redirect_url"]) == ("wait", "", "")
    second = ask(sender, direct, "upi", order_id, vpa="success@hundi", customer_agent=PHONE)
    assert second.code in {"120", "112"}, "one request at a time"
    told = direct.becomes(order_id, 200)
    assert (told.customer_vpa, direct.bank_debits(order_id)) == (
        "success@hundi",
        [(AMOUNT_PAISE, "done")],
    )


def test_where_the_network_allows_no_request_the_link_is_named(
    direct: Shop, sender: Sender
) -> None:
    refused = ask(sender, direct, "upi", vpa="success@hundi")
    assert (refused.code, "vpa was" in refused.envelope["message"]) == ("113", True)


def test_a_declined_card_may_be_followed_by_another_way(
    direct: Shop, sender: Sender, browser: Browser
) -> None:
    order_id = new_order_id()
    data = begun(ask(sender, direct, "pg", order_id, card_number=DECLINED, **TYPED))
    back = settled(browser, enter_otp(browser, browser.get(data["redirect_url"])))
    assert back.at == "choose"
    assert direct.declined(order_id, "05").card_number.endswith("0002")
    other = begun(ask(sender, direct, "nb", order_id, bank_code="HDFC"))
    assert (
        settled(browser, pay_there(browser, browser.get(other["redirect_url"]), NB)).at == "result"
    )
    assert direct.postings(order_id) == PAID_POSTING


def test_an_authorisation_is_held_and_captured(
    direct: Shop, sender: Sender, browser: Browser
) -> None:
    order_id = new_order_id()
    data = begun(ask(sender, direct, "pg", order_id, card_number=VISA, txnsubtype="1", **TYPED))
    settled(browser, enter_otp(browser, browser.get(data["redirect_url"])))
    held = direct.verify(order_id)
    assert held.payment_status == "AUTHORIZE"
    assert direct.client.capture(held.transaction_id).payment_status == "CAPTURE"


def test_who_is_not_enabled_is_refused(shop: Shop, uncertified: Shop, sender: Sender) -> None:
    refused = ask(sender, shop, "upi")
    assert (refused.code, "operator has not enabled" in refused.envelope["message"]) == (
        "113",
        True,
    )
    assert VISA not in ask(sender, shop, VISA).text
    cards = until(
        lambda: (
            (said := ask(sender, uncertified, "pg", card_number=VISA, **TYPED)).code == "113"
            and said
        ),
        "a refusal",
    )
    assert "PCI DSS" in cards.envelope["message"]
    assert VISA not in str(cards.envelope)
    assert begun(ask(sender, uncertified, "nb", bank_code="HDFC"))["next_action"] == "redirect"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"pay_by": ""}, "pay_by"),
        ({"pay_by": "va"}, "pay_by"),
        ({"pay_by": "nb"}, "bank_code"),
        ({"pay_by": "nb", "bank_code": "XXXX"}, "bank_code"),
        ({"pay_by": "nb", "bank_code": "HDFC", "chmod": "upi_pg"}, "pay_by"),
        ({"pay_by": "pg"}, "card_number"),
        ({"pay_by": "pg", "card_number": "4111111111111112", **TYPED}, "card_number"),
        ({"pay_by": "pg", "card_number": VISA, **TYPED, "card_expiry": "01/20"}, "card_expiry"),
        ({"pay_by": "pg", "card_number": VISA, **TYPED, "card_cvv": "12"}, "card_cvv"),
        ({"pay_by": "pg", "card_number": VISA, **TYPED, "card_holder": "x" * 41}, "card_holder"),
        ({"pay_by": "upi", "customer_ip": "300.1.1.1"}, "customer_ip"),
        (
            {"pay_by": "upi", "txnsubtype": "12", "sb_period": "A", "sb_amount": "10.00"},
            "txnsubtype",
        ),
        ({"pay_by": "upi", "amount": "0"}, "amount"),
    ],
)
def test_bad_input_names_its_field_and_shows_no_card(
    direct: Shop, sender: Sender, changes: dict[str, str], field: str
) -> None:
    message = order(new_order_id()) | changes
    refused = sender.ask("seamless", direct.merchant, message, checksum=v4(message))
    assert refused.code in {"110", "113"}
    assert f"; {field} " in refused.envelope["message"]
    for secret in (VISA, "4111111111111112"):
        assert secret not in str(refused.envelope)


def test_a_checksum_is_demanded_and_a_page_message_begins_nothing(
    direct: Shop, sender: Sender
) -> None:
    message = order(new_order_id()) | {"pay_by": "upi"}
    assert sender.ask("seamless", direct.merchant, message, checksum=None).code == "103"
    page = order(new_order_id())
    assert sender.ask("seamless", direct.merchant, page, checksum=v4(page)).code == "110"


def test_a_customer_who_comes_back_sees_the_orders_page(
    direct: Shop, sender: Sender, browser: Browser
) -> None:
    data = begun(ask(sender, direct, "nb", bank_code="HDFC"))
    at_bank = browser.get(data["redirect_url"])
    (form,) = at_bank.forms
    back: Screen = settled(browser, browser.submit(form, act="cancel"))
    assert back.path.startswith("/pay/v4/s/")
    assert back.at == "choose"
