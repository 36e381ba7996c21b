"""A gateway whose acquirer is another gateway.

A shop's customers pay at the second, and both keep the same books.
"""

import json
import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from hundi.sdk import RefundItem
from tests.acquirers.gateway.there import notification, settings
from tests.conftest import NewFolder
from tests.system.bank_redirects import NB, act, go, pay_there
from tests.system.bending_proxy import BendingProxy
from tests.system.browser import Browser, Screen
from tests.system.chain import Chain
from tests.system.conftest import add_merchant, open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Merchant
from tests.system.running import RunningGateway, until
from tests.system.shop import (
    AMOUNT_PAISE,
    SESSION,
    enter_otp,
    new_order_id,
    pay_card,
    scan,
    settled,
)

KEY = "a key of the bank that nobody uses here"
PART_PAISE = 50_000
DECLINED = "4000000000000002"


@pytest.fixture(scope="module")
def second(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """The gateway that takes the money."""
    with RunningGateway(new_folder("second")) as running:
        yield running
        running.audit()


@pytest.fixture(scope="module")
def account(second: RunningGateway) -> Merchant:
    """What the first gateway is there."""
    merchant = add_merchant(
        second, "First", channels="upi_pg_nb_ppc", multiple_partial_refunds="on"
    )
    second.operate("merchant", "seamless", merchant.merchant_id, "on")
    return merchant


@pytest.fixture(scope="module")
def first(
    new_folder: NewFolder, second: RunningGateway, account: Merchant
) -> Iterator[RunningGateway]:
    """The shop's gateway; its own simulated bank serves nothing in these tests."""
    folder = new_folder("first")
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "acquirer_key").write_text(KEY)
    other = settings(second.base_url, account, seamless="banks", bank_origins=[second.simbank_url])
    with BendingProxy() as bank:
        unused = {"kind": "sandbox", "url": bank.url, "key": KEY, "methods": ["cash_voucher"]}
        configured = json.dumps({"other": other, "sandbox": unused})
        with RunningGateway(folder, HUNDI_ACQUIRERS=configured) as running:
            bank.target = running.simbank_url
            yield running
            report = json.loads(
                running.invoke("audit", "--json", "--without-acquirer", "other").stdout
            )
            assert report["holds"], [each for each in report["checked"] if each["violations"]]


@pytest.fixture(scope="module")
def chain(
    first: RunningGateway, second: RunningGateway, account: Merchant, server: MerchantServer
) -> Iterator[Chain]:
    """Both, with a shop, and with the addresses that the second gateway's operator sets for us."""
    back = first.base_url + "/pay/v4/from/other"
    second.operate(
        "merchant", "set", account.merchant_id, "--success-url", back, "--failure-url", back
    )
    for shop in open_shop(
        first, server, "chained", channels="upi_pg_nb_ppc", multiple_partial_refunds="on"
    ):
        made = Chain(first, second, account, shop)
        made.tell(first.base_url + "/callbacks/other")
        yield made


def at_second(browser: Browser, screen: Screen) -> Screen:
    """Choose cards, and go on to the second gateway's page with the form that ours posts."""
    onward = browser.submit(screen.form("/card"))
    return browser.submit(onward.form("/pay/v4/"))


def ask_for_link(browser: Browser, screen: Screen) -> str:
    """Open the row of UPI and return the link on show."""
    shown = browser.submit(screen.form("/qr"))
    return next(address for address, _ in shown.links if address.startswith("upi://pay?"))


def bring_back(browser: Browser, ending: Screen) -> Screen:
    """Let the second gateway's page take the customer back, and wait for what ours shows."""
    (form,) = ending.forms
    return settled(browser, browser.submit(form))


def test_a_card_is_typed_at_the_second_gateways_page(chain: Chain, browser: Browser) -> None:
    order_id = new_order_id()
    page = at_second(browser, chain.shop.open_page(browser, order_id))
    assert page.url.startswith(chain.second.base_url + SESSION)
    assert not page.offers("/upi/app"), "cards were chosen already"
    back = bring_back(browser, pay_card(browser, page))
    assert (back.at, back.url.startswith(chain.first.base_url + SESSION)) == ("result", True)
    assert chain.shop.come_back(back, order_id).transaction.is_paid
    told = chain.shop.verify(order_id)
    assert (told.channel, told.card_number, told.card_scheme) == ("pg", "XXXXXXXXXXXX1111", "Visa")
    chain.agree(order_id)


def test_a_declined_card_is_tried_again_there_and_who_leaves_pays_another_way(
    chain: Chain, browser: Browser
) -> None:
    order_id = new_order_id()
    page = at_second(browser, chain.shop.open_page(browser, order_id))
    declined = pay_card(browser, page, DECLINED)
    assert chain.shop.verify(order_id).status_code == 211, "the customer is still there"
    back = bring_back(browser, browser.post(declined.url.partition("?")[0] + "/return", {}))
    assert [each["state"] for each in chain.shop.attempts(order_id)] == ["failed"]
    scan(chain.second, ask_for_link(browser, back))
    assert chain.shop.becomes(order_id, 200).channel == "upi"
    chain.agree(order_id)


