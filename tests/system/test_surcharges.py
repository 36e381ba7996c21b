"""Surcharges through the running gateway.

The page, the bank, the record in all its forms, refunds and both books.
"""

from collections.abc import Iterator

import pytest

from hundi.sdk import RefundItem
from tests.system.bank_redirects import NB, WALLET, go, pay_there
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import (
    AMOUNT_PAISE,
    CARD,
    PAID_POSTING,
    VISA,
    Shop,
    enter_otp,
    new_order_id,
    settled,
)

pytestmark = pytest.mark.usefixtures("books_hold")
FEE_PAISE = 10_00 + 22_49
"""₹10.00 and 1.5 per cent of ₹1,499.50."""
TOTAL_PAISE = AMOUNT_PAISE + FEE_PAISE


def known(shop: Shop, words: str) -> None:
    """Wait until pages of new orders show a rule that was just set."""
    with Browser() as other:
        until(lambda: words in shop.open_page(other, new_order_id()).text, f"a page with {words}")


@pytest.fixture(scope="module")
def dear(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant that surcharges net banking and bank transfers."""
    for shop in open_shop(gateway, server, "dear", channels="nb_ppc_va_pg_upi"):
        number = shop.merchant.merchant_id
        shown = gateway.operate(
            "merchant", "surcharge", number, "nb", "--flat-paise", "1000", "--basis-points", "150"
        )
        assert shown["surcharges"] == {"nb": {"flat_paise": 1000, "basis_points": 150}}
        gateway.operate(
            "merchant", "surcharge", number, "va", "--basis-points", "500", "--cap-paise", "2500"
        )
        known(shop, "fee of ₹25.00")
        yield shop


def test_the_fee_stands_beside_its_method_and_in_its_total(dear: Shop, browser: Browser) -> None:
    shown = dear.open_page(browser, new_order_id()).text
    assert shown.count("The dear adds a fee of ₹32.49 here: you pay ₹1,531.99 in all.") == 1
    assert shown.count("The dear adds a fee of ₹25.00 here: you pay ₹1,524.50 in all.") == 1
    assert shown.count("adds a fee") == 2
    assert "Pay ₹1,531.99 at your bank" in shown
    assert "Pay ₹1,499.50 from your wallet" in shown
    assert (
        shown.index("Pay ₹1,531.99 at your bank")
        < shown.index("fee of ₹32.49")
        < shown.index("prepaid wallet")
    )


def test_a_surcharged_payment_is_told_apart_in_every_form(dear: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    at_bank = go(browser, dear.open_page(browser, order_id), NB)
    assert dear.verify(order_id).surcharge_paise == 0
    after = settled(browser, pay_there(browser, at_bank, NB))
    assert "₹32.49 of it is the fee that The dear adds for this way to pay." in after.text
    told = dear.verify(order_id)
    assert (told.status_code, told.amount_paise, told.surcharge_paise) == (
        200,
        AMOUNT_PAISE,
        FEE_PAISE,
    )
    assert dear.hears_event(order_id, "paid").transaction == told
    assert dear.come_back(after, order_id).transaction == told
    assert dear.postings(order_id) == [(*PAID_POSTING[0][:3], TOTAL_PAISE)]
    assert dear.bank_debits(order_id) == [(TOTAL_PAISE, "done")]


def test_a_refund_gives_back_the_order_and_keeps_the_fee(dear: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    settled(browser, pay_there(browser, go(browser, dear.open_page(browser, order_id), NB), NB))
    dear.client.refund(
        [RefundItem(dear.verify(order_id).transaction_id, None)], request_id=new_order_id("R")
    )
    told = dear.hears_event(order_id, "refund_done").transaction
    assert (told.amount_paise, told.surcharge_paise) == (AMOUNT_PAISE, FEE_PAISE)
    after = dear.verify(order_id)
    assert (after.detailed_status, after.transaction_type, after.refunded_paise) == (
        "REFUNDED",
        340,
        AMOUNT_PAISE,
    )
    assert dear.bank_refunds(order_id) == [(AMOUNT_PAISE, "done")]


def test_the_account_number_of_an_order_waits_for_the_total(dear: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    shown = browser.submit(dear.open_page(browser, order_id).form("/account"))
    assert "Send a transfer of exactly ₹1,524.50 to this account." in shown.text
    form = browser.get(shown.link("/transfers?"))
    short = browser.submit(form.forms[0], mode="IMPS", amount="1499.50")
    assert "Transfer sent" in short.text
    excess = dear.hears_event(order_id, "excess_payment").transaction
    assert (excess.amount_paise, excess.surcharge_paise) == (AMOUNT_PAISE, 0)
    browser.submit(form.forms[0], mode="IMPS")
    told = dear.becomes(order_id, 200)
    assert (told.amount_paise, told.surcharge_paise) == (AMOUNT_PAISE, 25_00)


def test_what_is_paid_twice_goes_back_with_its_fee(dear: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = dear.open_page(browser, order_id)
    at_bank = go(browser, screen, NB)
    choosing = browser.get(browser.get(screen.url).link("?choose=1"))
    paid = browser.submit(choosing.form("/card"), number=VISA, **CARD)
    assert settled(browser, enter_otp(browser, paid)).at == "result"
    pay_there(browser, at_bank, NB)
    told = dear.hears_event(order_id, "excess_refunded").transaction
    assert told.amount_paise == TOTAL_PAISE
    good = dear.verify(order_id)
    assert (good.channel, good.surcharge_paise) == ("pg", 0)
    assert dear.bank_refunds(order_id) == [(TOTAL_PAISE, "done")]


def test_ways_without_a_rule_cost_the_order_alone(dear: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    settled(
        browser, pay_there(browser, go(browser, dear.open_page(browser, order_id), WALLET), WALLET)
    )
    assert dear.verify(order_id).surcharge_paise == 0
    assert dear.postings(order_id) == PAID_POSTING


@pytest.mark.parametrize("channel", ["upi", "btqr", "pg", "pgcc", "pgdc", "emi"])
def test_the_operator_cannot_surcharge_cards_and_upi(
    gateway: RunningGateway, dear: Shop, channel: str
) -> None:
    ended = gateway.invoke(
        "merchant", "surcharge", dear.merchant.merchant_id, channel, "--flat-paise", "100"
    )
    assert ended.exit_code != 0
    assert "prohibited in India" in " ".join(ended.stderr.split())


def test_a_removed_rule_is_gone_for_orders_that_come_after_it(
    gateway: RunningGateway, server: MerchantServer, browser: Browser
) -> None:
    for shop in open_shop(gateway, server, "fair", channels="nb"):
        number = shop.merchant.merchant_id
        gateway.operate("merchant", "surcharge", number, "nb", "--flat-paise", "500")
        known(shop, "fee of ₹5.00")
        order_id = new_order_id()
        screen = shop.open_page(browser, order_id)
        assert (
            gateway.operate("merchant", "surcharge", number, "nb", "--remove")["surcharges"] == {}
        )
        assert "adds a fee of ₹5.00" in browser.get(screen.url).text
        settled(browser, pay_there(browser, go(browser, screen, NB), NB))
        assert shop.verify(order_id).surcharge_paise == 500
