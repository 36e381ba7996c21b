"""Money moved in the console.

Once however often a form is sent, and never without its entry in the trail.
"""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from tests.system.browser import Browser
from tests.system.console import Console
from tests.system.envelopes import Merchant
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop
from tests.system.test_console_payments import OPERATOR, SECOND, pay, session_of

TIMES = 10


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.31") as browser:
        yield browser


@pytest.fixture(scope="module")
def second(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, SECOND, "198.51.100.32") as browser:
        yield browser


@pytest.fixture(scope="module")
def place(gateway: RunningGateway) -> Iterator[str]:
    """The demo's first merchant, which refunds a payment in several parts."""
    found = gateway.demo["merchants"][0]["merchant_id"]
    gateway.operate("merchant", "set", found, "--multiple-partial-refunds", "on")
    yield found
    gateway.operate("merchant", "set", found, "--multiple-partial-refunds", "off")


@pytest.fixture
def demo_shop(gateway: RunningGateway, shop: Shop) -> Iterator[Shop]:
    found = Shop.at(gateway, Merchant.of(gateway.demo["merchants"][0]), shop.endpoint)
    with found.client:
        yield found


def refunds(gateway: RunningGateway, number: int) -> list[int]:
    rows = gateway.rows("SELECT amount_paise FROM refunds WHERE payment_id = $1", number)
    return [row["amount_paise"] for row in rows]


def told(gateway: RunningGateway, number: int, act: str) -> int:
    return gateway.value(
        "SELECT count(*) FROM trail_entries WHERE about = $1 AND act = $2", str(number), act
    )


def press(console: Console, path: str, times: int, **form: str) -> list[str]:
    """Send one form so many times at once, and return where each was sent on to."""
    form["form_token"] = console.token("you")
    with ThreadPoolExecutor(times) as pool:
        sent = [pool.submit(console.http.post, f"/console/{path}", data=form) for _ in range(times)]
    answers = [each.result() for each in sent]
    assert {each.status_code for each in answers} == {303}, [each.text for each in answers]
    return [each.headers["location"].removeprefix("/console/") for each in answers]


@pytest.mark.parametrize("rupees", ["6000", "9000"])
def test_a_form_sent_many_times_makes_one_refund_and_one_entry(
    gateway: RunningGateway,
    demo_shop: Shop,
    browser: Browser,
    operator: Console,
    place: str,
    rupees: str,
) -> None:
    _, number, _ = pay(gateway, demo_shop, browser, 5_000_000)
    form = {"amount": rupees, "reason": "once, please", "act_id": f"{number % 10**9}1"}
    path = f"{place}/payments/{number}/refund"
    assert set(press(operator, path, TIMES, **form)) == {f"{place}/payments/{number}?said=refunded"}
    # Twice this is more than one person gives back alone: that must not make a request of the
    # second press.
    assert press(operator, path, 1, **form) == [f"{place}/payments/{number}?said=refunded"]
    assert refunds(gateway, number) == [int(rupees) * 100]
    assert (
        told(gateway, number, "payment.refund"),
        told(gateway, number, "payment.refund_ask"),
    ) == (1, 0)
    other = operator.post(path, **{**form, "amount": "1"})
    assert other.status_code == 409
    assert refunds(gateway, number) == [int(rupees) * 100]


def test_a_form_sent_many_times_asks_a_second_person_once(
    gateway: RunningGateway,
    demo_shop: Shop,
    browser: Browser,
    operator: Console,
    second: Console,
    place: str,
) -> None:
    _, number, _ = pay(gateway, demo_shop, browser, 5_000_000)
    form = {"amount": "20000", "reason": "once, please", "act_id": f"{number % 10**9}2"}
    path = f"{place}/payments/{number}/refund"
    (asked,) = set(press(operator, path, TIMES, **form))
    where = asked.partition("?")[0]
    assert "/approvals/" in where
    assert told(gateway, number, "payment.refund_ask") == 1
    assert (
        second.post(f"{where}/decide", decision="approve")
        .headers["location"]
        .endswith("said=approved")
    )
    assert press(operator, path, 1, **form) == [asked]
    assert refunds(gateway, number) == [2_000_000]
    assert operator.post(path, **{**form, "amount": "20001"}).status_code == 409


