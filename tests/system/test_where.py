"""The page "Where is my money?": a payer asks, proves it by a code, and reads where it is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from hundi.kernel.records import replace
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import ASHA, Shop, new_order_id, scan
from tests.system.test_letters import arrived, mails
from tests.system.test_messages import taken
from tests.system.test_refunds import refund

SAME_WORDS = "If they belong together, a code is on its way"
NOT_THIS_CODE = "This code does not fit, or it is too old."
COOKIE = "hundi-where"
_networks = count(1)


@pytest.fixture(scope="module")
def selling(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A shop that writes no letters by itself."""
    yield from open_shop(gateway, server, "asked-about", support="help@asha.example")


@pytest.fixture
def payer() -> Iterator[Browser]:
    """A browser in a network of its own, so that no test uses up another one's limits."""
    with from_network() as browser:
        yield browser


def from_network() -> Browser:
    return Browser(**{"x-forwarded-for": f"203.0.113.{next(_networks)}"})


@dataclass(frozen=True, slots=True)
class Paid:
    """A payment of a customer, by the numbers that a payer can have."""

    order_id: str
    payment_id: int
    rrn: str
    email: str


def paid(shop: Shop, email: str, phone: str = ASHA.phone) -> Paid:
    order_id = new_order_id()
    with Browser() as browser:
        page = shop.open_page(browser, order_id, buyer=replace(ASHA, email=email, phone=phone))
        scan(shop.gateway, page.upi_link, "success@hundi")
    transaction = shop.becomes(order_id, 200)
    return Paid(order_id, int(transaction.transaction_id), transaction.rrn, email)


def ask(browser: Browser, gateway: RunningGateway, reference: str, contact: str) -> Screen:
    page = browser.get(f"{gateway.base_url}/where")
    return browser.submit(page.form("/where"), reference=reference, contact=contact)


def code_in(mail: dict[str, Any]) -> str:
    """Return the code of a mail as its reader finds it."""
    found = re.search(r"\b[0-9]{6}\b", mail["plain"])
    assert found, mail["plain"]
    return found[0]


def newest_code(gateway: RunningGateway, address: str, number: int = 1) -> str:
    return code_in(arrived(gateway, address, number)[0])


def another(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06}"


def looked_for(gateway: RunningGateway) -> list[dict[str, Any]]:
    """Return all questions, newest last, once the worker has looked for each."""

    def look() -> list[dict[str, Any]] | None:
        rows = gateway.rows("SELECT * FROM payer_requests ORDER BY asked_at, request_id")
        return rows if all(row["state"] != "asked" for row in rows) else None

    return until(look, "the worker to look for every payment", within_s=40)


def test_a_payer_reads_where_the_money_is(
    gateway: RunningGateway, selling: Shop, sender: Sender, payer: Browser
) -> None:
    mine = paid(selling, "asha@where.example")
    refund(sender, selling.merchant, {"ap_transactionid": mine.payment_id, "amount": "100.00"})
    form = ask(payer, gateway, mine.order_id, " ASHA@where.example ")
    assert (form.status, form.heading) == (200, "Enter the code")
    assert SAME_WORDS in form.text
    (mail,) = arrived(gateway, mine.email)
    assert mail["subject"] == "Your code for the payment to The asked-about"
    page = payer.submit(form.form("/where/code"), code=f" {code_in(mail)} ")
    assert (page.status, page.path, page.heading) == (200, "/where/payment", "Paid")
    assert "You have paid ₹1,499.50 to The asked-about." in page.text
    assert "help@asha.example" in page.text
    assert "₹100.00" in page.text
    assert {mine.order_id, str(mine.payment_id), mine.rrn} <= set(page.codes)
    assert page.headers["cache-control"] == "no-store"
    receipt = payer.http.get(page.link("/receipt.pdf"))
    assert (receipt.status_code, receipt.content[:5]) == (200, b"%PDF-")
    hindi = payer.get(f"{gateway.base_url}/where/payment?lang=hi")
    assert "₹1,499.50" in hindi.text
    assert hindi.heading != "Paid"
    gone = payer.submit(page.form("/where/leave"))
    assert gone.path == "/where"
    assert payer.get(f"{gateway.base_url}/where/payment").path == "/where"


