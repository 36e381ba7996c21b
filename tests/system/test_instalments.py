"""Cards in instalments through the running gateway.

Plans, what they cost whom, and who may not have them.
"""

import re
from collections.abc import Iterator

import pytest

from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway
from tests.system.shop import (
    CARD,
    PAID_POSTING,
    RUPAY,
    VISA,
    Shop,
    enter_otp,
    new_order_id,
    settled,
)

pytestmark = pytest.mark.usefixtures("books_hold")


@pytest.fixture(scope="module")
def bazaar(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant that lets customers pay in instalments."""
    yield from open_shop(gateway, server, "instalments", channels="upi_pg_emi")


def test_a_card_pays_in_the_instalments_that_were_chosen(bazaar: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = bazaar.open_page(browser, order_id)
    assert re.search(
        r"3 instalments of ₹499\.8[34] No cost to you: ₹1,499\.50 in all", screen.text
    ), screen.text
    challenge = browser.submit(screen.form("/emi"), plan="UTIB-6", number=VISA, **CARD)
    assert settled(browser, enter_otp(browser, challenge)).at == "result"
    told = bazaar.verify(order_id)
    assert (told.status_code, told.channel, told.card_number) == (200, "emi", "XXXXXXXXXXXX1111")
    *_, attempt = bazaar.attempts(order_id)
    assert (attempt["method"], attempt["bank"], attempt["emi_months"], attempt["emi_rate_bps"]) == (
        "card_emi",
        "UTIB",
        6,
        1450,
    )
    assert bazaar.postings(order_id) == PAID_POSTING, "the bank pays the whole amount at once"


def test_a_no_cost_plan_records_what_the_merchant_bears(bazaar: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = bazaar.open_page(browser, order_id)
    settled(
        browser,
        enter_otp(browser, browser.submit(screen.form("/emi"), plan="HDFC-3", number=VISA, **CARD)),
    )
    *_, attempt = bazaar.attempts(order_id)
    assert (attempt["state"], attempt["emi_months"], attempt["emi_discount_paise"] > 0) == (
        "paid",
        3,
        True,
    )


def test_an_order_for_so_many_instalments_offers_no_others(bazaar: Shop, browser: Browser) -> None:
    screen = bazaar.open_page(browser, new_order_id(), instalment_months=6)
    assert not screen.offers("/upi/app")
    assert "6 instalments of" in screen.text
    assert "3 instalments of" not in screen.text
    back = browser.submit(screen.form("/emi"), plan="HDFC-3", number=VISA, **CARD)
    assert "Choose your instalments." in back.text


@pytest.mark.parametrize("months", [3, 6, 9, 12, 18])
def test_an_order_is_paid_in_as_many_instalments_as_it_asks_for(
    bazaar: Shop, browser: Browser, months: int
) -> None:
    order_id = new_order_id()
    screen = bazaar.open_page(browser, order_id, amount_paise=250_000, instalment_months=months)
    challenge = browser.submit(screen.form("/emi"), plan=f"SBIN-{months}", number=VISA, **CARD)
    assert settled(browser, enter_otp(browser, challenge)).at == "result"
    assert bazaar.verify(order_id, 250_000).channel == "emi"
    assert [
        each["emi_months"] for each in bazaar.attempts(order_id) if each["state"] == "paid"
    ] == [months]


@pytest.mark.parametrize(("paise", "more"), [(99_999, {}), (199_999, {"instalment_months": 12})])
def test_instalments_have_a_smallest_amount(
    bazaar: Shop, browser: Browser, paise: int, more: dict[str, int]
) -> None:
    screen = bazaar.open_page(browser, new_order_id(), amount_paise=paise, **more)
    assert "cannot be paid in instalments" in screen.text if more else "/emi" not in screen.html


OF_HDFC, OF_SBI = "4000610000000008", "4000630000000006"


def test_a_bank_lends_to_its_own_cards(bazaar: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = bazaar.open_page(browser, order_id)
    back = browser.submit(screen.form("/emi"), plan="HDFC-6", number=OF_SBI, **CARD)
    assert back.at == "choose"
    assert "These instalments are for cards of another bank." in back.text
    assert bazaar.declined(order_id, "card_issuer").bank_name == "State Bank of India"
    assert bazaar.bank_debits(order_id) == []
    challenge = browser.submit(back.form("/emi"), plan="HDFC-6", number=OF_HDFC, **CARD)
    assert settled(browser, enter_otp(browser, challenge)).at == "result"
    assert bazaar.verify(order_id).bank_name == "HDFC Bank"


def test_a_debit_card_gives_no_credit(bazaar: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = bazaar.open_page(browser, order_id)
    back = browser.submit(screen.form("/emi"), plan="HDFC-6", number=RUPAY, **CARD)
    assert back.at == "choose"
    *_, attempt = bazaar.attempts(order_id)
    assert (attempt["state"], attempt["bank_code"]) == ("failed", "57")


def test_a_mistyped_card_comes_back_with_its_plan(bazaar: Shop, browser: Browser) -> None:
    screen = bazaar.open_page(browser, new_order_id())
    back = browser.submit(screen.form("/emi"), plan="HDFC-6", number="4111111111111112", **CARD)
    assert "This number has a typing error." in back.text
    assert 'value="HDFC-6" checked>' in back.html