def test_two_tabs_make_one_refund_unless_the_second_is_meant(
    gateway: RunningGateway,
    demo_shop: Shop,
    browser: Browser,
    operator: Console,
    second: Console,
    place: str,
) -> None:
    """The form tells what was refunded since it was opened.

    Pressed once more, it makes the refund.
    """
    _, number, _ = pay(gateway, demo_shop, browser, 500_000)
    one = f"{place}/payments/{number}"
    tabs = [
        {name: who.field(one, name) for name in ("act_id", "seen")}
        | {"amount": "120", "reason": "torn"}
        for who in (operator, second)
    ]
    assert operator.post(f"{one}/refund", **tabs[0]).status_code == 303
    told = second.post(f"{one}/refund", **tabs[1])
    assert told.status_code == 409
    name = gateway.value("SELECT name FROM people WHERE email = $1", OPERATOR)
    for words in (
        "refunded meanwhile",
        f"By {name}",
        "Refund of ₹120.00",
        "Refund another ₹120.00",
    ):
        assert words in told.text, words
    assert refunds(gateway, number) == [12_000]
    again = {
        each: re.search(rf'name="{each}" value="([^"]*)"', told.text) for each in ("act_id", "seen")
    }
    form = {**tabs[1], **{name: found[1] for name, found in again.items() if found}}
    assert press(second, f"{one}/refund", TIMES, **form) == [f"{one}?said=refunded"] * TIMES
    assert refunds(gateway, number) == [12_000, 12_000]


