"""Every channel through the running gateway.

The page, the bank's own pages, verify, notifications and both books.
"""

import re
from collections.abc import Iterator

import pytest

from hundi.sdk import RefundItem
from tests.system.bank_redirects import LATER, NB, WALLET, act, go, pay_there
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import (
    AMOUNT_PAISE,
    CARD,
    PAID_POSTING,
    VISA,
    NotStartedError,
    Shop,
    enter_otp,
    new_order_id,
    scan,
    settled,
)

pytestmark = pytest.mark.usefixtures("books_hold")
CHMOD = {NB: "nb", WALLET: "ppc", LATER: "payltr"}
METHOD = {NB: "netbanking", WALLET: "wallet", LATER: "pay_later"}


@pytest.fixture(scope="module")
def bazaar(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant with every channel, in an order of its own."""
    yield from open_shop(gateway, server, "bazaar", channels="nb_ppc_payltr_emi_upi_btqr_pg")


@pytest.mark.parametrize("way", [NB, WALLET, LATER])
def test_a_customer_pays_at_a_banks_own_page(bazaar: Shop, browser: Browser, way: str) -> None:
    order_id = new_order_id()
    at_bank = go(browser, bazaar.open_page(browser, order_id), way)
    assert at_bank.url.startswith(f"{bazaar.gateway.simbank_url}/visits/")
    under_way = bazaar.verify(order_id)
    assert (under_way.status_code, under_way.payment_status, under_way.channel) == (
        211,
        "INPROCESS",
        CHMOD[way],
    )
    after = settled(browser, pay_there(browser, at_bank, way))
    assert after.at == "result"
    told = bazaar.verify(order_id)
    assert (told.status_code, told.payment_status, told.transaction_type) == (200, "SUCCESS", 320)
    assert (told.channel, told.card_number, told.customer_vpa) == (CHMOD[way], "", "")
    assert re.fullmatch(r"[0-9]{12}", told.rrn)
    assert bazaar.hears_event(order_id, "paid").transaction == told
    assert bazaar.come_back(after, order_id).transaction == told
    assert bazaar.postings(order_id) == PAID_POSTING
    (entry,) = bazaar.gateway.bank_entries(bazaar_reference(bazaar, order_id))
    assert (entry["kind"], entry["method"], entry["state"], entry["rrn"]) == (
        "debit",
        METHOD[way],
        "done",
        told.rrn,
    )


def bazaar_reference(shop: Shop, order_id: str) -> str:
    *_, attempt = [each for each in shop.attempts(order_id) if each["method"] != "upi_qr"]
    return f"{attempt['merchant_id']}-{attempt['attempt_id']}"


def test_a_companys_payment_needs_a_second_person(bazaar: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    prepared = pay_there(
        browser, go(browser, bazaar.open_page(browser, order_id), NB, "HDFC_C"), NB, "maker"
    )
    assert "second person" in prepared.text
    assert bazaar.verify(order_id).payment_status == "INPROCESS"
    assert settled(browser, act(browser, prepared, "pay")).at == "result"
    assert bazaar.postings(order_id) == PAID_POSTING


DECLINES = {
    "decline": ("ZA", "You declined the payment at your bank."),
    "insufficient": ("Z9", "There was not enough money in the account."),
    "expired": ("U69", "The payment request expired before it was approved."),
}


@pytest.mark.parametrize("way", [NB, WALLET, LATER])
@pytest.mark.parametrize("customer", DECLINES)
def test_a_refusal_returns_to_the_methods_with_its_reason_and_another_may_follow(
    bazaar: Shop, browser: Browser, way: str, customer: str
) -> None:
    code, words = DECLINES[customer]
    order_id = new_order_id()
    screen = bazaar.open_page(browser, order_id)
    back = settled(browser, pay_there(browser, go(browser, screen, way), way, customer))
    assert back.at == "choose"
    assert words in back.text
    assert "No money has left your account." in back.text
    assert bazaar.declined(order_id, code).channel == CHMOD[way]
    assert bazaar.postings(order_id) == []
    assert settled(browser, pay_there(browser, go(browser, back, NB), NB)).at == "result"
    assert bazaar.postings(order_id) == PAID_POSTING


@pytest.mark.parametrize("way", [NB, WALLET, LATER])
def test_a_customer_who_cancels_at_the_bank_has_paid_nothing(
    bazaar: Shop, browser: Browser, way: str
) -> None:
    order_id = new_order_id()
    back = settled(
        browser, act(browser, go(browser, bazaar.open_page(browser, order_id), way), "cancel")
    )
    assert back.at == "choose"
    assert bazaar.verify(order_id).status_code == 211
    told = bazaar.goes_back(browser, back, order_id)
    assert (told.status_code, told.payment_status) == (405, "FAIL")
    assert bazaar.bank_debits(order_id) == []


def test_what_a_bank_has_not_decided_is_learnt_later(bazaar: Shop, browser: Browser) -> None:
    orders = {}
    for way, customer in ((NB, "pending"), (NB, "silent"), (WALLET, "silent")):
        order_id = new_order_id()
        after = pay_there(
            browser, go(browser, bazaar.open_page(browser, order_id), way), way, customer
        )
        assert after.at == "waiting"
        told = bazaar.verify(order_id)
        assert (told.status_code, told.payment_status) == (211, "INPROCESS")
        orders[order_id] = customer
    for order_id in orders:
        assert bazaar.becomes(order_id, 200).payment_status == "SUCCESS"
        assert (bazaar.postings(order_id), bazaar.bank_debits(order_id)) == (
            PAID_POSTING,
            [(AMOUNT_PAISE, "done")],
        )


def test_a_visit_that_was_left_and_paid_all_the_same_is_given_back(
    bazaar: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    screen = bazaar.open_page(browser, order_id)
    at_bank = go(browser, screen, NB)
    waiting = browser.get(screen.url)
    assert waiting.at == "waiting"
    choosing = browser.get(waiting.link("?choose=1"))
    paid = browser.submit(choosing.form("/card"), number=VISA, **CARD)
    assert settled(browser, enter_otp(browser, paid)).at == "result"
    pay_there(browser, at_bank, NB)
    good = bazaar.verify(order_id)
    told = [
        bazaar.hears_event(order_id, each).transaction
        for each in ("excess_payment", "excess_refunded")
    ]
    assert [(each.status_code, each.channel, each.rrn == good.rrn) for each in told] == [
        (211, "nb", False)
    ] * 2
    assert bazaar.verify(order_id).channel == "pg"
    assert sorted(bazaar.bank_debits(order_id)) == [(AMOUNT_PAISE, "done")] * 2
    assert bazaar.bank_refunds(order_id) == [(AMOUNT_PAISE, "done")]


def test_a_bank_that_is_none_and_no_bank_at_all_come_back_with_the_reason(
    bazaar: Shop, browser: Browser
) -> None:
    screen = bazaar.open_page(browser, new_order_id())
    none_chosen = browser.submit(screen.form("/bank"), bank="")
    assert "Choose your bank." in none_chosen.text
    assert browser.submit(screen.form("/wallet"), bank="").text.count("Choose your wallet.") == 1
    unknown = browser.submit(screen.form("/bank"), bank="XXXX")
    assert (unknown.at, "No money has left your account." in unknown.text) == ("choose", True)


def test_a_net_banking_payment_is_refunded_to_where_it_came_from(
    bazaar: Shop, browser: Browser, sender: Sender
) -> None:
    order_id = new_order_id()
    settled(browser, pay_there(browser, go(browser, bazaar.open_page(browser, order_id), NB), NB))
    named = bazaar.verify(order_id).transaction_id
    bazaar.client.refund([RefundItem(named, 10_000)], request_id=new_order_id("R"))
    bazaar.hears_event(order_id, "refund_done")
    assert bazaar.bank_refunds(order_id) == [(10_000, "done")]


# --- Bharat QR ---


def test_a_bharat_qr_is_scanned_and_paid(
    gateway: RunningGateway, bazaar: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    screen = bazaar.open_page(browser, order_id, channels=("btqr",))
    text = screen.upi_link
    assert text.startswith("000201")
    scan(gateway, text)
    told = bazaar.becomes(order_id, 200)
    assert told.channel == "btqr"
    assert bazaar.postings(order_id) == PAID_POSTING


def test_both_dresses_of_a_qr_are_one_attempt(
    gateway: RunningGateway, bazaar: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    screen = bazaar.open_page(browser, order_id)
    pictures = re.findall(r'src="([^"]+/qr/b?[0-9]+\.svg)"', screen.html)
    assert len(pictures) == 2
    scan(gateway, screen.upi_link)
    bazaar.becomes(order_id, 200)
    again = browser.get(screen.url)
    assert again.at == "result"


# --- which, and in which order ---


def test_methods_stand_in_the_merchants_order_and_hidden_ones_do_not(
    bazaar: Shop, browser: Browser
) -> None:
    screen = bazaar.open_page(browser, new_order_id())
    rows = [
        screen.text.index(name)
        for name in ("Net banking", "Wallet", "Card EMI", "Any UPI app", "Bharat QR", "RuPay")
    ]
    assert rows == sorted(rows)


def test_hidden_methods_are_not_offered(
    gateway: RunningGateway, server: MerchantServer, browser: Browser
) -> None:
    for shop in open_shop(gateway, server, "few", channels="pg_nb"):
        screen = shop.open_page(browser, new_order_id())
        assert screen.text.index("RuPay") < screen.text.index("Net banking")
        assert not screen.offers("/upi/app")
        with pytest.raises(NotStartedError, match="no way to take a payment"):
            shop.open_page(browser, new_order_id(), channels=("ppc",))


def test_what_was_switched_off_is_not_begun_on_an_open_page(
    gateway: RunningGateway, server: MerchantServer, browser: Browser
) -> None:
    for shop in open_shop(gateway, server, "closing", channels="upi_nb"):
        order_id = new_order_id()
        screen = shop.open_page(browser, order_id)
        gateway.operate("merchant", "set", shop.merchant.merchant_id, "--channels", "upi")
        # The setting is known everywhere within seconds; what was begun before is paid on.
        refused = until(
            lambda: (said := go(browser, screen, NB)).path.startswith("/pay/v4/s/") and said,
            "the bank to be refused",
        )
        assert "This cannot be done at the moment" in refused.text
        scan(gateway, screen.upi_link)
        shop.becomes(order_id, 200)


LENDER_SAYS = {
    ("noteligible", AMOUNT_PAISE): ("L57", "The lender does not give credit for this payment."),
    ("asha", 60_000_00): ("L61", "This is above a limit of your account."),
}


@pytest.mark.parametrize(("customer", "paise"), LENDER_SAYS)
def test_a_lender_that_gives_no_credit_leaves_the_order_payable(
    bazaar: Shop, browser: Browser, customer: str, paise: int
) -> None:
    code, words = LENDER_SAYS[customer, paise]
    order_id = new_order_id()
    at_lender = go(browser, bazaar.open_page(browser, order_id, paise), LATER)
    back = settled(browser, pay_there(browser, at_lender, LATER, customer))
    assert (back.at, words in back.text) == ("choose", True)
    told = bazaar.verify(order_id, paise)
    assert (told.status_code, told.bank_code, told.channel) == (211, code, "payltr")
    assert bazaar.postings(order_id) == []


def test_a_lender_that_decides_later_is_asked(bazaar: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    after = pay_there(
        browser, go(browser, bazaar.open_page(browser, order_id), LATER), LATER, "checking"
    )
    assert (after.at, bazaar.verify(order_id).status_code) == ("waiting", 211)
    assert bazaar.becomes(order_id, 200).bank_name == "Mango Later (simulated)"
    assert bazaar.postings(order_id) == PAID_POSTING


def test_the_bank_list_names_the_lenders(bazaar: Shop) -> None:
    assert {each.code for each in bazaar.client.banks(("payltr",))} == {"MANG", "SAFF"}
