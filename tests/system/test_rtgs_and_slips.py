"""RTGS alone, and slips that a branch remits, through the running gateway and both books."""

import threading
from collections.abc import Iterator

import httpx
import pytest

from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import AMOUNT_PAISE, PAID_POSTING, NotStartedError, Shop, new_order_id
from tests.system.test_transfers import booked, send, sent

pytestmark = pytest.mark.usefixtures("books_hold")
TWO_LAKH = 2_00_000_00


@pytest.fixture(scope="module")
def mill(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant that takes RTGS, slips and transfers of every kind."""
    yield from open_shop(gateway, server, "mill", channels="rtgs_remit_va")


def account_of(browser: Browser, screen: Screen) -> Screen:
    """Ask for the account that takes RTGS.

    Return the form of the customer's bank, filled with it.
    """
    shown = browser.submit(screen.form("/rtgs"))
    assert "by RTGS to this account." in shown.text
    return browser.get(shown.link("/transfers?"))


def slip_of(browser: Browser, screen: Screen) -> Screen:
    """Ask for the slip of an order; return the branch's form, filled with it."""
    shown = browser.submit(screen.form("/slip"))
    assert "Take this slip to a branch of your bank" in shown.text
    return browser.get(shown.link("/branch?"))


def pay_in(browser: Browser, form: Screen, **changes: str) -> Screen:
    return browser.submit(form.forms[0], **({"mode": "CHEQUE"} | changes))


def taken(screen: Screen) -> str:
    """Return the number under which a branch remits."""
    assert "Slip taken" in screen.text
    return screen.text.partition("Number ")[2].partition(".")[0]


def test_rtgs_pays_the_order_with_its_utr_of_22_characters(mill: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    form = account_of(browser, mill.open_page(browser, order_id, TWO_LAKH))
    utr = sent(send(browser, form, mode="RTGS"))
    told = mill.becomes(order_id, 200, TWO_LAKH)
    assert (told.channel, told.rrn, len(utr)) == ("rtgs", utr, 22)
    assert mill.hears_event(order_id, "paid").transaction == told
    assert mill.postings(order_id) == [("payment", "receivable:sandbox", "payable", TWO_LAKH)]
    assert booked(mill, utr) == [("debit", TWO_LAKH, "done")]


@pytest.mark.parametrize("mode", ["NEFT", "IMPS"])
def test_another_network_is_turned_back_with_a_reason(
    mill: Shop, browser: Browser, mode: str
) -> None:
    order_id = new_order_id()
    form = account_of(browser, mill.open_page(browser, order_id, TWO_LAKH))
    back = send(browser, form, mode=mode)
    assert "This account takes RTGS only; the money is in your account again." in back.text
    utr = back.text.partition("UTR ")[2].partition(".")[0]
    assert booked(mill, utr) == [("debit", TWO_LAKH, "declined")]
    assert (mill.verify(order_id, TWO_LAKH).status_code, mill.postings(order_id)) == (211, [])
    right = sent(send(browser, form, mode="RTGS"))
    assert mill.becomes(order_id, 200, TWO_LAKH).rrn == right


def test_below_two_lakh_rtgs_is_not_offered(mill: Shop, browser: Browser) -> None:
    assert "/rtgs" not in mill.open_page(browser, new_order_id(), TWO_LAKH - 1).html
    with pytest.raises(NotStartedError, match="no way to take a payment"):
        mill.open_page(browser, new_order_id(), TWO_LAKH - 1, channels=("rtgs",))
    lines = mill.client.banks(("rtgs",))
    assert [(each.channel, each.minimum_paise) for each in lines] == [("rtgs", TWO_LAKH)]


def test_a_slip_pays_the_order_after_clearing(mill: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    number = taken(pay_in(browser, slip_of(browser, mill.open_page(browser, order_id))))
    assert (mill.verify(order_id).status_code, mill.postings(order_id)) == (211, [])
    told = mill.becomes(order_id, 200)
    assert (told.channel, told.rrn) == ("remit", number)
    assert mill.postings(order_id) == PAID_POSTING
    assert booked(mill, number) == [("debit", AMOUNT_PAISE, "done")]


def test_a_returned_cheque_pays_nothing_and_another_one_does(mill: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    form = slip_of(browser, mill.open_page(browser, order_id))
    back = pay_in(browser, form, remitter="000013")
    assert "The cheque came back unpaid." in back.text
    right = taken(pay_in(browser, form, mode="NEFT", remitter="50100012345678"))
    assert mill.becomes(order_id, 200).rrn == right
    assert [each["state"] for each in mill.attempts(order_id)] == ["paid"]


def test_a_slip_of_another_amount_goes_back(mill: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    form = slip_of(browser, mill.open_page(browser, order_id))
    wrong = taken(pay_in(browser, form, amount="1499.00"))
    mill.hears_event(order_id, "excess_refunded")
    assert booked(mill, wrong) == [("debit", 149_900, "done"), ("refund", 149_900, "done")]
    assert mill.verify(order_id).status_code == 211


def test_slips_that_race_are_recorded_once_each(mill: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    form = slip_of(browser, mill.open_page(browser, order_id)).forms[0]
    url, fields = f"{mill.gateway.simbank_url}/branch", dict(form.fields) | {"mode": "NEFT"}
    threads = [
        threading.Thread(target=httpx.post, args=(url,), kwargs={"data": fields}) for _ in range(4)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    mill.becomes(order_id, 200)
    until(lambda: len(mill.attempts(order_id)) == 4, "four remittances to be recorded")
    assert sorted(each["state"] for each in mill.attempts(order_id)) == ["overpaid"] * 3 + ["paid"]
    until(lambda: mill.events(order_id).count("refund_done") == 3, "three refunds")


def test_accounts_of_one_order_wait_beside_each_other(mill: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = mill.open_page(browser, order_id, TWO_LAKH)
    browser.submit(screen.form("/account"))
    browser.submit(browser.get(screen.url).form("/slip"))
    form = account_of(browser, browser.get(screen.url))
    numbers = {
        prefix for prefix in ("SIMVA", "SIMVR", "SIMVC") if prefix in browser.get(screen.url).html
    }
    assert numbers == {"SIMVA", "SIMVR", "SIMVC"}
    sent(send(browser, form, mode="RTGS"))
    assert mill.becomes(order_id, 200, TWO_LAKH).channel == "rtgs"
