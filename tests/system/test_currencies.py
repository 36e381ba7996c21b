"""Orders in other currencies than the rupee, by card.

The page, the bank, the record, refunds and both books.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from hundi.kernel.money import Money, in_rupees
from hundi.sdk import Callbacks, Order, RefundItem, Split, Transaction
from hundi.sdk.errors import NotEnabledError
from hundi_testbed.bank import rates
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import ASHA, Shop, enter_card, enter_otp, new_order_id, pay_card, settled

pytestmark = pytest.mark.usefixtures("books_hold")
MINOR = 1_234_57
ABROAD = ["USD", "EUR", "GBP", "AED", "SGD"]
SILENT = "4000000000000119"


@pytest.fixture(scope="module")
def abroad(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant that sells abroad, with every channel."""
    for shop in open_shop(
        gateway, server, "abroad", channels="upi_nb_va_emi_pg", multiple_partial_refunds="on"
    ):
        set_to = gateway.operate(
            "merchant", "currencies", shop.merchant.merchant_id, "INR", *ABROAD
        )
        assert set_to["currencies"] == ["INR", *ABROAD]
        with Browser() as other:
            until(lambda: _opens(shop, other), "the currencies to be known")
        yield shop


def _opens(shop: Shop, browser: Browser) -> bool:
    form = shop.client.payment_form(_order("SGD", new_order_id()))
    return browser.post(form.action_url, form.fields).at == "choose"


def _order(currency: str, order_id: str) -> Order:
    return Order(order_id=order_id, amount_paise=MINOR, currency=currency, buyer=ASHA)


def open_page(shop: Shop, browser: Browser, currency: str, order_id: str) -> Screen:
    return shop.open_page(browser, order_id, MINOR, currency=currency)


def verified(shop: Shop, order_id: str, currency: str) -> Transaction:
    return shop.client.verify(order_id=order_id, amount_paise=MINOR, currency=currency)


def rate_today(currency: str) -> int:
    return rates.rate_micros(currency, datetime.now(UTC))


@pytest.mark.parametrize("currency", ABROAD)
def test_a_card_is_charged_in_the_orders_currency_and_paid_out_in_rupees(
    abroad: Shop, browser: Browser, currency: str
) -> None:
    order_id = new_order_id()
    screen = open_page(abroad, browser, currency, order_id)
    assert screen.text.count(f"{currency} 1,234.57") >= 2
    assert "₹" not in screen.text
    assert [each for each in ("/qr", "/bank", "/account", "/emi") if screen.offers(each)] == []
    after = settled(browser, pay_card(browser, screen))
    assert f"You have paid {currency} 1,234.57" in after.text
    told = verified(abroad, order_id, currency)
    paise = in_rupees(Money(MINOR, currency), rate_today(currency)).paise
    assert (told.status_code, told.iso_currency, told.amount_paise) == (200, currency, MINOR)
    assert (told.inr_paise, told.inr_rate) == (paise, f"{rate_today(currency) / 1_000_000:.6f}")
    assert abroad.hears_event(order_id, "paid").transaction == told
    (form,) = after.forms
    callbacks = Callbacks(abroad.merchant.credentials)
    back = callbacks.read_return(
        form.fields, order_id=order_id, amount_paise=MINOR, currency=currency
    )
    assert back.transaction == told
    assert abroad.postings(order_id) == [("payment", "receivable:sandbox", "payable", paise)]
    (entry,) = abroad.gateway.bank_entries(reference(abroad, order_id))
    assert (entry["amount_paise"], entry["currency"], entry["settled_paise"]) == (
        MINOR,
        currency,
        paise,
    )


def reference(shop: Shop, order_id: str) -> str:
    (attempt,) = shop.attempts(order_id)
    return f"{attempt['merchant_id']}-{attempt['attempt_id']}"