@pytest.mark.parametrize("reference", ["order_id", "payment_id", "rrn"])
def test_every_reference_of_a_payer_finds_the_payment(
    gateway: RunningGateway, selling: Shop, payer: Browser, reference: str
) -> None:
    mine = paid(selling, f"{reference.replace('_', '-')}@where.example")
    form = ask(payer, gateway, str(getattr(mine, reference)), mine.email)
    page = payer.submit(form.form("/where/code"), code=newest_code(gateway, mine.email))
    assert str(mine.payment_id) in page.codes


def test_the_references_of_a_refund_find_its_payment(
    gateway: RunningGateway, selling: Shop, sender: Sender
) -> None:
    mine = paid(selling, "refunded@where.example")
    refund(sender, selling.merchant, {"ap_transactionid": mine.payment_id, "amount": "100.00"})
    of_refund = "SELECT refund_id, rrn FROM refunds WHERE payment_id = $1 AND rrn <> ''"
    (row,) = until(lambda: gateway.rows(of_refund, mine.payment_id), "the refund", within_s=40)
    # A worker brings the RRN into the search's index.
    indexed = "SELECT 1 FROM search_keys WHERE payment_id = $1 AND kind = 6"
    until(lambda: gateway.rows(indexed, mine.payment_id), "the search's index", within_s=60)
    for number, reference in enumerate((str(row["refund_id"]), row["rrn"]), 1):
        with from_network() as browser:
            form = ask(browser, gateway, reference, mine.email).form("/where/code")
            page = browser.submit(form, code=newest_code(gateway, mine.email, number))
            assert str(mine.payment_id) in page.codes
            assert row["rrn"] in page.text


def test_a_failed_payment_says_that_no_money_left_and_when_a_debit_comes_back(
    gateway: RunningGateway, selling: Shop, payer: Browser
) -> None:
    order_id, email = new_order_id(), "failed@where.example"
    with Browser() as browser:
        page = selling.open_page(browser, order_id, buyer=replace(ASHA, email=email))
        scan(gateway, page.upi_link, "insufficient@hundi")
    until(
        lambda: gateway.rows(
            "SELECT 1 FROM payments p JOIN attempts a USING (merchant_id, payment_id)"
            " WHERE p.order_id = $1 AND a.state = 'failed'",
            order_id,
        ),
        "the bank to decline",
    )
    form = ask(payer, gateway, order_id, email)
    page = payer.submit(form.form("/where/code"), code=newest_code(gateway, email))
    assert page.heading == "Nothing was paid"
    assert "No money has left your account." in page.text
    assert "your bank returns the money by" in page.text
    assert not page.offers("receipt.pdf")


def test_by_phone_the_code_comes_as_the_registered_text(
    gateway: RunningGateway, selling: Shop, payer: Browser
) -> None:
    mine = paid(selling, "both@where.example", "9876500037")
    form = ask(payer, gateway, mine.order_id, "+91 98765 00037")
    (message,) = until(lambda: taken(gateway, "9876500037"), "the SMS", within_s=40)
    code, _, words = message["words"].partition(" ")
    assert words == "shows your payment to The asked-about. Tell nobody. -Hundi demo"
    assert mails(gateway, mine.email) == []
    page = payer.submit(form.form("/where/code"), code=code)
    assert str(mine.payment_id) in page.codes
    (letter,) = gateway.rows("SELECT said FROM letters WHERE address = '9876500037'")
    assert letter["said"].startswith("•••••• shows your payment")


