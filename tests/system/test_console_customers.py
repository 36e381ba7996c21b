"""Customers at the console: found by any reference, told masked, exported by who says why."""

import csv
import io
import json
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit
from zipfile import ZipFile

import httpx
import pytest

from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.operating import did
from tests.system.running import RunningGateway, until
from tests.system.shop import ASHA, Shop, new_order_id, scan
from tests.system.test_console_payments import OPERATOR, session_of
from tests.system.test_letters import arrived, choose
from tests.system.test_saved_cards import save

READER = "looks@customers.example"


@dataclass(frozen=True)
class Person:
    """Somebody who buys. reference: the shop's own name of them."""

    email: str
    phone: str
    reference: str

    @classmethod
    def new(cls) -> "Person":
        """Return somebody whom no other test knows."""
        mark = secrets.randbelow(10**9)
        return cls(f"Meera.{mark}@customers.example", f"+91 9{mark:09}", f"cust_{mark}")

    @property
    def ten_digits(self) -> str:
        """Return the phone number as people say it."""
        return self.phone[-10:]

    def buys(self, shop: Shop, browser: Browser, **more: Any) -> int:
        """Pay an order by UPI, and return our number of it."""
        buyer = replace(ASHA, email=self.email, phone=self.phone)
        order_id = new_order_id("CU")
        asked = {"buyer": buyer, "customer_id": self.reference} | more
        scan(shop.gateway, shop.open_page(browser, order_id, **asked).upi_link)
        return int(shop.becomes(order_id, 200).transaction_id)


@pytest.fixture(scope="module")
def operator(operated: RunningGateway) -> Iterator[Console]:
    with session_of(operated, OPERATOR, "198.51.100.95") as browser:
        yield browser