def test_of_two_tabs_at_one_moment_one_refunds(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    """Alone, and by asking a second person: the payment's lock decides who came first."""
    for rupees, made in (("120", "refunds"), ("20000", "approvals")):
        _, number, _ = pay(gateway, demo_shop, browser, 5_000_000)
        path, token = f"/console/{place}/payments/{number}/refund", operator.token("you")
        form = {"amount": rupees, "reason": "torn", "seen": "0-0", "form_token": token}
        with ThreadPoolExecutor(TIMES) as pool:
            forms = [form | {"act_id": f"{number % 10**9}{n:02}"} for n in range(TIMES)]
            codes = [
                each.status_code
                for each in pool.map(lambda each: operator.http.post(path, data=each), forms)
            ]
        assert sorted(codes) == [303] + [409] * (TIMES - 1), made
        assert len(refunds(gateway, number)) == (made == "refunds")
        of_payment = "SELECT count(*) FROM approvals WHERE payload ->> 'payment_id' = $1"
        assert gateway.value(of_payment, str(number)) == (made == "approvals")
        if made == "approvals":
            assert "asked for it" in operator.get(f"{place}/payments/{number}").text


def test_what_one_person_refunds_alone_is_the_merchants_setting(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    ways = []
    for most, words in (
        ("200000", "Above ₹2,000.00"),
        ("0", "every refund"),
        ("1000000", "Above ₹10,000.00"),
    ):
        gateway.operate("merchant", "set", place, "--refund-alone-paise", most)
        _, number, _ = pay(gateway, demo_shop, browser, 900_000)
        until(
            lambda number=number, words=words: (
                words in operator.get(f"{place}/payments/{number}").text
            ),
            words,
        )
        form = {"amount": "2500", "reason": "torn", "act_id": f"{number % 10**9}9"}
        ways.append(
            "/approvals/"
            in operator.post(f"{place}/payments/{number}/refund", **form).headers["location"]
        )
    assert ways == [True, True, False]
    assert gateway.invoke("merchant", "set", place, "--refund-alone-paise", "-1").exit_code != 0


def test_what_was_approved_in_vain_is_not_said_to_be_done(
    gateway: RunningGateway,
    demo_shop: Shop,
    browser: Browser,
    operator: Console,
    second: Console,
    place: str,
) -> None:
    _, number, _ = pay(gateway, demo_shop, browser, 5_000_000)
    path, said = f"{place}/payments/{number}/refund", []
    for n in (3, 4):
        seen = operator.field(f"{place}/payments/{number}", "seen")
        form = {
            "amount": "50000",
            "reason": "all of it",
            "act_id": f"{number % 10**9}{n}",
            "seen": seen,
        }
        said += press(operator, path, 1, **form)
    pages = []
    for each in said:
        answer = second.post(f"{each.partition('?')[0]}/decide", decision="approve")
        pages.append(second.http.get(answer.headers["location"]).text)
    assert ["Approved and carried out" in page for page in pages] == [True, False]
    assert "could not be carried out" in pages[1]
    assert refunds(gateway, number) == [5_000_000]


@contextmanager
def no_entries(gateway: RunningGateway, condition: str) -> Iterator[None]:
    """Let the database refuse some entries of the trail. condition: SQL about the new entry."""
    gateway.rows(
        f"CREATE TRIGGER attic BEFORE INSERT ON trail_entries FOR EACH ROW WHEN ({condition})"
        " EXECUTE FUNCTION refuse_change()"
    )
    try:
        yield
    finally:
        gateway.rows("DROP TRIGGER attic ON trail_entries")


def test_no_refund_is_begun_whose_entry_cannot_be_written(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    _, number, _ = pay(gateway, demo_shop, browser, 500_000)
    form = {"amount": "10", "reason": "untold", "act_id": f"{number % 10**9}5"}
    path = f"{place}/payments/{number}/refund"
    with no_entries(gateway, f"NEW.about = '{number}'"):
        assert operator.post(path, **form).status_code == 500
    assert refunds(gateway, number) == []
    assert operator.post(path, **form).status_code == 303
    assert (refunds(gateway, number), told(gateway, number, "payment.refund")) == ([1_000], 1)


def test_no_link_is_made_or_cancelled_whose_entry_cannot_be_written(
    gateway: RunningGateway, operator: Console, place: str
) -> None:
    form = {
        "amount": "1.00",
        "description": "Tea",
        "surplus": "refund",
        "act_id": "217000000000071",
    }
    known = (
        "SELECT link_id, cancelled_at FROM payment_links WHERE reference ="
        " 'console-217000000000071'"
    )
    with no_entries(gateway, "NEW.act LIKE 'link.%'"):
        assert operator.post(f"{place}/links", **form).status_code == 500
        assert gateway.rows(known) == []
    assert len(set(press(operator, f"{place}/links", TIMES, **form))) == 1
    (link,) = gateway.rows(known)
    path = f"{place}/links/{link['link_id']}/cancel"
    with no_entries(gateway, "NEW.act LIKE 'link.%'"):
        assert operator.post(path).status_code == 500
        assert gateway.rows(known)[0]["cancelled_at"] is None
    press(operator, path, TIMES)
    assert [told(gateway, link["link_id"], f"link.{act}") for act in ("make", "cancel")] == [1, 1]


def test_addresses_that_mean_nothing_are_answered(
    gateway: RunningGateway, operator: Console, place: str
) -> None:
    many = "&".join(f"k{n}={'v' * 60}" for n in range(200))
    for odd in (
        *(
            "trail?until=9999-12-31",
            "trail?since=0001-01-01",
            "payments?until=9999-12-31",
            "payments?since=0001-01-01",
        ),
        *("payments/export?about=x&act=y&self=z", f"payments/export?{many}"),
    ):
        assert operator.http.get(f"/console/{place}/{odd}").status_code == 200, odd
    kept = "SELECT detail FROM trail_entries WHERE act = 'payment.export' ORDER BY at DESC LIMIT 1"
    assert (
        operator.http.get(f"/console/{place}/payments/export?state=paid&{many}").status_code == 200
    )
    detail = gateway.value(kept)
    assert '"state":"paid"' in detail
    assert "k1" not in detail


def test_a_list_without_days_goes_back_ninety_and_says_so(operator: Console, place: str) -> None:
    said = "90 days are looked at"
    assert said in operator.get(f"{place}/payments").text
    assert said not in operator.get(f"{place}/payments", since="2020-01-01").text


def test_a_reader_sees_no_customer_no_trail_and_no_risk_rule(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    _, number, _ = pay(gateway, demo_shop, browser)
    (row,) = gateway.rows("SELECT payer_vpa FROM attempts WHERE payment_id = $1", number)
    assert row["payer_vpa"]
    one = f"{place}/payments/{number}"
    secret = "she called twice about it"
    assert operator.post(f"{one}/note", note="a plain note").status_code == 303
    revealed = operator.post(f"{one}/reveal", reason=secret).text
    assert row["payer_vpa"] in revealed
    assert secret in operator.get(one).text
    assert row["payer_vpa"] not in operator.get(one).text
    with session_of(gateway, "reader@demo.example", "198.51.100.33") as reader:
        page = reader.get(one).text
    assert "a plain note" not in page
    with session_of(gateway, "support@demo.example", "198.51.100.34") as support:
        told = support.get(one).text
    assert "a plain note" in told
    name = re.findall(r"<dt>Customer</dt><dd>([^<]*)", page)
    assert all("•••" in each for each in name)
    for text in (page, told):
        assert row["payer_vpa"] not in text
        assert secret not in text