def test_a_link_by_upi_is_the_second_gateways(chain: Chain, browser: Browser) -> None:
    order_id = new_order_id()
    link = ask_for_link(browser, chain.shop.open_page(browser, order_id))
    scan(chain.second, link, "decline@hundi")
    scan(chain.second, link)
    told = chain.shop.becomes(order_id, 200)
    assert (told.channel, told.customer_vpa) == ("upi", "success@hundi")
    assert chain.shop.hears_event(order_id, "paid").transaction.rrn == told.rrn
    chain.agree(order_id)


def test_a_bank_is_paid_at_its_own_page(chain: Chain, browser: Browser) -> None:
    order_id = new_order_id()
    there = go(browser, chain.shop.open_page(browser, order_id), NB)
    assert there.url.startswith(chain.second.simbank_url)
    back = bring_back(browser, settled(browser, pay_there(browser, there, NB)))
    assert back.at == "result"
    assert chain.shop.verify(order_id).channel == "nb"
    chain.agree(order_id)


def test_who_leaves_the_bank_has_paid_nothing(chain: Chain, browser: Browser) -> None:
    order_id = new_order_id()
    there = go(browser, chain.shop.open_page(browser, order_id), NB)
    left = settled(browser, act(browser, there, "cancel"))
    back = bring_back(browser, browser.post(left.url.partition("?")[0] + "/return", {}))
    assert "No money has left your account" in back.text
    assert chain.debits(order_id) == []


def test_refunds_go_back_through_both(chain: Chain, browser: Browser) -> None:
    order_id = new_order_id()
    bring_back(
        browser, pay_card(browser, at_second(browser, chain.shop.open_page(browser, order_id)))
    )
    paid = chain.shop.verify(order_id)
    for part in (PART_PAISE, None):
        item = RefundItem(paid.transaction_id, part)
        (begun,) = chain.shop.client.refund([item], request_id=new_order_id("R"))
        assert begun.accepted
        until(
            lambda begun=begun: refund_state(chain, begun.refund_id) == "done",
            "the refund to be done",
        )
    there = chain.there(order_id)["payment_id"]
    ours = (
        "SELECT amount_paise, state, rrn FROM refunds WHERE payment_id = $1 ORDER BY amount_paise"
    )
    assert chain.first.rows(ours, int(paid.transaction_id)) == chain.second.rows(ours, there)
    assert sum(each["amount_paise"] for each in chain.second.rows(ours, there)) == AMOUNT_PAISE
    assert chain.shop.verify(order_id).refunded_paise == AMOUNT_PAISE


def test_a_refund_that_came_back_there_comes_back_here(chain: Chain, browser: Browser) -> None:
    order_id = new_order_id()
    scan(
        chain.second,
        ask_for_link(browser, chain.shop.open_page(browser, order_id)),
        "closedrefund@hundi",
    )
    paid = chain.shop.becomes(order_id, 200)
    (begun,) = chain.shop.client.refund(
        [RefundItem(paid.transaction_id)], request_id=new_order_id("R")
    )
    assert begun.accepted
    until(lambda: refund_state(chain, begun.refund_id) in {"reversed", "failed"}, "it to come back")
    there = chain.second.rows(
        "SELECT state FROM refunds WHERE payment_id = $1", chain.there(order_id)["payment_id"]
    )
    assert there == [{"state": "reversed"}]
    assert chain.shop.verify(order_id).refunded_paise == 0
    assert not chain.there(order_id)["refunded_paise"]


def refund_state(chain: Chain, refund_id: str) -> str:
    return chain.first.value("SELECT state FROM refunds WHERE refund_id = $1", int(refund_id))


@pytest.mark.parametrize("ending", ["capture", "void"])
def test_a_hold_is_collected_or_given_back_at_the_second(
    chain: Chain, browser: Browser, ending: str
) -> None:
    order_id = new_order_id()
    page = at_second(browser, chain.shop.open_page(browser, order_id, authorise_only=True))
    assert bring_back(browser, pay_card(browser, page)).at == "result"
    held = chain.shop.verify(order_id)
    assert (held.payment_status, chain.there(order_id)["state"]) == ("AUTHORIZE", "authorised")
    told = (chain.shop.client.capture if ending == "capture" else chain.shop.client.void)(
        held.transaction_id
    )
    assert told.payment_status == {"capture": "CAPTURE", "void": "VOIDED"}[ending]
    assert chain.there(order_id)["state"] == {"capture": "captured", "void": "voided"}[ending]