@pytest.fixture(scope="module")
def keeper(operated: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant that keeps cards and sends receipts."""
    for shop in open_shop(operated, server, "customers", saved_cards="on"):
        choose(shop, "receipt")
        yield shop


@pytest.fixture
def place(keeper: Shop) -> str:
    return keeper.merchant.merchant_id


def find(console: Console, place: str, text: str) -> httpx.Response:
    return console.post(f"{place}/customers", seen_at=f"{place}/customers", sought=text)


def led_to(console: Console, place: str, text: str) -> str:
    """Return the page of the one customer that a text names."""
    answer = find(console, place, text)
    assert answer.status_code == 303, (text, answer.text)
    return answer.headers["location"].removeprefix("/console/")


def link_for(shop: Shop, person: Person) -> str:
    """Make a payment link for somebody, and return our number of it."""
    command = "link", "make", shop.merchant.merchant_id, "1500", "A shawl"
    contact = "--email", person.email, "--phone", person.ten_digits
    return str(shop.gateway.operate(*command, *contact)["link_id"])


def test_a_customer_is_found_by_any_reference_and_told_masked(
    operated: RunningGateway, operator: Console, keeper: Shop, browser: Browser, place: str
) -> None:
    meera = Person.new()
    first, second = (meera.buys(keeper, browser) for _ in range(2))
    link = link_for(keeper, meera)
    refund = f"{place}/payments/{second}/refund"
    answer = operator.post(refund, amount="100", reason="a torn page", act_id="217000000000009")
    assert answer.status_code == 303, answer.text
    (row,) = operated.rows("SELECT refund_id FROM refunds WHERE payment_id = $1", second)
    order_id = operated.value("SELECT order_id FROM payments WHERE payment_id = $1", first)
    references = (
        *(meera.phone, meera.ten_digits, meera.email.upper(), meera.reference),
        *(str(second), order_id, str(row["refund_id"])),
    )
    for text in references:
        path = led_to(operator, place, text)
        assert re.fullmatch(rf"{place}/customers/payment-({first}|{second})", path), text
        for part in (meera.ten_digits, meera.email.lower(), meera.reference):
            assert part not in path.lower()
    assert led_to(operator, place, link) == f"{place}/customers/link-{link}"

    page = operator.get(f"{place}/customers/payment-{first}").text
    for number in (f"payments/{first}", f"payments/{second}", f"links/{link}"):
        assert f'href="/console/{place}/{number}"' in page, number
    assert f'href="/console/{place}/refunds/{row["refund_id"]}"' in page
    assert "₹2,999.00 paid · ₹100.00 refunded" in page
    assert meera.reference in page
    for hidden in (meera.ten_digits, meera.email, meera.email.lower(), "Rao"):
        assert hidden not in page, hidden
    assert f"{place}/customers/payment-{first}" in operator.get(f"{place}/payments/{first}").text
    assert f"{place}/customers/link-{link}" in operator.get(f"{place}/links/{link}").text
    of_link = operator.get(f"{place}/customers/link-{link}").text
    assert f"payments/{second}" in of_link, "a link's customer has the payments of their phone"


def test_somebody_who_shares_one_mark_is_told_apart(
    operator: Console, keeper: Shop, browser: Browser, place: str
) -> None:
    meera, ravi = Person.new(), Person.new()
    ravi = replace(ravi, phone=meera.phone)
    hers, his = (each.buys(keeper, browser) for each in (meera, ravi))
    found = find(operator, place, meera.ten_digits)
    assert found.status_code == 200
    for number in (hers, his):
        assert f"{place}/customers/payment-{number}" in found.text
    page = operator.get(f"{place}/customers/payment-{hers}").text
    others = page[page.index("Other contact data on these payments") :]
    assert f"customers/payment-{his}" in others
    stranger = Person.new().buys(keeper, browser)
    assert f"payments/{stranger}" not in page


def test_everything_of_the_ticked_marks_leaves_in_one_file_with_an_entry(
    operated: RunningGateway, operator: Console, keeper: Shop, browser: Browser, place: str
) -> None:
    meera, ravi = Person.new(), Person.new()
    ravi = replace(ravi, phone=meera.phone)
    hers, his = (each.buys(keeper, browser) for each in (meera, ravi))
    order = save(keeper, browser, meera.reference, buyer=replace(ASHA, email=meera.email))
    keeper.becomes(order, 200)
    link = link_for(keeper, meera)
    arrived(operated, meera.email)
    operator.post(f"{place}/payments/{hers}/note", note="wants it wrapped")
    path = f"{place}/customers/payment-{hers}"
    form = {"email": "yes", "reference": "yes", "reason": "she asked for it by letter"}
    answer = operator.post(f"{path}/export", seen_at=path, **form)
    assert answer.headers["content-type"] == "application/zip", answer.text
    with ZipFile(io.BytesIO(answer.content)) as kept:
        whole = json.loads(kept.read("customer.json"))
        tries = list(csv.DictReader(io.StringIO(kept.read("tries.csv").decode())))
        payments = list(csv.DictReader(io.StringIO(kept.read("payments.csv").decode())))
    ids = {each["payment_id"] for each in whole["payments"]}
    assert hers in ids
    assert his not in ids, "the phone was not ticked"
    assert whole["payments"][-1]["customer_email"] == meera.email
    assert [str(each["link_id"]) for each in whole["payment_links"]] == [link]
    assert {each["address"].lower() for each in whole["letters"]} == {meera.email.lower()}
    assert [each["note"] for each in whole["notes"]] == ["wants it wrapped"]
    (card,) = whole["saved_cards"]
    assert (card["card_ending"], card["customer"]) == ("1111", meera.reference)
    assert whole["about"]["reason"] == form["reason"]
    assert {each["payment_id"] for each in tries} == {str(each) for each in ids}
    assert payments[-1]["customer_email"] == meera.email
    token = operated.value("SELECT token FROM saved_cards WHERE customer = $1", meera.reference)
    assert token
    assert token.encode() not in answer.content
    assert token not in json.dumps(whole)
    assert did(operated, place).count("customer.export") == 1
    (entry,) = operated.rows(
        "SELECT detail, about FROM trail_entries WHERE act = 'customer.export' AND about = $1",
        f"payment-{hers}",
    )
    assert json.loads(entry["detail"])["reason"] == form["reason"]
    assert meera.email.lower() not in entry["detail"].lower()


def test_an_export_needs_a_reason_a_proved_mark_and_the_right(
    operated: RunningGateway, operator: Console, keeper: Shop, browser: Browser, place: str
) -> None:
    number = Person.new().buys(keeper, browser)
    path = f"{place}/customers/payment-{number}"
    unproved = operator.post(f"{path}/export", seen_at=path, reason="she asked for it")
    assert (unproved.status_code, "a tick at one of" in unproved.text) == (409, True)
    other = operator.post(f"{path}/export", seen_at=path, phone="yes", reason="ask")
    assert (other.status_code, "5 characters or more" in other.text) == (409, True)
    assert operator.get(f"{place}/customers/payment-217000000000000").status_code == 404
    assert operator.get(f"{place}/customers/{number}").status_code == 404
    elsewhere = operated.demo["merchants"][0]["merchant_id"]
    assert operator.get(f"{elsewhere}/customers/payment-{number}").status_code == 404
    role = "--role", "reader", "--merchant", place
    invited = operated.operate("staff", "invite", READER, "--name", "Ritu Sen", *role)
    with Console(operated, "198.51.100.96") as reader:
        reader.join(urlsplit(invited["link"]).path, READER)
        shown = reader.get(path)
        assert shown.status_code == 200
        assert "Export everything kept" not in shown.text
        refused = reader.post(f"{path}/export", phone="yes", reason="out of curiosity")
        assert refused.status_code == 403
        assert led_to(reader, place, str(number)) == path, "a look needs no more than a look"


def test_nobody_is_found_by_a_word_that_no_row_has(operator: Console, place: str) -> None:
    answer = find(operator, place, "nobody-knows")
    assert "Nobody is known by this" in answer.text
    assert "nobody-knows" not in answer.text


def test_the_index_finds_a_customer_after_minutes(
    operated: RunningGateway, operator: Console, keeper: Shop, browser: Browser, place: str
) -> None:
    """A new payment is looked at itself; an older one is found by the worker's keys alone."""
    meera = Person.new()
    number = meera.buys(keeper, browser)

    def is_indexed() -> bool:
        found = "SELECT count(*) FROM search_keys WHERE payment_id = $1 AND kind IN (3, 4, 8)"
        return operated.value(found, number) == 3

    until(is_indexed, "keys of the search", within_s=40)
    assert led_to(operator, place, meera.reference).endswith(f"payment-{number}")
