"""Refunds in the console: listed, narrowed, told one by one, exported.

Who may not, and whose they are not.
"""

import csv
import io
import re
from collections.abc import Iterator

import pytest

from tests.system.browser import Browser
from tests.system.console import Console
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, scan
from tests.system.test_console_payments import OPERATOR, demo_shop, place, session_of

__all__ = ["demo_shop", "place"]
pytestmark = pytest.mark.usefixtures("books_hold")


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.37") as browser:
        yield browser


def refunded(
    gateway: RunningGateway,
    shop: Shop,
    browser: Browser,
    operator: Console,
    place: str,
    payer: str = "success@hundi",
) -> tuple[int, int]:
    """Pay and refund ₹100 of it in the console; return the payment's number and the refund's."""
    order_id = new_order_id("R")
    scan(gateway, shop.open_page(browser, order_id).upi_link, payer)
    number = int(shop.becomes(order_id, 200).transaction_id)
    form = {"amount": "100", "reason": "a torn page", "act_id": f"{number % 10**9}7"}
    assert operator.post(f"{place}/payments/{number}/refund", **form).status_code == 303
    return number, gateway.value("SELECT refund_id FROM refunds WHERE payment_id = $1", number)


def becomes(gateway: RunningGateway, refund_id: int, state: str) -> None:
    def look() -> bool:
        return gateway.value("SELECT state FROM refunds WHERE refund_id = $1", refund_id) == state

    until(look, f"the refund to be {state}")


def listed(page: str) -> list[int]:
    return [int(each) for each in re.findall(r'refunds/(\d{15})"><code>', page)]


def test_a_refund_is_listed_found_and_told(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    number, refund_id = refunded(gateway, demo_shop, browser, operator, place)
    becomes(gateway, refund_id, "done")
    rrn = gateway.value("SELECT rrn FROM refunds WHERE refund_id = $1", refund_id)
    assert refund_id in listed(operator.get(f"{place}/refunds").text)
    for fits in (
        {"state": "done"},
        {"rrn": rrn},
        {"from": "100", "upto": "100.00"},
        {"cause": "merchant"},
    ):
        assert refund_id in listed(operator.get(f"{place}/refunds", **fits).text), fits
    for other in (
        {"state": "failed"},
        {"rrn": "1"},
        {"from": "100.01"},
        {"cause": "late"},
        {"until": "2020-01-01"},
    ):
        assert refund_id not in listed(operator.get(f"{place}/refunds", **other).text), other
    page = operator.get(f"{place}/refunds/{refund_id}").text
    name = gateway.value("SELECT name FROM people WHERE email = $1", OPERATOR)
    for words in (
        rrn,
        "₹100.00",
        "The customer&#39;s bank books it by",
        name,
        f"/payments/{number}",
        "Took less than",
    ):
        assert words in page, words
    assert f"refunds/{refund_id}" in operator.get(f"{place}/payments/{number}").text, (
        "the story leads here"
    )


def test_a_refused_refund_says_what_becomes_of_it(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    number, refund_id = refunded(gateway, demo_shop, browser, operator, place, "norefund@hundi")
    becomes(gateway, refund_id, "failed")
    for path in ("refunds", f"refunds/{refund_id}"):
        assert "the money is in your balance again" in operator.get(f"{place}/{path}").text
    assert "Refund again at the payment" in operator.get(f"{place}/refunds/{refund_id}").text
    seen = operator.field(f"{place}/payments/{number}", "seen")
    form = {"amount": "100", "reason": "once more", "act_id": f"{number % 10**9}8", "seen": seen}
    assert operator.post(f"{place}/payments/{number}/refund", **form).status_code == 303
    page = operator.get(f"{place}/refunds/{refund_id}").text
    assert "The next one" in page
    assert "Refund again" not in page


def test_a_refund_that_came_back_says_so_and_may_be_made_again(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    number, refund_id = refunded(gateway, demo_shop, browser, operator, place, "closedrefund@hundi")
    becomes(gateway, refund_id, "reversed")
    assert refund_id in listed(operator.get(f"{place}/refunds", state="reversed").text)
    page = operator.get(f"{place}/refunds/{refund_id}").text
    for words in (
        "It came back after it was done",
        "in your balance again",
        "Came back",
        "M3 The account is closed",
    ):
        assert words in page, words
    assert "Refund again at the payment" in page
    story = operator.get(f"{place}/payments/{number}").text
    assert "Reversed" in story
    assert "M3 The account is closed" in story


def test_refunds_page_by_their_key_and_leave_as_a_file(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    made = [refunded(gateway, demo_shop, browser, operator, place)[1] for _ in range(2)]
    rows = listed(operator.get(f"{place}/refunds").text)
    assert rows == sorted(rows, reverse=True)
    below = listed(operator.get(f"{place}/refunds", before=str(max(made))).text)
    assert max(made) not in below
    assert min(made) in below
    answer = operator.get(f"{place}/refunds/export", cause="merchant")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    told = {int(row["refund_id"]): row for row in csv.DictReader(io.StringIO(answer.text))}
    assert (told[made[0]]["amount"], told[made[0]]["currency"], told[made[0]]["days"]) == (
        "100.00",
        "INR",
        "0",
    )
    assert {row["cause"] for row in told.values()} == {"merchant"}
    assert gateway.value("SELECT count(*) FROM trail_entries WHERE act = 'refund.export'")


def test_a_neighbour_knows_of_no_refund_and_a_reader_takes_no_file(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    _, refund_id = refunded(gateway, demo_shop, browser, operator, place)
    elsewhere = gateway.demo["merchants"][1]["merchant_id"]
    assert operator.get(f"{elsewhere}/refunds/{refund_id}").status_code == 404
    assert refund_id not in listed(operator.get(f"{elsewhere}/refunds").text)
    for odd in ("refunds/0", f"refunds/{10**15}"):
        assert operator.get(f"{place}/{odd}").status_code == 404, odd
    for odd in ({"state": "nonsense"}, {"before": "x"}, {"since": "31.02.2026"}, {"from": "1e9"}):
        assert operator.get(f"{place}/refunds", **odd).status_code == 200, odd
    with session_of(gateway, "reader@demo.example", "198.51.100.38") as reader:
        assert reader.get(f"{place}/refunds/{refund_id}").status_code == 200
        assert reader.get(f"{place}/refunds/export").status_code == 403
        assert "Export" not in reader.get(f"{place}/refunds").text
