"""Payments in the console: found, listed, told, refunded by one or two people, noted, exported."""

import csv
import io
import re
from collections.abc import Iterator

import pytest

from tests.system.browser import Browser
from tests.system.console import Console
from tests.system.envelopes import Merchant
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, scan

OPERATOR, SECOND = "operator@demo.example", "operator.finance@demo.example"
FORGET = "UPDATE people SET totp_step = 0 WHERE email = $1"
"""A code is good once in half a minute, and other tests sign in as the same people."""
LARGE_PAISE = 2_500_000


def session_of(gateway: RunningGateway, email: str, address: str) -> Console:
    gateway.rows(FORGET, email)
    browser = Console.signed_in(gateway, email, address)
    gateway.rows(FORGET, email)
    return browser


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.21") as browser:
        yield browser


@pytest.fixture(scope="module")
def second(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, SECOND, "198.51.100.22") as browser:
        yield browser


@pytest.fixture(scope="module")
def place(gateway: RunningGateway) -> str:
    return gateway.demo["merchants"][0]["merchant_id"]


@pytest.fixture
def demo_shop(gateway: RunningGateway, shop: Shop) -> Iterator[Shop]:
    """The demo's first merchant, whose people the console knows."""
    found = Shop.at(gateway, Merchant.of(gateway.demo["merchants"][0]), shop.endpoint)
    with found.client:
        yield found


def pay(
    gateway: RunningGateway, shop: Shop, browser: Browser, amount_paise: int = 149_950
) -> tuple[str, int, str]:
    """Pay an order by UPI; return its id, ours and the RRN."""
    order_id = new_order_id("C")
    scan(gateway, shop.open_page(browser, order_id, amount_paise).upi_link)
    told = shop.becomes(order_id, 200, amount_paise)
    return order_id, int(told.transaction_id), told.rrn