def test_without_a_registered_text_the_code_goes_to_the_kept_mail(
    gateway: RunningGateway, selling: Shop, payer: Browser
) -> None:
    mine = paid(selling, "textless@where.example", "9876500038")
    kept = gateway.rows("SELECT * FROM message_templates WHERE kind = 'payer_code'")[0]
    gateway.operate("template", "remove", "0", "sms", "payer_code")
    try:
        form = ask(payer, gateway, mine.order_id, "9876500038")
        code = newest_code(gateway, mine.email)
    finally:
        gateway.operate(
            *("template", "set", "0", "sms", "payer_code", "--text", kept["registered"]),
            *("--template-id", kept["template_id"], "--entity-id", kept["entity_id"]),
            *("--header", kept["header"], "--field", "code", "--field", "merchant"),
        )
    assert payer.submit(form.form("/where/code"), code=code).heading == "Paid"
    assert taken(gateway, "9876500038") == []


def test_a_code_is_in_no_table_page_or_log(
    gateway: RunningGateway, selling: Shop, payer: Browser
) -> None:
    mine = paid(selling, "secret@where.example")
    ask(payer, gateway, mine.order_id, mine.email)
    code = newest_code(gateway, mine.email)
    rows = (
        *gateway.rows("SELECT * FROM letters WHERE address = $1", mine.email),
        *gateway.rows("SELECT * FROM payer_requests"),
    )
    assert rows
    assert code not in str(rows)
    assert {row["typed"] for row in looked_for(gateway)} == {"{}"}
    assert not re.search(rf"\b{code}\b", gateway.logged())


# --- attacks ---


def test_the_words_are_the_same_whether_or_not_there_is_such_a_payment(
    gateway: RunningGateway, selling: Shop
) -> None:
    mine = paid(selling, "victim@where.example")
    pages: list[str] = []
    for reference, contact in (
        (mine.order_id, mine.email),
        (mine.order_id, "somebody@where.example"),
        ("NOSUCHORDER", mine.email),
        ("NOSUCHORDER", "9999999999"),
    ):
        with from_network() as browser:
            screen = ask(browser, gateway, reference, contact)
            assert screen.status == 200
            wrong = browser.submit(screen.form("/where/code"), code="000000")
            assert (wrong.status, NOT_THIS_CODE in wrong.text) == (422, True)
            pages.append(screen.html + wrong.html)
    assert len(set(pages)) == 1
    assert len(looked_for(gateway)) >= 4
    # The typed address gets nothing, and only the kept one gets a code.
    assert len(arrived(gateway, mine.email)) == 1
    assert mails(gateway, "somebody@where.example") == []


def test_a_code_works_once_and_in_the_browser_that_asked(
    gateway: RunningGateway, selling: Shop, payer: Browser
) -> None:
    mine, other = paid(selling, "once@where.example"), paid(selling, "other@where.example")
    form = ask(payer, gateway, mine.order_id, mine.email).form("/where/code")
    code = newest_code(gateway, mine.email)
    asked = payer.http.cookies[COOKIE]
    with from_network() as thief:
        assert NOT_THIS_CODE in thief.submit(form, code=code).text
        theirs = ask(thief, gateway, other.order_id, other.email).form("/where/code")
        newest_code(gateway, other.email)
        assert NOT_THIS_CODE in thief.submit(theirs, code=code).text
    assert payer.submit(form, code=code).path == "/where/payment"
    look = payer.http.cookies[COOKIE]
    assert look != asked
    with from_network() as thief:
        thief.http.cookies.set(COOKIE, asked)
        assert NOT_THIS_CODE in thief.submit(form, code=code).text
        assert thief.get(f"{gateway.base_url}/where/payment").path == "/where"
        assert thief.http.get(f"{gateway.base_url}/where/payment/receipt.pdf").status_code == 404
    # The look shows the one payment that was asked about.
    assert str(other.payment_id) not in payer.get(f"{gateway.base_url}/where/payment").text


