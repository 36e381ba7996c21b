"""What a bank holds, captured and given back in the console.

Once, by who may, with its entry in the trail.
"""

from collections.abc import Iterator

import pytest

from tests.system.browser import Browser
from tests.system.console import Console
from tests.system.running import RunningGateway, until
from tests.system.shop import AMOUNT_PAISE, Shop, new_order_id, pay_card
from tests.system.test_console_payments import OPERATOR, demo_shop, place, session_of

__all__ = ["demo_shop", "place"]
pytestmark = pytest.mark.usefixtures("books_hold")


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.35") as browser:
        yield browser


def held(shop: Shop, browser: Browser) -> tuple[str, int]:
    """Return an order whose amount the card's bank holds, and its number."""
    order_id = new_order_id("H")
    pay_card(browser, shop.open_page(browser, order_id, authorise_only=True))
    return order_id, int(shop.verify(order_id).transaction_id)


def trail_of(gateway: RunningGateway, number: int) -> list[str]:
    rows = gateway.rows(
        "SELECT act FROM trail_entries WHERE about = $1 ORDER BY entry_no", str(number)
    )
    return [row["act"] for row in rows]


@pytest.mark.parametrize("rupees", ["1000.00", "1499.50"])
def test_a_hold_is_captured_wholly_or_in_part_once(
    gateway: RunningGateway,
    demo_shop: Shop,
    browser: Browser,
    operator: Console,
    place: str,
    rupees: str,
) -> None:
    order_id, number = held(demo_shop, browser)
    one, captured = f"{place}/payments/{number}", round(float(rupees) * 100)
    assert 'value="1499.50"' in operator.get(one).text, "the form offers all that is held"
    for wrong in ("0", "-5", "1499.51", "ten"):
        assert operator.post(f"{one}/capture", amount=wrong).status_code == 409, wrong
    assert trail_of(gateway, number) == []
    answer = operator.post(f"{one}/capture", amount=rupees)
    assert answer.headers["location"] == f"/console/{one}?said=captured"
    until(
        lambda: demo_shop.verify(order_id).payment_status == "CAPTURE",
        "the bank to have captured it",
    )
    assert demo_shop.verify(order_id).captured_paise == captured
    assert demo_shop.bank_endings(order_id) == [("capture", captured)]
    assert trail_of(gateway, number) == ["payment.capture"]
    page = operator.get(one).text
    assert "Captured a payment" in page
    assert f"{one}/void" not in page, "what is captured is refunded, not given back"
    for act in ("capture", "void"):
        assert operator.post(f"{one}/{act}", amount=rupees).status_code == 409, act
    assert trail_of(gateway, number) == ["payment.capture"]


def test_a_hold_is_given_back_once(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    order_id, number = held(demo_shop, browser)
    one = f"{place}/payments/{number}"
    assert operator.post(f"{one}/void").headers["location"] == f"/console/{one}?said=voided"
    until(
        lambda: demo_shop.bank_endings(order_id) == [("void", AMOUNT_PAISE)],
        "the bank to have given it back",
    )
    until(lambda: "Voided" in operator.get(one).text, "the payment to be voided")
    assert operator.post(f"{one}/void").status_code == 409
    assert operator.post(f"{one}/capture", amount="1").status_code == 409
    assert trail_of(gateway, number) == ["payment.void"]


def test_who_looks_completes_nothing_and_a_neighbour_knows_of_nothing(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    order_id, number = held(demo_shop, browser)
    elsewhere = gateway.demo["merchants"][1]["merchant_id"]
    assert operator.post(f"{elsewhere}/payments/{number}/capture", amount="1").status_code == 404
    assert operator.post(f"{elsewhere}/payments/{number}/void").status_code == 404
    with session_of(gateway, "reader@demo.example", "198.51.100.36") as reader:
        page = reader.get(f"{place}/payments/{number}").text
        assert f"payments/{number}/capture" not in page
        for act in ("capture", "void"):
            assert reader.post(f"{place}/payments/{number}/{act}", amount="1").status_code == 403, (
                act
            )
    assert demo_shop.bank_endings(order_id) == []
    assert trail_of(gateway, number) == []
    demo_shop.client.void(number)