def test_parts_are_refunded_in_the_orders_currency_and_come_to_all_rupees(
    abroad: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    settled(browser, pay_card(browser, open_page(abroad, browser, "USD", order_id)))
    named = verified(abroad, order_id, "USD").transaction_id
    for number, part in enumerate((1, 333_33, 7, None)):
        (answer,) = abroad.client.refund([RefundItem(named, part)], request_id=new_order_id("R"))
        assert answer.accepted, answer.message
        until(
            lambda done=number + 1: len(abroad.bank_refunds(order_id)) == done,
            "the refund to be done",
        )
    entries = [
        each
        for each in abroad.gateway.bank_entries(reference(abroad, order_id))
        if each["kind"] == "refund"
    ]
    paise = in_rupees(Money(MINOR, "USD"), rate_today("USD")).paise
    assert sum(each["amount_paise"] for each in entries) == MINOR
    assert sum(each["settled_paise"] for each in entries) == paise
    until(lambda: verified(abroad, order_id, "USD").refunded_paise == MINOR, "all to be refunded")
    told = abroad.hears_event(order_id, "refund_done").transaction
    assert (told.iso_currency, told.amount_paise, told.inr_paise) == (
        "USD",
        1,
        entries[0]["settled_paise"],
    )
    assert verified(abroad, order_id, "USD").detailed_status == "REFUNDED"


def test_a_silent_charge_is_asked_about_and_keeps_the_rate_of_its_day(
    abroad: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    with abroad.gateway.undecided():
        challenge = enter_card(browser, open_page(abroad, browser, "GBP", order_id), SILENT)
        assert enter_otp(browser, challenge).at == "waiting"
    told = until(
        lambda: (seen := verified(abroad, order_id, "GBP")).status_code == 200 and seen,
        "the bank to say",
    )
    assert told.inr_paise == in_rupees(Money(MINOR, "GBP"), rate_today("GBP")).paise


def test_what_is_for_rupees_alone_is_refused_113(
    abroad: Shop, sender: Sender, browser: Browser
) -> None:
    order_id = new_order_id()
    settled(browser, pay_card(browser, open_page(abroad, browser, "USD", order_id)))
    paid = verified(abroad, order_id, "USD")
    shares = {"WEAVER": 5_000}
    asked = Split(
        transaction_id=paid.transaction_id,
        rrn=paid.rrn,
        request_id="7310",
        primary=5_000,
        shares=shares,
    )
    with pytest.raises(NotEnabledError, match="currency_code was 'USD'; allowed: INR"):
        abroad.client.split(asked)
    qr = {
        "orderid": new_order_id(),
        "amount": "10.00",
        "currency_code": "840",
        "iso_currency": "USD",
    }
    refused = sender.ask("generateorder", abroad.merchant, qr)
    assert (refused.code, "currency_code" in refused.envelope["message"]) == ("113", True)


@pytest.mark.parametrize("currency", ["USD", "EUR"])
def test_who_is_not_enabled_is_refused_with_the_field(
    shop: Shop, browser: Browser, currency: str
) -> None:
    form = shop.client.payment_form(_order(currency, new_order_id()))
    refused = browser.post(form.action_url, form.fields)
    told = shop.refusal_of(refused)
    assert ("113" in refused.text, f"currency_code was '{currency}'" in told) == (True, True)


def test_a_currency_that_was_switched_off_is_not_charged_on_an_open_page(
    gateway: RunningGateway, server: MerchantServer, browser: Browser
) -> None:
    for shop in open_shop(gateway, server, "homeward", channels="pg"):
        number, order_id = shop.merchant.merchant_id, new_order_id()
        gateway.operate("merchant", "currencies", number, "INR", "SGD")
        until(lambda: _opens(shop, browser), "the currency to be known")
        screen = open_page(shop, browser, "SGD", order_id)
        gateway.operate("merchant", "currencies", number, "INR")
        until(lambda: not _opens(shop, browser), "the currency to be off")
        assert "This cannot be done at the moment" in pay_card(browser, screen).text
        assert (shop.attempts(order_id), shop.postings(order_id)) == ([], [])


def test_a_currency_that_nobody_has_cannot_be_enabled(
    gateway: RunningGateway, abroad: Shop
) -> None:
    ended = gateway.invoke("merchant", "currencies", abroad.merchant.merchant_id, "INR", "JPY")
    assert ended.exit_code != 0
    assert "INR USD EUR GBP AED SGD" in " ".join(ended.stderr.split())
