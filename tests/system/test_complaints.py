"""Complaints: a payer writes from the page of a payment, the merchant answers in the console."""

from collections.abc import Iterator

import pytest

from hundi.payments.complaints.rules import COMPLAINTS_MAX
from tests.conftest import NewFolder
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.operating import did
from tests.system.running import RunningGateway
from tests.system.shop import Shop
from tests.system.test_console_payments import OPERATOR, session_of
from tests.system.test_letters import arrived
from tests.system.test_where import Paid, ask, from_network, newest_code, paid

CARD = "4111 1111 1111 1111"


@pytest.fixture(scope="module")
def operator(operated: RunningGateway) -> Iterator[Console]:
    with session_of(operated, OPERATOR, "198.51.100.93") as browser:
        yield browser


@pytest.fixture(scope="module")
def operated(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of its own that believes a proxy, so that each payer has a network of their own."""
    trusting = {"HUNDI_TRUSTED_PROXIES": "127.0.0.1/32"}
    with RunningGateway(new_folder("complaints"), **trusting) as running:
        yield running


@pytest.fixture(scope="module")
def selling(operated: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    yield from open_shop(operated, server, "complained-of", support="help@asha.example")


@pytest.fixture
def payer() -> Iterator[Browser]:
    with from_network() as browser:
        yield browser


def proved(gateway: RunningGateway, browser: Browser, mine: Paid, codes: int = 1) -> Screen:
    """Return the page of a payment, as its payer opens it. codes: mails with this one."""
    form = ask(browser, gateway, mine.order_id, mine.email)
    code = newest_code(gateway, mine.email, codes)
    return browser.submit(form.form("/where/code"), code=code)


def complained(browser: Browser, page: Screen, kind: str, words: str) -> Screen:
    return browser.submit(page.form("/where/payment/complaint"), kind=kind, words=words)


def number_of(gateway: RunningGateway, mine: Paid) -> int:
    (row,) = gateway.rows(
        "SELECT complaint_id FROM complaints WHERE payment_id = $1 AND state = 'open'",
        mine.payment_id,
    )
    return row["complaint_id"]


def test_a_payer_complains_and_reads_the_answer(
    operated: RunningGateway, operator: Console, selling: Shop, payer: Browser
) -> None:
    mine, place = paid(selling, "asha@complaints.example"), str(selling.merchant.number)
    page = complained(
        payer,
        proved(operated, payer, mine),
        "not_delivered",
        f"The saree did not come.\r\nMy card is {CARD}.",
    )
    assert (page.status, page.path) == (200, "/where/payment")
    assert "I paid, and nothing came" in page.text
    assert "The complained-of has to answer by" in page.text
    assert "[card]" in page.text
    # One waits at a time: there is no second form.
    assert not page.offers("/where/payment/complaint")
    # The console's page of the letter shows dots in the place of the code.
    (letter,) = operated.rows("SELECT letter_id FROM letters WHERE address = $1", mine.email)
    seen = operator.get(f"{place}/letters/{letter['letter_id']}").text
    assert "•••••• is the code" in seen
    assert newest_code(operated, mine.email) not in seen
    number = number_of(operated, mine)
    listed = operator.get(f"{place}/complaints").text
    assert "Paid, and nothing came" in listed
    assert f"/console/{place}/complaints/{number}" in listed
    assert f"complaints/{number}" in operator.get(f"{place}/payments/{mine.payment_id}").text
    assert "Answer a payer: paid, and nothing came" in operator.get(f"{place}/").text
    at = f"{place}/complaints/{number}"
    shown = operator.get(at).text
    assert "The saree did not come." in shown
    assert CARD not in shown + listed + page.html
    told = operator.post(f"{at}/answer", seen_at=at, answer="It left today, by courier.")
    assert "said=complaint_answered" in told.headers["location"]
    mail = arrived(operated, mine.email, 2)[0]
    assert mail["subject"] == "The complained-of answered your complaint"
    assert "It left today, by courier." in mail["plain"]
    assert f"{operated.base_url}/where" in mail["plain"]
    page = payer.get(f"{operated.base_url}/where/payment")
    assert "It left today, by courier." in page.text
    assert did(operated, place).count("complaint.answer") == 1
    # Answered once: the form is gone, and a second answer is refused.
    assert "<textarea" not in operator.get(at).text
    again = operator.post(f"{at}/answer", seen_at="you", answer="Another answer.")
    assert again.status_code == 409
    assert "Another answer." not in payer.get(f"{operated.base_url}/where/payment").text
    page = payer.submit(page.form("/where/payment/solved"))
    assert "that it is solved." in page.text
    assert page.offers("/where/payment/complaint")


def test_the_operator_sees_what_waits_beyond_its_day(
    operated: RunningGateway, operator: Console, selling: Shop, payer: Browser
) -> None:
    mine = paid(selling, "late@complaints.example")
    complained(payer, proved(operated, payer, mine), "refund_missing", "Where is it?")
    waits = "The complained-of: Answer a payer: a refund did not arrive"
    assert waits not in operator.get("all/").text
    number = number_of(operated, mine)
    at = f"/console/{selling.merchant.number}/complaints/{number}"
    listed = operator.get("all/across/complaints").text
    assert at in listed
    assert "A refund did not arrive" in listed
    assert ">late<" not in listed
    operated.rows("UPDATE complaints SET answer_by = now() WHERE complaint_id = $1", number)
    assert waits in operator.get("all/").text
    assert ">late<" in operator.get("all/across/complaints").text
    page = payer.get(f"{operated.base_url}/where/payment")
    assert "should have answered by" in page.text


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("", "It did not come."),
        ("of my own", "It did not come."),
        ("other", " "),
        ("other", "x" * 1001),
        ("other", "It broke.\x00"),
    ],
)
def test_what_is_no_complaint_is_asked_for_again(
    operated: RunningGateway, selling: Shop, payer: Browser, kind: str, words: str
) -> None:
    mine = paid(selling, f"{len(kind)}-{len(words)}@complaints.example")
    page = complained(payer, proved(operated, payer, mine), kind, words)
    assert page.status == 422
    assert "Choose what is wrong" in page.text
    assert operated.rows("SELECT 1 FROM complaints WHERE payment_id = $1", mine.payment_id) == []


# --- attacks ---


def test_nobody_complains_without_the_code(
    operated: RunningGateway, selling: Shop, payer: Browser
) -> None:
    mine = paid(selling, "nobody@complaints.example")
    page = proved(operated, payer, mine)
    with from_network() as thief:
        assert complained(thief, page, "other", "Send the money to me.").path == "/where"
        ask(thief, operated, mine.order_id, mine.email)
        assert complained(thief, page, "other", "Send the money to me.").path == "/where"
    foreign = payer.post(
        page.form("/where/payment/complaint").action,
        {"kind": "other", "words": "x"},
        **{"sec-fetch-site": "cross-site"},
    )
    assert foreign.status == 403
    assert operated.rows("SELECT 1 FROM complaints WHERE payment_id = $1", mine.payment_id) == []


def test_two_presses_and_a_script_in_the_words_do_no_harm(
    operated: RunningGateway, operator: Console, selling: Shop, payer: Browser
) -> None:
    mine, place = paid(selling, "script@complaints.example"), str(selling.merchant.number)
    page, words = proved(operated, payer, mine), "<script>alert(1)</script>"
    for _ in range(2):
        shown = complained(payer, page, "other", words)
    assert words not in shown.html
    number = number_of(operated, mine)
    assert words not in operator.get(f"{place}/complaints/{number}").text
    other = operated.demo["merchants"][0]["merchant_id"]
    assert operator.get(f"{other}/complaints/{number}").status_code == 404
    at = f"{other}/complaints/{number}/answer"
    assert operator.post(at, answer="Not mine.").status_code == 404


def test_a_payer_who_closes_and_writes_again_comes_to_an_end(
    operated: RunningGateway, selling: Shop, payer: Browser
) -> None:
    mine = paid(selling, "endless@complaints.example")
    page = proved(operated, payer, mine)
    for number in range(COMPLAINTS_MAX + 2):
        complained(payer, page, "other", f"Number {number}.")
        payer.post(f"{operated.base_url}/where/payment/solved", {})
    rows = operated.rows("SELECT 1 FROM complaints WHERE payment_id = $1", mine.payment_id)
    assert len(rows) == COMPLAINTS_MAX
    assert not payer.get(f"{operated.base_url}/where/payment").offers("/where/payment/complaint")
