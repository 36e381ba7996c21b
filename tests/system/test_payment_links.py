"""Payment links at the running gateway.

Paid at once, in parts, by two at once, after a cancellation; the books hold.
"""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hundi.kernel.records import replace
from hundi.sdk import NewPaymentLink, errors
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, enter_card, enter_otp, pay_card

pytestmark = pytest.mark.usefixtures("books_hold")
AMOUNT = 150_000
DESCRIPTION = "Two silk sarees"


@pytest.fixture(scope="module")
def shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A shop of this file's own: links are listed."""
    yield from open_shop(gateway, server, "links")


def make(shop: Shop, amount: str = "1500", *options: str) -> dict[str, Any]:
    return shop.gateway.operate(
        "link", "make", shop.merchant.merchant_id, amount, DESCRIPTION, *options
    )


def stands(shop: Shop, link: dict[str, Any]) -> dict[str, Any]:
    return shop.gateway.operate("link", "show", shop.merchant.merchant_id, link["link_id"])


def go(browser: Browser, link: dict[str, Any], **typed: str) -> Screen:
    """Open a link and go on to its payment page."""
    page = browser.get(link["address"])
    assert page.status == 200, page.text
    return browser.submit(page.form(link["address"].rpartition("/")[2]), **typed)


def becomes(shop: Shop, link: dict[str, Any], state: str) -> dict[str, Any]:
    return until(
        lambda: (found := stands(shop, link))["state"] == state and found, f"the link to be {state}"
    )


def counted(shop: Shop, link: dict[str, Any]) -> dict[str, Any]:
    """Wait until every order under a link is counted, and return the link."""

    def look() -> dict[str, Any] | None:
        found = stands(shop, link)
        return found if all(each["counted_at"] for each in found["orders"]) else None

    return until(look, "the orders to be counted")


def test_a_link_is_paid_at_once(shop: Shop, browser: Browser) -> None:
    link = make(shop)
    page = browser.get(link["address"])
    assert page.heading == "Pay ₹1,500.00 to The links"
    assert DESCRIPTION in page.text
    paid = pay_card(browser, go(browser, link))
    assert paid.heading == "Paid"
    # No shop waits for this order: the way goes back to the link.
    assert not paid.forms or all("/paid" not in each.action for each in paid.forms)
    back = browser.get(paid.link("/l/"))
    assert (back.status, back.heading) == (200, "This link is paid")
    assert back.forms == []
    told = becomes(shop, link, "paid")
    assert (told["paid_paise"], [each["counted_paise"] for each in told["orders"]]) == (
        150_000,
        [150_000],
    )
    news = shop.hears_event(told["orders"][0]["order"], "paid")
    assert news.transaction.custom_var == link["link_id"]


def test_parts_are_orders_of_their_own(shop: Shop, browser: Browser) -> None:
    link = make(shop, "1500", "--minimum", "500")
    wrong = go(browser, link, amount="499.99")
    assert wrong.status == 422
    assert "Enter an amount from ₹500.00 to ₹1,500.00." in wrong.text
    assert pay_card(browser, go(browser, link, amount="600")).heading == "Paid"
    after = browser.get(link["address"])
    assert "₹600.00 of ₹1,500.00 is paid." in after.text
    assert after.heading == "Pay ₹900.00 to The links"
    assert pay_card(browser, go(browser, link, amount="700")).heading == "Paid"
    # What is left is below the least of a part, and is paid whole.
    assert pay_card(browser, go(browser, link)).heading == "Paid"
    told = becomes(shop, link, "paid")
    assert [each["counted_paise"] for each in told["orders"]] == [60_000, 70_000, 20_000]


def at_the_bank(link: dict[str, Any]) -> tuple[Browser, Screen]:
    """Let one more customer go as far as the bank's question."""
    browser = Browser()
    return browser, enter_card(browser, go(browser, link))


