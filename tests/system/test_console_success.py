"""Success in the console: a failed try is seen at once and led to; pairs, needs, the first day."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from hundi.console.lists import PAGE_ROWS
from tests.system.bank_redirects import NB, go, pay_there
from tests.system.browser import Browser
from tests.system.console import Console
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, settled
from tests.system.test_console_payments import (
    LARGE_PAISE,
    OPERATOR,
    demo_shop,
    pay,
    place,
    session_of,
)

__all__ = ["demo_shop", "place"]

OWNER, FINANCE, SUPPORT = "asha@demo.example", "finance@demo.example", "support@demo.example"
BANK = "HDFC"
RULES = """
note = "as before"
[[rules]]
name = "very-large-order"
note = "nobody in these tests orders so much"
action = "hold"
when = [{ field = "amount_paise", above = 900000000 }]
"""
NUMBER = re.compile(r"<p><b>(\d+)</b> tr(?:y|ies):")


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.81") as browser:
        yield browser


@pytest.fixture(scope="module")
def owner(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OWNER, "198.51.100.82") as browser:
        yield browser


def link(page: str, words: str) -> str:
    """Return the address of the link with these words, below /console/."""
    found = re.search(rf'<a[^>]*href="([^"]+)"[^>]*>(?:<b>)?{re.escape(words)}', page)
    assert found, (words, page)
    return unescape(found[1]).removeprefix("/console/")


def not_paid(console: Console, path: str, **query: str) -> tuple[int, int]:
    """Return how many tries a list says it has, and how many rows it shows."""
    page = console.get(path, **query).text
    said = NUMBER.search(page)
    assert said, page
    return int(said[1]), page.count('<tr><th scope="row">')


def declined_at_the_bank(shop: Shop, browser: Browser) -> str:
    order_id = new_order_id("LOST")
    there = go(browser, shop.open_page(browser, order_id), NB, BANK)
    settled(browser, pay_there(browser, there, NB, "decline"))
    return order_id


def test_a_failed_try_is_three_clicks_from_home_at_once(
    demo_shop: Shop, browser: Browser, owner: Console, place: str
) -> None:
    before, _ = not_paid(owner, f"{place}/success/tries", span="today", outcome="not-paid")
    order_id = declined_at_the_bank(demo_shop, browser)
    home = owner.get(f"{place}/").text
    assert "of today's tries paid" in unescape(home)
    charts = owner.get(f"{place}/success").text
    assert f'href="/console/{place}/success"' in home
    reasons = charts.partition("Why tries were not paid")[2]
    assert "The customer reads:" in reasons
    behind = [
        owner.get(unescape(each).removeprefix("/console/")).text
        for each in re.findall(r'href="([^"]*code=[^"]*)"', reasons)
    ]
    listed = next(page for page in behind if order_id in page)
    said, rows = not_paid(owner, f"{place}/success/tries", span="today", outcome="not-paid")
    assert said == rows == before + 1
    assert "9876543210" not in listed, "a customer's number is masked"


def test_every_bar_counts_what_its_list_shows(
    demo_shop: Shop, browser: Browser, owner: Console, place: str
) -> None:
    declined_at_the_bank(demo_shop, browser)
    page = owner.get(f"{place}/success", span="today").text
    links = {
        unescape(each).removeprefix("/console/")
        for each in re.findall(r'href="([^"]*success/tries[^"]*)"', page)
    }
    assert len(links) >= 4
    for href in links:
        said, rows = not_paid(owner, href)
        assert min(said, PAGE_ROWS) == rows, href


def test_acquirers_are_the_operators_alone_and_tries_are_their_merchants(
    gateway: RunningGateway,
    demo_shop: Shop,
    browser: Browser,
    owner: Console,
    operator: Console,
    place: str,
) -> None:
    order_id = declined_at_the_bank(demo_shop, browser)
    assert "Success by acquirer" not in owner.get(f"{place}/success").text
    assert "Success by acquirer" in operator.get(f"{place}/success").text
    everywhere = operator.get("all/success/tries", outcome="not-paid").text
    assert order_id in everywhere
    query = {"outcome": "not-paid", "acquirer": "nobody"}
    assert order_id in owner.get(f"{place}/success/tries", **query).text, "no filter of theirs"
    assert order_id not in operator.get(f"{place}/success/tries", **query).text
    other = gateway.demo["merchants"][1]["merchant_id"]
    assert order_id not in operator.get(f"{other}/success/tries").text
    assert owner.get(f"{other}/success").status_code == 404


def test_odd_addresses_are_answered(owner: Console, place: str) -> None:
    for odd in (
        {"span": "9" * 40},
        {"span": "2026-02-31"},
        {"span": "0001-01-01"},
        {"at": "2999-12-31T99"},
        {"at": "T", "outcome": "x", "before": "-1"},
        {"method": "'", "bank": "%", "code": "\\"},
    ):
        for path in ("success", "success/tries"):
            assert owner.get(f"{place}/{path}", **odd).status_code == 200, (path, odd)


def test_what_changed_routing_is_marked_on_the_chart(
    gateway: RunningGateway,
    demo_shop: Shop,
    browser: Browser,
    operator: Console,
    place: str,
    tmp_path: Path,
) -> None:
    declined_at_the_bank(demo_shop, browser)
    marks = "Risk rules were changed"
    other = gateway.demo["merchants"][1]["merchant_id"]
    mine, theirs = (operator.get(f"{each}/success").text.count(marks) for each in (place, other))
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES)
    gateway.operate("risk", "publish", str(rules), "--merchant", place)
    page = operator.get(f"{place}/success").text
    assert page.count(marks) == mine + 1
    assert operator.get(f"{other}/success").text.count(marks) == theirs
    assert 'class="change"' in page


def test_home_shows_a_request_to_who_may_decide_it(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, place: str
) -> None:
    _, number, _ = pay(gateway, demo_shop, browser, LARGE_PAISE)
    with session_of(gateway, SUPPORT, "198.51.100.83") as support:
        path = f"{place}/payments/{number}"
        answer = support.post(
            f"{path}/refund",
            seen_at=path,
            amount="25000",
            reason="Broken in the parcel",
            act_id=support.field(path, "act_id"),
            again_code=support.code(SUPPORT, back=1),
        )
        assert answer.status_code == 303, answer.text
        asked = re.search(r"approvals/\d+", answer.headers["location"])
        assert asked, answer.headers
        assert asked[0] not in support.get(f"{place}/").text, "who asked does not decide"
    with session_of(gateway, FINANCE, "198.51.100.84") as finance:
        home = finance.get(f"{place}/").text
        request = re.search(rf'href="/console/({place}/approvals/\d+)"', home)
        assert request, home
        assert finance.get(request[1]).status_code == 200
        assert "bearer key" not in home


def test_live_and_test_are_one_click_apart(
    gateway: RunningGateway, owner: Console, operator: Console, place: str
) -> None:
    sandbox = gateway.demo["merchants"][2]["merchant_id"]
    assert owner.get("").headers["location"] == f"/console/{place}/", "not asked where"
    page = owner.get(f"{place}/refunds").text
    assert link(page, "Test") == f"{sandbox}/refunds"
    there = owner.get(f"{sandbox}/refunds").text
    assert "no real money" in there
    assert link(there, "Live") == f"{place}/refunds"
    with session_of(gateway, SUPPORT, "198.51.100.85") as support:
        assert 'class="modes"' not in support.get(f"{place}/refunds").text, "no role there"
    one = f"all/merchants/{place}"
    code = {"again_code": operator.code(OPERATOR)}
    parted = operator.post(f"{one}/part", seen_at=one, **code)
    assert parted.status_code == 303, parted.text
    assert 'class="modes"' not in owner.get(f"{place}/refunds").text
    wrong = operator.post(f"{one}/pair", seen_at=one, sandbox=place)
    assert wrong.status_code == 409
    paired = operator.post(f"{one}/pair", seen_at=one, sandbox=sandbox)
    assert paired.status_code == 303, paired.text
    assert link(owner.get(f"{place}/").text, "Test") == f"{sandbox}/"
    assert "merchant.pair" in operator.get("all/trail").text


def test_a_new_merchant_has_a_first_day_and_its_first_person_is_its_owner(
    gateway: RunningGateway, operator: Console
) -> None:
    added = gateway.operate("merchant", "add", "New Shop")
    number = added["merchant_id"]
    people = operator.get(f"{number}/people").text
    assert re.search(r'<option value="owner" selected', people)
    assert "Nobody works here yet" in people
    gateway.operate(
        "staff", "invite", "new@shop.example", "--name", "New", "--role", "owner",
        "--merchant", number,
    )  # fmt: skip
    assert re.search(r'<option value="reader" selected', operator.get(f"{number}/people").text)
    home = operator.get(f"{number}/").text
    for path in ("bank-account", "price-plan", "keys", "integration", "links"):
        assert f'<a href="/console/{number}/{path}">' in home.partition("What needs you")[0], path
    gateway.operate(
        "merchant", "set", number, "--notification-url", "https://8.8.8.8/notifications"
    )
    until(
        lambda: (
            f'<a href="/console/{number}/integration">'
            not in operator.get(f"{number}/")
            .text.partition("What needs you")[0]
            .partition("steps")[2]
        ),
        "the address to be a step that is done",
    )