def test_five_wrong_codes_end_the_question(
    gateway: RunningGateway, selling: Shop, payer: Browser
) -> None:
    mine = paid(selling, "guessed@where.example")
    form = ask(payer, gateway, mine.order_id, mine.email).form("/where/code")
    code = newest_code(gateway, mine.email)
    for _ in range(5):
        assert payer.submit(form, code=another(code)).status == 422
    assert NOT_THIS_CODE in payer.submit(form, code=code).text


def test_a_code_ends_after_ten_minutes_and_a_look_after_a_quarter_of_an_hour(
    gateway: RunningGateway, selling: Shop, payer: Browser
) -> None:
    mine = paid(selling, "late@where.example")
    form = ask(payer, gateway, mine.order_id, mine.email).form("/where/code")
    code = newest_code(gateway, mine.email)
    gateway.rows("UPDATE payer_requests SET ends_at = now() WHERE state = 'coded'")
    assert NOT_THIS_CODE in payer.submit(form, code=code).text
    form = ask(payer, gateway, mine.order_id, mine.email).form("/where/code")
    assert payer.submit(form, code=newest_code(gateway, mine.email, 2)).heading == "Paid"
    gateway.rows("UPDATE payer_requests SET ends_at = now() WHERE state = 'opened'")
    assert payer.get(f"{gateway.base_url}/where/payment").path == "/where"


def test_nobody_is_flooded_with_codes(gateway: RunningGateway, selling: Shop) -> None:
    mine = paid(selling, "flooded@where.example")
    for _ in range(6):
        with from_network() as browser:
            assert SAME_WORDS in ask(browser, gateway, mine.order_id, mine.email).text
    looked_for(gateway)
    states = gateway.rows(
        "SELECT state, count(*) FROM (SELECT state FROM payer_requests"
        " ORDER BY asked_at DESC, request_id DESC LIMIT 6) AS newest GROUP BY state"
    )
    assert {row["state"]: row["count"] for row in states} == {"coded": 3, "silent": 3}
    assert len(arrived(gateway, mine.email, 3)) == 3


def test_nobody_who_asks_in_vain_silences_the_payer(gateway: RunningGateway, selling: Shop) -> None:
    mine = paid(selling, "loud@where.example")
    for number in range(12):
        with from_network() as stranger:
            ask(stranger, gateway, mine.order_id, f"stranger{number}@where.example")
    with from_network() as browser:
        ask(browser, gateway, mine.order_id, mine.email)
    assert newest_code(gateway, mine.email)


def test_a_network_is_limited_and_told_so(gateway: RunningGateway, payer: Browser) -> None:
    answers = [ask(payer, gateway, "NOSUCHORDER", "9999999999") for _ in range(11)]
    assert {each.status for each in answers[:10]} == {200}
    assert answers[10].status == 429
    assert int(answers[10].headers["retry-after"]) > 0


def test_a_form_of_another_site_asks_nothing(gateway: RunningGateway, payer: Browser) -> None:
    before = gateway.rows("SELECT count(*) FROM payer_requests")
    answer = payer.post(
        f"{gateway.base_url}/where",
        {"reference": "X", "contact": "9999999999"},
        **{"sec-fetch-site": "cross-site"},
    )
    assert answer.status == 403
    assert gateway.rows("SELECT count(*) FROM payer_requests") == before


@pytest.mark.parametrize(
    ("reference", "contact", "words"),
    [
        ("", "asha@where.example", "Enter a reference"),
        ("x" * 101, "asha@where.example", "Enter a reference"),
        ("AH\x00-1", "asha@where.example", "Enter a reference"),
        ("A1", "nobody", "Enter an e-mail address, or a mobile number of ten digits."),
        ("A1", "a@b\r\nBcc: c@d.example", "Enter an e-mail address"),
    ],
)
def test_what_cannot_be_a_question_is_named(
    gateway: RunningGateway, payer: Browser, reference: str, contact: str, words: str
) -> None:
    screen = ask(payer, gateway, reference, contact)
    assert screen.status == 422
    assert words in screen.text
    assert COOKIE not in payer.http.cookies