def test_a_payment_whose_notification_is_lost_is_found_by_asking(
    chain: Chain, browser: Browser
) -> None:
    chain.tell("http://127.0.0.1:9/nobody")
    try:
        order_id = new_order_id()
        link = ask_for_link(browser, chain.shop.open_page(browser, order_id))
        scan(chain.second, link)
        assert chain.shop.becomes(order_id, 200).is_paid
    finally:
        chain.tell(chain.first.base_url + "/callbacks/other")
    chain.agree(order_id)


def test_forged_and_repeated_notifications_pay_nothing(chain: Chain, browser: Browser) -> None:
    order_id = new_order_id()
    assert ask_for_link(browser, chain.shop.open_page(browser, order_id))
    reference = chain.reference(order_id)
    right = notification(chain.account, orderid=reference)
    wrong = notification(
        chain.account,
        key="whsec_c29tZWJvZHkgZWxzZSdzIGtleSBvZiBlbm91Z2ggYnl0ZXM=",
        orderid=reference,
    )
    old = datetime.now(UTC) - timedelta(minutes=6)
    stale = ({**right[0], "webhook-timestamp": str(int(old.timestamp()))}, right[1])
    with httpx.Client(base_url=chain.first.base_url, trust_env=False) as http:
        sent = [
            http.post("/callbacks/other", content=body, headers=headers)
            for headers, body in [right] * 3
        ]
        refused = [
            http.post("/callbacks/other", content=body, headers=headers)
            for headers, body in (wrong, stale)
        ]
    assert [each.status_code for each in (*sent, *refused)] == [200, 200, 200, 401, 401]
    assert chain.shop.verify(order_id).status_code == 211, (
        "the second gateway was asked, and knows better"
    )
    assert chain.debits(order_id) == []


def test_a_return_that_somebody_made_leads_nowhere(chain: Chain, browser: Browser) -> None:
    order_id = new_order_id()
    page = at_second(browser, chain.shop.open_page(browser, order_id))
    (form,) = pay_card(browser, page).forms
    address = chain.first.base_url + "/pay/v4/from/other"
    for fields in (
        {},
        {"TRANSACTIONID": chain.reference(order_id)},
        {**form.fields, "webhook_signature": "v1,aaaa"},
        {**form.fields, "response": form.fields["response"][:-8]},
    ):
        shown = browser.post(address, fields)
        assert (shown.status, SESSION in shown.html) == (404, False)
    assert browser.post(chain.first.base_url + "/pay/v4/from/nobody", form.fields).status == 404
    assert browser.post(chain.first.base_url + "/pay/v4/from/sandbox", form.fields).status == 404
    assert bring_back(browser, page_with(form)).at == "result"


def page_with(form: Any) -> Screen:
    return Screen("", 200, httpx.Headers(), "", forms=[form])


def test_a_second_gateway_that_falls_silent_is_asked_again(chain: Chain, browser: Browser) -> None:
    order_id = new_order_id()
    link = ask_for_link(browser, chain.shop.open_page(browser, order_id))
    stopped = chain.second.part("api") + chain.second.part("worker")
    scan(chain.second, link)
    for each in stopped:
        each.send_signal(signal.SIGSTOP)
    try:
        with Browser() as another:
            refused = another.submit(chain.shop.open_page(another, new_order_id()).form("/qr"))
        assert "cannot be done at the moment" in refused.text
        assert chain.shop.verify(order_id).status_code in {200, 211}
    finally:
        for each in stopped:
            each.send_signal(signal.SIGCONT)
    assert chain.shop.becomes(order_id, 200).is_paid
    chain.agree(order_id)


@pytest.mark.parametrize("which", ["first", "second"])
def test_a_gateway_killed_in_between_charges_nobody_twice(
    chain: Chain, browser: Browser, which: str
) -> None:
    gateway: RunningGateway = getattr(chain, which)
    order_id = new_order_id()
    page = at_second(browser, chain.shop.open_page(browser, order_id))
    challenge = browser.submit(
        page.form("/card"), number="4111111111111111", expiry="12/40", cvv="123", holder="A R"
    )
    before = gateway.part("api") + gateway.part("worker")
    for each in before:
        each.kill()
    until(
        lambda: gateway.is_ready() and not set(before) & set(gateway.part("api")), "it to be back"
    )
    back = bring_back(browser, settled(browser, enter_otp(browser, challenge)))
    assert back.at == "result"
    chain.agree(order_id)


def test_what_the_second_owes_the_first_is_what_it_credited(chain: Chain) -> None:
    """Last, about everything above."""
    owed = (
        "SELECT coalesce(sum(CASE WHEN debit = $1 THEN amount_paise WHEN credit = $1 THEN"
        " -amount_paise END), 0)::bigint"
    )
    expected = chain.first.value(f"{owed} FROM ledger_postings", "receivable:other")
    credited = f"{owed} FROM ledger_postings WHERE merchant_id = $2"
    assert expected == -chain.second.value(credited, "payable", chain.account.number)
    assert expected > AMOUNT_PAISE
