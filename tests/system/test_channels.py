"""Every channel through the running gateway: the page, the bank's own pages, verify, notifications and both books."""

import re
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest

from hundi.sdk import RefundItem
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import (
    AMOUNT_PAISE,
    CARD,
    PAID_POSTING,
    RUPAY,
    VISA,
    NotStartedError,
    Shop,
    enter_otp,
    new_order_id,
    scan,
    settled,
)

pytestmark = pytest.mark.usefixtures("books_hold")
NB, WALLET = "bank", "wallet"
HOUSE = {NB: "HDFC", WALLET: "MOBK"}
CHMOD = {NB: "nb", WALLET: "ppc"}
METHOD = {NB: "netbanking", WALLET: "wallet"}


@pytest.fixture(scope="module")
def bazaar(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant with every channel, in an order of its own."""
    yield from open_shop(gateway, server, "bazaar", channels="nb_ppc_emi_upi_btqr_pg")


def go(browser: Browser, screen: Screen, way: str, house: str = "") -> Screen:
    """Choose a bank or wallet and go to its page."""
    return browser.submit(screen.form(f"/{way}"), bank=house or HOUSE[way])


def act(browser: Browser, at_bank: Screen, pressed: str, **typed: str) -> Screen:
    (form,) = at_bank.forms
    return browser.submit(form, act=pressed, **typed)


def pay_there(browser: Browser, at_bank: Screen, way: str, customer: str = "asha") -> Screen:
    """Do what a customer does at the bank's or wallet's pages, and return where that leads."""
    if way == WALLET:
        return act(browser, at_bank, "pay", customer=customer)
    return act(browser, act(browser, at_bank, "log_in", customer=customer, password="x"), "pay")


@pytest.mark.parametrize("way", [NB, WALLET])
def test_a_customer_pays_at_a_banks_own_page(bazaar: Shop, browser: Browser, way: str) -> None:
    order_id = new_order_id()
    at_bank = go(browser, bazaar.open_page(browser, order_id), way)
    assert at_bank.url.startswith(f"{bazaar.gateway.simbank_url}/visits/")
    under_way = bazaar.verify(order_id)
    assert (under_way.status_code, under_way.payment_status, under_way.channel) == (211, "INPROCESS", CHMOD[way])
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
    assert (entry["kind"], entry["method"], entry["state"], entry["rrn"]) == ("debit", METHOD[way], "done", told.rrn)


def bazaar_reference(shop: Shop, order_id: str) -> str:
    *_, attempt = [each for each in shop.attempts(order_id) if each["method"] != "upi_qr"]
    return f"{attempt['merchant_id']}-{attempt['attempt_id']}"


def test_a_companys_payment_needs_a_second_person(bazaar: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    prepared = pay_there(browser, go(browser, bazaar.open_page(browser, order_id), NB, "HDFC_C"), NB, "maker")
    assert "second person" in prepared.text
    assert bazaar.verify(order_id).payment_status == "INPROCESS"
    assert settled(browser, act(browser, prepared, "pay")).at == "result"
    assert bazaar.postings(order_id) == PAID_POSTING


DECLINES = {
    "decline": ("ZA", "You declined the payment at your bank."),
    "insufficient": ("Z9", "There was not enough money in the account."),
    "expired": ("U69", "The payment request expired before it was approved."),
}


@pytest.mark.parametrize("way", [NB, WALLET])
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
    told = bazaar.verify(order_id)
    assert (told.status_code, told.payment_status, told.bank_code, told.channel) == (400, "FAIL", code, CHMOD[way])
    assert bazaar.hears_event(order_id, "failed").transaction == told
    assert bazaar.postings(order_id) == []
    assert settled(browser, pay_there(browser, go(browser, back, NB), NB)).at == "result"
    assert bazaar.postings(order_id) == PAID_POSTING


@pytest.mark.parametrize("way", [NB, WALLET])
def test_a_customer_who_cancels_at_the_bank_has_paid_nothing(bazaar: Shop, browser: Browser, way: str) -> None:
    order_id = new_order_id()
    back = settled(browser, act(browser, go(browser, bazaar.open_page(browser, order_id), way), "cancel"))
    assert back.at == "choose"
    told = bazaar.verify(order_id)
    assert (told.status_code, told.payment_status) == (405, "FAIL")
    assert bazaar.hears_event(order_id, "failed").transaction == told
    assert bazaar.bank_debits(order_id) == []


def test_what_a_bank_has_not_decided_is_learnt_later(bazaar: Shop, browser: Browser) -> None:
    orders = {}
    for way, customer in ((NB, "pending"), (NB, "silent"), (WALLET, "silent")):
        order_id = new_order_id()
        after = pay_there(browser, go(browser, bazaar.open_page(browser, order_id), way), way, customer)
        assert after.at == "waiting"
        told = bazaar.verify(order_id)
        assert (told.status_code, told.payment_status) == (211, "INPROCESS")
        orders[order_id] = customer
    for order_id in orders:
        assert bazaar.becomes(order_id, 200, within_s=45).payment_status == "SUCCESS"
        assert (bazaar.postings(order_id), bazaar.bank_debits(order_id)) == (PAID_POSTING, [(AMOUNT_PAISE, "done")])


def test_a_visit_that_was_left_and_paid_all_the_same_is_given_back(bazaar: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = bazaar.open_page(browser, order_id)
    at_bank = go(browser, screen, NB)
    waiting = browser.get(screen.url)
    assert waiting.at == "waiting"
    choosing = browser.get(waiting.link("?choose=1"))
    paid = browser.submit(choosing.form("/card"), number=VISA, **CARD)
    assert settled(browser, enter_otp(browser, paid)).at == "result"
    pay_there(browser, at_bank, NB)
    bazaar.hears_event(order_id, "excess_payment")
    bazaar.hears_event(order_id, "refund_done")
    assert bazaar.verify(order_id).channel == "pg"
    assert sorted(bazaar.bank_debits(order_id)) == [(AMOUNT_PAISE, "done")] * 2
    assert bazaar.bank_refunds(order_id) == [(AMOUNT_PAISE, "done")]


def test_a_bank_that_is_none_and_no_bank_at_all_come_back_with_the_reason(bazaar: Shop, browser: Browser) -> None:
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


# --- instalments ---


def test_a_card_pays_in_the_instalments_that_were_chosen(bazaar: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = bazaar.open_page(browser, order_id)
    assert "3 months, ₹499.84 each, no-cost" in screen.text or "3 months, ₹499.83 each, no-cost" in screen.text
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
    settled(browser, enter_otp(browser, browser.submit(screen.form("/emi"), plan="HDFC-3", number=VISA, **CARD)))
    *_, attempt = bazaar.attempts(order_id)
    assert (attempt["state"], attempt["emi_months"], attempt["emi_discount_paise"] > 0) == ("paid", 3, True)


def test_an_order_for_so_many_instalments_offers_no_others(bazaar: Shop, browser: Browser) -> None:
    screen = bazaar.open_page(browser, new_order_id(), instalment_months=6)
    assert not screen.offers("/upi/app")
    assert "6 months," in screen.text
    assert "3 months," not in screen.text
    back = browser.submit(screen.form("/emi"), plan="HDFC-3", number=VISA, **CARD)
    assert "Choose your instalments." in back.text


@pytest.mark.parametrize("months", [3, 6, 9, 12, 18])
def test_an_order_is_paid_in_as_many_instalments_as_it_asks_for(bazaar: Shop, browser: Browser, months: int) -> None:
    order_id = new_order_id()
    screen = bazaar.open_page(browser, order_id, amount_paise=250_000, instalment_months=months)
    challenge = browser.submit(screen.form("/emi"), plan=f"SBIN-{months}", number=VISA, **CARD)
    assert settled(browser, enter_otp(browser, challenge)).at == "result"
    assert bazaar.verify(order_id, 250_000).channel == "emi"
    assert [each["emi_months"] for each in bazaar.attempts(order_id) if each["state"] == "paid"] == [months]


@pytest.mark.parametrize(("paise", "more"), [(99_999, {}), (199_999, {"instalment_months": 12})])
def test_instalments_have_a_smallest_amount(bazaar: Shop, browser: Browser, paise: int, more: dict[str, int]) -> None:
    screen = bazaar.open_page(browser, new_order_id(), amount_paise=paise, **more)
    assert "cannot be paid in instalments" in screen.text


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
    assert '<option value="HDFC-6" selected>' in back.html


# --- Bharat QR ---


def test_a_bharat_qr_is_scanned_and_paid(gateway: RunningGateway, bazaar: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = bazaar.open_page(browser, order_id, channels=("btqr",))
    text = screen.upi_link
    assert text.startswith("000201")
    scan(gateway, text)
    told = bazaar.becomes(order_id, 200)
    assert told.channel == "btqr"
    assert bazaar.postings(order_id) == PAID_POSTING


def test_both_dresses_of_a_qr_are_one_attempt(gateway: RunningGateway, bazaar: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = bazaar.open_page(browser, order_id)
    pictures = re.findall(r'src="([^"]+/qr/b?[0-9]+\.svg)"', screen.html)
    assert len(pictures) == 2
    scan(gateway, screen.upi_link)
    bazaar.becomes(order_id, 200)
    again = browser.get(screen.url)
    assert again.at == "result"


# --- which, and in which order ---


def test_methods_stand_in_the_merchants_order_and_hidden_ones_do_not(bazaar: Shop, browser: Browser) -> None:
    screen = bazaar.open_page(browser, new_order_id())
    rows = [
        screen.text.index(name) for name in ("Net banking", "Wallet", "Card EMI", "Any UPI app", "Bharat QR", "RuPay")
    ]
    assert rows == sorted(rows)


def test_hidden_methods_are_not_offered(gateway: RunningGateway, server: MerchantServer, browser: Browser) -> None:
    for shop in open_shop(gateway, server, "few", channels="pg_nb"):
        screen = shop.open_page(browser, new_order_id())
        assert screen.text.index("RuPay") < screen.text.index("Net banking")
        assert not screen.offers("/upi/app")
        with pytest.raises(NotStartedError, match="chmod"):
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
            lambda: (said := go(browser, screen, NB)).path.startswith("/pay/v4/s/") and said, "the bank to be refused"
        )
        assert "This cannot be done at the moment" in refused.text
        scan(gateway, screen.upi_link)
        shop.becomes(order_id, 200)


# --- what the networks carry ---


def test_an_amount_that_no_upi_payment_carries_is_paid_otherwise(
    gateway: RunningGateway, server: MerchantServer, browser: Browser, sender: Sender
) -> None:
    for shop in open_shop(gateway, server, "jewels", channels="upi_btqr_pg"):
        most, more = 1_00_000_00, 1_00_000_01
        assert shop.open_page(browser, new_order_id(), most).upi_link
        screen = shop.open_page(browser, new_order_id(), more)
        assert screen.at == "choose"
        assert not screen.offers("/upi/app")
        with pytest.raises(NotStartedError, match="amount"):
            shop.open_page(browser, new_order_id(), more, channels=("upi", "btqr"))
        order = {"orderid": new_order_id(), "amount": "100000.01"}
        assert sender.ask("generateorder", shop.merchant, order).code == "113"
        assert {each["max_amount"] for each in listed(sender, shop, chmod="upi")} == {"100000.00"}


def test_a_jeweller_may_be_paid_more_by_upi(
    gateway: RunningGateway, server: MerchantServer, browser: Browser, sender: Sender
) -> None:
    for shop in open_shop(gateway, server, "jeweller", channels="upi_btqr", mcc="5944"):
        assert {each["max_amount"] for each in listed(sender, shop)} == {"200000.00"}
        assert shop.open_page(browser, new_order_id(), 2_00_000_00).upi_link
        with pytest.raises(NotStartedError, match="amount"):
            shop.open_page(browser, new_order_id(), 2_00_000_01)


# --- the bank list ---

FIELDS = [
    "chmod",
    "channel_name",
    "title",
    "description",
    "bank_code",
    "bank_name",
    "health",
    "min_amount",
    "max_amount",
]


@pytest.fixture(scope="module")
def lister(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant whose banks are listed."""
    yield from open_shop(gateway, server, "lister", channels="upi_pg_nb_ppc_emi_btqr")


def listed(sender: Sender, shop: Shop, **asked: Any) -> list[dict[str, str]]:
    reply = sender.ask("banks", shop.merchant, asked)
    assert (reply.code, reply.envelope["status"], reply.envelope["status_code"]) == ("00", "success", "200")
    assert all(list(record) == FIELDS for record in reply.data)
    return reply.data


def test_every_bank_of_every_channel_is_listed_flat(sender: Sender, lister: Shop) -> None:
    records = listed(sender, lister)
    assert list(dict.fromkeys(each["chmod"] for each in records)) == ["upi", "pg", "nb", "ppc", "emi", "btqr"]
    (upi,) = [each for each in records if each["chmod"] == "upi"]
    assert (upi["bank_code"], upi["bank_name"], upi["max_amount"], upi["health"]) == ("", "", "100000.00", "up")
    banks = {each["bank_code"]: each["bank_name"] for each in records if each["chmod"] == "nb"}
    assert (banks["HDFC"], banks["HDFC_C"], banks["SBIN"]) == (
        "HDFC Bank",
        "HDFC Bank (corporate)",
        "State Bank of India",
    )
    assert all(re.fullmatch(r"[A-Z]{4}(_C)?", code) for code in banks)
    assert {each["min_amount"] for each in records if each["chmod"] == "emi"} == {"1000.00"}
    assert tuple(each.code for each in lister.client.banks(("nb",))) == tuple(banks)


@pytest.mark.parametrize(("chmod", "found"), [("nb", {"nb"}), ("upi_emi", {"upi", "emi"}), ("", set("abc"))])
def test_chmod_restricts_the_list(sender: Sender, lister: Shop, chmod: str, found: set[str]) -> None:
    records = listed(sender, lister, chmod=chmod)
    assert chmod == "" or {each["chmod"] for each in records} == found


@pytest.mark.parametrize(("chmod", "code"), [("va", "113"), ("xx", "110"), ("nb_", "110")])
def test_a_channel_that_is_none_or_not_the_merchants_is_refused(
    sender: Sender, lister: Shop, chmod: str, code: str
) -> None:
    reply = sender.ask("banks", lister.merchant, {"chmod": chmod})
    assert (reply.code, reply.data) == (code, [])


def test_a_merchant_with_domains_says_from_which_it_asks(
    gateway: RunningGateway, server: MerchantServer, sender: Sender
) -> None:
    def domain(text: str) -> str:
        return b64encode(text.encode()).decode()

    for shop in open_shop(gateway, server, "domained", domain="https://shop.example.in"):
        assert sender.ask("banks", shop.merchant, {"mer_dom": domain("https://shop.example.in")}).code == "00"
        for sent in ({}, {"mer_dom": domain("https://evil.example")}):
            reply = sender.ask("banks", shop.merchant, sent)
            assert (reply.code, reply.data) == ("U04", [])


def test_banks_are_down_while_nobody_can_be_reached(gateway: RunningGateway, sender: Sender, lister: Shop) -> None:
    gateway.turn_dial(lose_request=1.0)
    try:

        def down() -> bool:
            sender.ask("validatevpa", lister.merchant, {"vpa": f"{new_order_id('x')}@hundi"})
            return {each["health"] for each in listed(sender, lister, chmod="upi")} == {"down"}

        until(down, "the breaker to open", within_s=40)
    finally:
        gateway.turn_dial()
    until(
        lambda: {each["health"] for each in listed(sender, lister, chmod="upi")} == {"up"},
        "the breaker to close",
        within_s=60,
    )


def test_a_bank_whose_attempts_come_to_nothing_is_down(
    gateway: RunningGateway, sender: Sender, lister: Shop, browser: Browser
) -> None:
    for _ in range(5):
        again = new_order_id()
        back = pay_there(browser, go(browser, lister.open_page(browser, again), NB, "CNRB"), NB, "decline")
        settled(browser, back)
        gateway.rows(
            "UPDATE attempts SET bank_code = '91' FROM payments p WHERE p.merchant_id = attempts.merchant_id"
            " AND p.payment_id = attempts.payment_id AND p.order_id = $1 AND bank = 'CNRB'",
            again,
        )

    def health() -> dict[str, str]:
        return {each["bank_code"]: each["health"] for each in listed(sender, lister, chmod="nb")}

    until(lambda: health()["CNRB"] == "down", "the health to be read again", within_s=20)
    assert health()["HDFC"] == "up"