def test_a_payment_is_found_by_what_somebody_knows_and_told_whole(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    order_id, number, rrn = pay(gateway, demo_shop, browser)
    for text in (order_id, str(number), rrn):
        assert (
            operator.get(f"{place}/search", q=text).headers["location"]
            == f"/console/{place}/payments/{number}"
        ), text
    for text in ("1499.50", "₹1,499.50", "9876543210", "asha@example.in"):
        found = operator.get(f"{place}/search", q=text)
        said = found.headers.get("location", "") + found.text
        assert f"/payments/{number}" in said, text
    page = operator.get(f"{place}/payments/{number}").text
    for words in (
        order_id,
        "₹1,499.50",
        rrn,
        "Approved",
        "Paid",
        "receivable:sandbox",
        "•••3210",
        "What was said",
    ):
        assert words in page, words
    assert page.count("₹1,499.50, debit receivable:sandbox, credit payable") == 1
    assert "9876543210" not in page
    told = re.sub(r"<[^>]+>", "", page[page.index('<p class="verdict') :].partition("</p>")[0])
    assert "The customer paid ₹1,499.50 by UPI. The money is in your balance" in told
    assert "There is nothing to do." in told
    assert "Nothing is known" in operator.get(f"{place}/search", q="nobody-knows").text


def test_the_list_keeps_its_filters_in_the_address_and_pages_by_key(
    operator: Console, place: str
) -> None:
    rows = re.findall(r"/payments/(\d{15})", operator.get(f"{place}/payments").text)
    assert rows == sorted(rows, reverse=True)
    older = re.findall(
        r"/payments/(\d{15})", operator.get(f"{place}/payments", before=rows[0]).text
    )
    assert older == rows[1 : 1 + len(older)] or older[: len(rows) - 1] == rows[1:]
    filters = {"state": "paid", "from": "100", "upto": "20000", "method": "upi"}
    page = operator.get(f"{place}/payments", **filters).text
    assert re.search(r'value="paid" selected', page)
    assert 'value="20000"' in page
    assert "No payment fits" in operator.get(f"{place}/payments", **{"from": "99999999"}).text
    for odd in ({"state": "nonsense"}, {"before": "x"}, {"since": "31.02.2026"}, {"from": "1e9"}):
        assert operator.get(f"{place}/payments", **odd).status_code == 200, odd


def test_a_refund_is_made_once_and_a_large_one_waits_for_a_second_person(
    gateway: RunningGateway,
    demo_shop: Shop,
    browser: Browser,
    operator: Console,
    second: Console,
    place: str,
) -> None:
    _, number, _ = pay(gateway, demo_shop, browser)
    form = {"amount": "100.00", "reason": "a torn page", "act_id": "217000000000001"}
    for _again in range(2):
        answer = operator.post(f"{place}/payments/{number}/refund", **form)
        assert answer.status_code == 303, answer.text
    made = gateway.rows("SELECT amount_paise FROM refunds WHERE payment_id = $1", number)
    assert [row["amount_paise"] for row in made] == [10_000]
    assert "a torn page" in operator.get(f"{place}/payments/{number}").text
    too_much = operator.post(
        f"{place}/payments/{number}/refund",
        **{**form, "amount": "1500", "act_id": "2", "seen": "1-0"},
    )
    assert too_much.status_code == 409

    _, large, _ = pay(gateway, demo_shop, browser, LARGE_PAISE)
    refund = f"{place}/payments/{large}/refund"
    part = {"amount": "6000", "reason": "in parts"}
    parts = [
        operator.post(refund, **part, act_id=f"21700000000001{n}", seen=f"{n - 1}-0")
        for n in (1, 2)
    ]
    assert ["/approvals/" in each.headers["location"] for each in parts] == [False, True]
    _, large, _ = pay(gateway, demo_shop, browser, LARGE_PAISE)
    asked = operator.post(
        f"{place}/payments/{large}/refund", amount="25000", reason="all of it", act_id="3"
    )
    where = asked.headers["location"].removeprefix("/console/").partition("?")[0]
    assert "/approvals/" in where
    assert gateway.value("SELECT count(*) FROM refunds WHERE payment_id = $1", large) == 0
    assert operator.post(f"{where}/decide", decision="approve").status_code == 409
    assert second.post(f"{where}/decide", decision="approve").status_code == 303
    assert (
        gateway.value("SELECT sum(amount_paise)::bigint FROM refunds WHERE payment_id = $1", large)
        == LARGE_PAISE
    )


def test_notes_reveals_and_resends_are_in_the_story_and_the_trail(
    gateway: RunningGateway,
    demo_shop: Shop,
    browser: Browser,
    operator: Console,
    second: Console,
    place: str,
) -> None:
    _, number, _ = pay(gateway, demo_shop, browser)
    one = f"{place}/payments/{number}"
    assert operator.post(f"{one}/note", note="called <b>twice</b>").status_code == 303
    assert operator.post(f"{one}/reveal", reason="x").status_code == 409
    shown = operator.post(f"{one}/reveal", reason="customer asks for a call")
    assert "9876543210" in shown.text
    until(lambda: "ipn_" in operator.get(one).text, "a notification")
    (webhook_id,) = set(re.findall(r'<option value="(ipn_[0-9_]+)">', operator.get(one).text))
    assert operator.post(f"{one}/resend", webhook_id=webhook_id).status_code in {303, 409}
    assert operator.post(f"{one}/resend", webhook_id="ipn_1_217000000000001_2").status_code == 404
    page = operator.get(one).text
    assert "called &lt;b&gt;twice&lt;/b&gt;" in page
    assert "9876543210" not in page
    trail = second.get(f"{place}/trail", about=str(number)).text
    assert "customer asks for a call" in trail
    assert "payment.reveal" in trail


def test_the_list_is_exported_masked_and_harmless(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    order_id, number, _ = pay(gateway, demo_shop, browser)
    answer = operator.get(f"{place}/payments/export", state="paid")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    (mine,) = [row for row in rows if row["ap_transactionid"] == str(number)]
    assert (mine["orderid"], mine["amount"], mine["phone"]) == (order_id, "1499.50", "•••3210")
    assert {row["state"] for row in rows} == {"paid"}


def test_chosen_payments_are_refunded_each_for_itself_after_a_preview(
    gateway: RunningGateway,
    demo_shop: Shop,
    browser: Browser,
    operator: Console,
    second: Console,
    place: str,
) -> None:
    """Small ones at once, a large one by two people, and what nothing is left of is refused."""
    _, small, _ = pay(gateway, demo_shop, browser)
    _, large, _ = pay(gateway, demo_shop, browser, LARGE_PAISE)
    _, gone, _ = pay(gateway, demo_shop, browser, 10_000)
    several = f"{place}/payments/refund-several"
    preview = operator.get(several, **{f"pick_{each}": "on" for each in (small, large, gone)}).text
    for words in ("Refunded at once", "A second person is asked", "Refund 3 payments"):
        assert words in preview, words
    fields = dict(re.findall(r'<input type="hidden" name="(\w+_\d+)" value="([^"]*)">', preview))
    assert len(fields) == 9
    # Somebody else refunds one between the preview and its form.
    form = {"amount": "100", "reason": "a colleague's", "act_id": "4711", "seen": "0-0"}
    assert operator.post(f"{place}/payments/{gone}/refund", **form).status_code == 303
    for _again in range(2):
        told = operator.post(several, **fields, reason="recalled goods").text
        assert "2 done, 1 refused" in told
        for words in ("Refund started", "Waits for a second person", "Somebody refunded it"):
            assert words in told, words
    made = "SELECT amount_paise FROM refunds WHERE payment_id = $1"
    assert [row["amount_paise"] for row in gateway.rows(made, small)] == [149_950]
    assert gateway.rows(made, large) == []
    assert [row["amount_paise"] for row in gateway.rows(made, gone)] == [10_000]
    asked = "SELECT count(*) FROM approvals WHERE payload ->> 'payment_id' = $1"
    assert gateway.value(asked, str(large)) == 1
    page = operator.get(f"{place}/payments/{small}").text
    assert "recalled goods" in page
    assert "asked for by" in page
    for odd in ({}, {"pick_x": "on"}, {"pick_217000000000001": "on"}):
        assert operator.get(several, **odd).status_code in {404, 409}, odd
    with session_of(gateway, "reader@demo.example", "198.51.100.29") as reader:
        assert reader.get(several, **{f"pick_{small}": "on"}).status_code == 403
        assert "pick_" not in reader.get(f"{place}/payments").text