@pytest.mark.parametrize(("option", "back"), [((), 150_000), (("--keep-surplus",), 0)])
def test_two_who_pay_the_same_at_once(shop: Shop, option: tuple[str, ...], back: int) -> None:
    link = make(shop, "1500", *option)
    both = [at_the_bank(link) for _ in range(2)]
    with ThreadPoolExecutor() as pool:
        pages = list(pool.map(lambda each: enter_otp(*each), both))
    told = counted(shop, link)
    assert (told["state"], len(told["orders"])) == ("paid", 2)
    assert max(each["given_back_paise"] for each in told["orders"]) == back
    assert told["paid_paise"] == (300_000 if option else 150_000)
    surplus = [each["order"] for each in told["orders"] if each["given_back_paise"] == 150_000]
    assert len(surplus) == (0 if option else 1)
    for order in surplus:
        until(lambda: shop.payment(order)["refunded_paise"] == AMOUNT, "the surplus to go back")
    kept = [each["order"] for each in told["orders"] if each["order"] not in surplus]
    assert [shop.payment(order)["refunded_paise"] for order in kept] == [0] * len(kept)
    seen = [browser.get(page.url).text for (browser, _), page in zip(both, pages, strict=True)]
    assert sum(
        "The link was already paid when your payment arrived" in each for each in seen
    ) == len(surplus)
    for browser, _ in both:
        browser.http.close()


def test_one_who_pays_after_the_cancellation_is_paid_back(shop: Shop) -> None:
    link = make(shop)
    browser, asked = at_the_bank(link)
    shop.gateway.operate("link", "cancel", shop.merchant.merchant_id, link["link_id"])
    page = browser.get(link["address"])
    assert (page.heading, page.forms) == ("This link was cancelled", [])
    enter_otp(browser, asked)
    told = counted(shop, link)
    assert (told["state"], told["paid_paise"], told["orders"][0]["given_back_paise"]) == (
        "cancelled",
        0,
        150_000,
    )
    until(
        lambda: shop.payment(told["orders"][0]["order"])["refunded_paise"] == 150_000,
        "the money to go back",
    )
    browser.http.close()


def test_the_trail_tells_of_a_commands_link_once(shop: Shop) -> None:
    number = shop.merchant.merchant_id
    for _ in range(2):
        link = make(shop, "1500", "--reference", "INV-2")["link_id"]
        shop.gateway.operate("link", "cancel", number, link)
    told = shop.gateway.rows(
        "SELECT act, person, detail FROM trail_entries WHERE about = $1 ORDER BY entry_no", link
    )
    assert [row["act"] for row in told] == ["link.make", "link.cancel"]
    assert all(row["person"].endswith("(command line)") for row in told)
    assert json.loads(told[0]["detail"]) == {"amount": "₹1,500.00", "description": DESCRIPTION}


def test_the_same_reference_makes_one_link(shop: Shop) -> None:
    made = make(shop, "1500", "--reference", "INV-1")
    assert make(shop, "1500", "--reference", "INV-1")["link_id"] == made["link_id"]
    refused = shop.gateway.invoke(
        "link", "make", shop.merchant.merchant_id, "1501", DESCRIPTION, "--reference", "INV-1"
    )
    assert refused.exit_code == 2


def test_an_address_of_no_link_and_of_somebody_elses(shop: Shop, browser: Browser) -> None:
    link = make(shop)
    host, code = link["address"].rsplit("/", 1)
    merchant, _, secret = code.partition(".")
    assert browser.get(f"{host}/{merchant}.{secret[::-1]}").status == 404
    assert browser.get(f"{host}/{int(merchant) + 1}.{secret}").status == 404
    posted = browser.http.post(
        link["address"], headers={"origin": "https://evil.example", "sec-fetch-site": "cross-site"}
    )
    assert posted.status_code == 403
    assert stands(shop, link)["orders"] == []


def test_the_page_speaks_the_chosen_language(shop: Shop, browser: Browser) -> None:
    link = make(shop)
    page = browser.get(f"{link['address']}?lang=hi")
    assert page.path.endswith(".hi")
    assert "भुगतान" in page.text
    assert go(browser, {**link, "address": page.url}).path.endswith(".hi")


