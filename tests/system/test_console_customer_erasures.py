"""The erasure of a customer's data: seen before, asked for by one, done by another, books kept."""

import html
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.operating import did
from tests.system.running import RunningGateway, until
from tests.system.shop import ASHA, Shop
from tests.system.test_console_customers import Person, link_for
from tests.system.test_console_once import no_entries
from tests.system.test_console_payments import OPERATOR, SECOND, session_of
from tests.system.test_letters import choose
from tests.system.test_saved_cards import save

SWEEP_NOW = """
UPDATE schedules SET due_at = now(), leased_until = NULL WHERE name = 'sweep_counts_and_tokens'
"""
"""Else the worker tells networks every ten minutes."""
REASON = "she asked for it by letter"


@pytest.fixture(scope="module")
def operator(operated: RunningGateway) -> Iterator[Console]:
    with session_of(operated, OPERATOR, "198.51.100.97") as browser:
        yield browser


@pytest.fixture(scope="module")
def second(operated: RunningGateway) -> Iterator[Console]:
    with session_of(operated, SECOND, "198.51.100.98") as browser:
        yield browser


@pytest.fixture(scope="module")
def keeper(operated: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant that keeps cards and sends receipts; its books hold in the end."""
    for shop in open_shop(operated, server, "eraser", saved_cards="on"):
        choose(shop, "receipt")
        yield shop
    operated.audit()


@pytest.fixture
def place(keeper: Shop) -> str:
    return keeper.merchant.merchant_id


def number_of(operated: RunningGateway, statement: str, *values: Any) -> int:
    return int(operated.value(f"SELECT count(*) FROM {statement}", *values) or 0)


def letters_to(operated: RunningGateway, person: Person) -> list[str]:
    rows = operated.rows("SELECT state FROM letters WHERE lower(address) = lower($1)", person.email)
    return [row["state"] for row in rows]


def sent_to(operated: RunningGateway, person: Person, number: int = 1) -> None:
    until(lambda: letters_to(operated, person).count("sent") == number, "sent letters", within_s=40)


def rows_of(page: str) -> dict[str, int]:
    """Return what a preview says is erased, by its title."""
    table = page[page.index("What is erased</caption>") :].partition("</table>")[0]
    found = re.findall(r'<th scope="row">([^<]+)</th>.*?class="number">(\d+)</td>', table)
    return {html.unescape(title): int(number) for title, number in found}


def ask(console: Console, path: str, act_id: str = "217000000000021", **ticks: str) -> str:
    """Ask for an erasure, and return the request's page."""
    answer = console.post(f"{path}/erasure", seen_at=path, act_id=act_id, reason=REASON, **ticks)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removeprefix("/console/").partition("?")[0]


def everything_of(shop: Shop, browser: Browser, person: Person) -> tuple[int, str, str]:
    """Leave a row of every kind; return a payment, a link that is over and one that is open."""
    gateway, place = shop.gateway, shop.merchant.merchant_id
    order = save(
        shop, browser, person.reference, buyer=replace(ASHA, email=person.email, phone=person.phone)
    )
    payment = int(shop.becomes(order, 200).transaction_id)
    over, still_open = (link_for(shop, person) for _ in range(2))
    gateway.operate("link", "cancel", place, over)
    words = "--words", f"said yes at the counter, {person.email}"
    gateway.operate("consent", "add", place, person.ten_digits, *words)
    gateway.rows(
        "INSERT INTO dead_addresses (merchant_id, channel, address, since, answer)"
        " VALUES ($1, 'sms', $2, now(), 'no such number')",
        int(place),
        person.ten_digits,
    )
    gateway.rows(
        "INSERT INTO page_languages (merchant_id, payment_id, language, written_at)"
        " VALUES ($1, $2, 'hi', now())",
        int(place),
        payment,
    )
    sent_to(gateway, person)
    return payment, over, still_open


def test_what_no_law_keeps_is_erased_once_and_the_books_stay(
    operated: RunningGateway,
    operator: Console,
    second: Console,
    keeper: Shop,
    browser: Browser,
    place: str,
) -> None:
    meera = Person.new()
    payment, over, still_open = everything_of(keeper, browser, meera)
    path = f"{place}/customers/payment-{payment}"
    page = operator.get(path).text
    for words in ("Visa ending 1111", "As your people say", "Cancelled", f"links/{still_open}"):
        assert words in page, words
    assert meera.email not in page, "nor in words that somebody typed"
    preview = operator.get(f"{path}/erasure", phone="yes", email="yes", reference="yes").text
    assert rows_of(preview) == {
        "Saved cards": 1,
        "Letters": 1,
        "Consents": 1,
        "Addresses that took no letters": 1,
        "Languages": 1,
        "Contact data of payment links that are over": 1,
    }
    for words in ("Open payment links</dt><dd>1.", "1 payment, the newest of", "section 128(5)"):
        assert words in preview, words
    assert meera.ten_digits not in preview
    before = operated.value("SELECT buyer::text FROM payments WHERE payment_id = $1", payment)

    ticks = {"phone": "yes", "email": "yes", "reference": "yes"}
    request = ask(operator, path, **ticks)
    assert ask(operator, path, **ticks) == request, "a form that is sent twice asks once"
    shown = second.get(request).text
    assert f"/console/{path}/erasure?by=phone-email-reference" in html.unescape(shown)
    for part in (meera.ten_digits, meera.email):
        assert part not in shown
    own = operator.post(f"{request}/decide", decision="approve")
    assert (own.status_code, number_of(operated, "saved_cards WHERE deleted_at IS NOT NULL")) == (
        409,
        0,
    )
    done = second.post(f"{request}/decide", seen_at=request, decision="approve")
    assert "said=approved" in done.headers["location"], done.text
    assert "Erased: saved cards: 1, letters: 1, consents: 1" in second.get(request).text

    assert letters_to(operated, meera) == []
    (consent,) = operated.rows(
        "SELECT words, withdrawn_at FROM message_consents WHERE address = $1", meera.ten_digits
    )
    assert (consent["words"], consent["withdrawn_at"] is None) == ("", False)
    assert number_of(operated, "dead_addresses WHERE address = $1", meera.ten_digits) == 0
    assert number_of(operated, "page_languages WHERE payment_id = $1", payment) == 0
    link = "SELECT buyer::text FROM payment_links WHERE link_id = $1"
    assert operated.value(link, int(over)) == "{}"
    assert meera.email in str(operated.value(link, int(still_open))), "somebody still asks for it"
    assert keeper.client.saved_cards(meera.reference) == ()
    operated.rows(SWEEP_NOW)
    ended = "saved_cards WHERE customer = $1 AND ended_at IS NOT NULL"
    until(
        lambda: number_of(operated, ended, meera.reference) == 1, "the network's end", within_s=90
    )
    after = operated.value("SELECT buyer::text FROM payments WHERE payment_id = $1", payment)
    assert after == before, "the books keep who paid"

    again = ask(operator, path, "217000000000022", **ticks)
    second.post(f"{again}/decide", seen_at=again, decision="approve")
    assert "Nothing was left to erase" in second.get(again).text
    assert did(operated, place).count("customer.erase") == 1
    (entry,) = operated.rows(
        "SELECT detail FROM trail_entries WHERE act = 'customer.erase' AND about = $1",
        f"payment-{payment}",
    )
    assert json.loads(entry["detail"]) | {"approval": ""} == {
        "approval": "",
        "joined_by": "Phone, E-mail, Your name of the customer",
        "reason": REASON,
        "rows": 6,
    }


def test_who_shares_a_phone_keeps_what_is_theirs(
    operated: RunningGateway,
    operator: Console,
    second: Console,
    keeper: Shop,
    browser: Browser,
    place: str,
) -> None:
    meera = Person.new()
    ravi = replace(Person.new(), phone=meera.phone)
    hers = meera.buys(keeper, browser)
    ravi.buys(keeper, browser)
    for person in (meera, ravi):
        sent_to(operated, person)
    path = f"{place}/customers/payment-{hers}"
    both = operator.get(f"{path}/erasure", phone="yes").text
    assert rows_of(both)["Letters"] == 2
    request = ask(operator, path, "217000000000023", email="yes")
    second.post(f"{request}/decide", seen_at=request, decision="approve")
    assert letters_to(operated, meera) == []
    assert letters_to(operated, ravi) == ["sent"]


def test_a_customer_of_a_link_alone_is_erased_and_gone(
    operated: RunningGateway, operator: Console, second: Console, keeper: Shop, place: str
) -> None:
    link = link_for(keeper, Person.new())
    operated.operate("link", "cancel", place, link)
    path = f"{place}/customers/link-{link}"
    preview = operator.get(f"{path}/erasure", phone="yes", email="yes").text
    assert "No payment: nothing stays by law." in preview
    request = ask(operator, path, "217000000000024", phone="yes", email="yes")
    buyer = "SELECT buyer::text FROM payment_links WHERE link_id = $1"
    with no_entries(operated, "NEW.act = 'customer.erase'"):
        broken = second.post(f"{request}/decide", seen_at=request, decision="approve")
    assert (broken.status_code, operated.value(buyer, int(link)) == "{}") == (500, False)
    assert second.post(f"{request}/repeat", seen_at=request).status_code == 303
    assert operated.value(buyer, int(link)) == "{}", "what was approved is done by the next try"
    assert "payment links that are over: 1" in second.get(request).text
    assert operator.get(path).status_code == 404


def test_a_request_does_nothing_once_its_marks_are_other_ones(
    operated: RunningGateway,
    operator: Console,
    second: Console,
    keeper: Shop,
    browser: Browser,
    place: str,
) -> None:
    meera = Person.new()
    link = link_for(keeper, replace(meera, phone=""))
    meera.buys(keeper, browser)
    sent_to(operated, meera)
    path = f"{place}/customers/link-{link}"
    request = ask(operator, path, "217000000000026", phone="yes", email="yes")
    # Somebody else pays with her address: the link's phone is not known any more.
    replace(Person.new(), email=meera.email).buys(keeper, browser)
    second.post(f"{request}/decide", seen_at=request, decision="approve")
    assert "It was refused" in second.get(request).text
    assert "sent" in letters_to(operated, meera)


def test_an_erasure_is_seen_and_asked_for_by_who_has_the_right(
    operated: RunningGateway, operator: Console, keeper: Shop, browser: Browser, place: str
) -> None:
    payment = Person.new().buys(keeper, browser)
    path = f"{place}/customers/payment-{payment}"
    nothing = operator.get(f"{path}/erasure")
    assert (nothing.status_code, "a tick at one of" in nothing.text) == (409, True)
    short = operator.post(f"{path}/erasure", seen_at=path, phone="yes", reason="ask")
    assert (short.status_code, "5 characters or more" in short.text) == (409, True)
    invite = "staff", "invite", "sees@erased.example", "--name", "Ritu Sen"
    invited = operated.operate(*invite, "--role", "reader", "--merchant", place)
    with Console(operated, "198.51.100.99") as reader:
        reader.join(invited["link"].removeprefix(operated.base_url), "sees@erased.example")
        assert reader.get(f"{path}/erasure", phone="yes").status_code == 403
        refused = reader.post(f"{path}/erasure", phone="yes", reason=REASON)
        assert refused.status_code == 403
        assert "See what would be erased" not in reader.get(path).text
    request = ask(operator, path, "217000000000025", phone="yes")
    invite = "staff", "invite", "helps@erased.example", "--name", "Sita Rao"
    invited = operated.operate(*invite, "--role", "support", "--merchant", place)
    with Console(operated, "198.51.100.100") as support:
        support.join(invited["link"].removeprefix(operated.base_url), "helps@erased.example")
        answer = support.post(f"{request}/decide", decision="approve")
        assert answer.status_code in {403, 409}, "support asks, and does not decide"
        assert "Your role does not include deciding" in support.get(request).text
    state = operated.value(
        "SELECT state FROM approvals WHERE approval_id = $1", int(request.rpartition("/")[2])
    )
    assert state == "waiting"