def test_a_shops_server_makes_a_link_and_follows_it(shop: Shop, browser: Browser) -> None:
    new = NewPaymentLink(
        reference="INV-9", amount_paise=AMOUNT, description=DESCRIPTION, minimum_paise=50_000
    )
    made = shop.client.create_link(new)
    assert shop.client.create_link(new) == made
    with pytest.raises(errors.OrderRefusedError) as refused:
        shop.client.create_link(replace(new, amount_paise=AMOUNT + 1))
    assert refused.value.code == "122"
    pay_card(browser, go(browser, {"address": made.url}, amount="600"))
    found = shop.client.link(reference="INV-9")
    assert (found.state, found.paid_paise, [each.amount_paise for each in found.payments]) == (
        "partly_paid",
        60_000,
        [60_000],
    )
    assert made.link_id in {each.link_id for each in shop.client.links()}
    assert shop.client.cancel_link(made.link_id).state == "cancelled"


FILL = """
INSERT INTO payment_link_orders (merchant_id, link_id, order_no, amount_paise, created_at)
SELECT $1, $2, number, 100, $3 FROM generate_series(1, 500) AS number
"""


def test_orders_that_ended_unpaid_end_no_link(shop: Shop, browser: Browser) -> None:
    """Whoever has a link's address may begin 500 orders under it.

    Then the next customer still can pay.
    """
    link = make(shop, "1500")
    key = (shop.merchant.number, int(link["link_id"]))
    shop.gateway.rows(FILL, *key, datetime.now(UTC))
    full = browser.submit(browser.get(link["address"]).forms[0])
    assert full.status == 409
    aged = "UPDATE payment_link_orders SET created_at = $3 WHERE merchant_id = $1 AND link_id = $2"
    shop.gateway.rows(aged, *key, datetime.now(UTC) - timedelta(hours=1))
    assert pay_card(browser, go(browser, link)).heading == "Paid"
    assert becomes(shop, link, "paid")["state"] == "paid"


def test_one_address_opens_a_link_so_often_a_minute(shop: Shop, browser: Browser) -> None:
    link = make(shop, "1500")
    form = browser.get(link["address"]).forms[0]
    statuses = [browser.submit(form).status for _ in range(25)]
    assert statuses[-1] == 429
    assert statuses.count(429) >= 5


def test_addresses_of_one_ipv6_network_open_a_link_as_one_does(shop: Shop) -> None:
    """A customer has a whole /64: another address for each order is no other customer."""
    link = make(shop, "1500")

    def opened_from(address: str) -> int:
        with Browser(**{"x-forwarded-for": address}) as browser:
            return browser.submit(browser.get(link["address"]).forms[0]).status

    statuses = [opened_from(f"2001:db8:7:1:{place:x}::{place + 1:x}") for place in range(25)]
    # A minute may end between two of them.
    assert statuses[-1] == 429
    assert statuses.count(429) >= 5
    assert opened_from("2001:db8:7:2::1") == 200, "the next network is another customer's"


_BENT = {
    "marked as paid": "UPDATE payment_links SET paid_paise = amount_paise WHERE link_id = $1",
    "an order counted that nobody paid": """
        WITH ordered AS (
            INSERT INTO payment_link_orders (merchant_id, link_id, order_no, amount_paise,
                created_at, payment_id, counted_at, counted_paise)
            SELECT merchant_id, link_id, 1, amount_paise, now(), 1, now(), amount_paise
                FROM payment_links
            WHERE link_id = $1)
        UPDATE payment_links SET paid_paise = amount_paise WHERE link_id = $1""",
}

_UNDO = (
    "ALTER TABLE payment_link_orders DISABLE TRIGGER USER",
    "ALTER TABLE payment_links DISABLE TRIGGER USER",
    "DELETE FROM payment_link_orders WHERE link_id = {}",
    "DELETE FROM payment_links WHERE link_id = {}",
    "ALTER TABLE payment_links ENABLE TRIGGER USER",
    "ALTER TABLE payment_link_orders ENABLE TRIGGER USER",
)


@pytest.mark.parametrize("bent", _BENT.values(), ids=list(_BENT))
def test_a_link_that_was_marked_as_paid_by_sql_is_named(shop: Shop, bent: str) -> None:
    link = make(shop)
    shop.gateway.rows(bent, int(link["link_id"]))
    try:
        report = json.loads(shop.gateway.invoke("audit", "--json").stdout)
        (found,) = [each for each in report["checked"] if each["name"] == "link_differs"]
        assert [str(link["link_id"]) in sample["subject"] for sample in found["samples"]] == [True]
    finally:
        for statement in _UNDO:
            shop.gateway.rows(statement.format(int(link["link_id"])))
