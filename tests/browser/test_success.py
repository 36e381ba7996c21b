"""Why did success drop today? By the words of the console alone, in a real browser."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, expect

from tests.browser.customer import DESK, PHONE
from tests.browser.looks import assert_fits, assert_no_axe_violations
from tests.system.bank_redirects import NB, go, pay_there
from tests.system.browser import Browser
from tests.system.conftest import server, shop
from tests.system.console import Console
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id, settled
from tests.system.test_console_payments import demo_shop, place, session_of

__all__ = ["demo_shop", "place", "server", "shop"]


@pytest.fixture(scope="module")
def owner(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, "asha@demo.example", "198.51.100.91") as console:
        yield console


@pytest.fixture(params=[(DESK, "light"), (PHONE, "dark")], ids=["desk", "phone"])
def page(request: pytest.FixtureRequest, owner: Console, browser: Chromium) -> Iterator[Page]:
    """Who signs in comes first: the loop of a browser that runs lets nobody look into the books."""
    looks, scheme = request.param
    context = browser.new_context(**looks, color_scheme=scheme)
    url = owner.gateway.base_url
    cookies = owner.http.cookies.items()
    context.add_cookies([{"name": name, "value": text, "url": url} for name, text in cookies])
    yield context.new_page()
    context.close()


def test_why_success_dropped_takes_three_clicks(
    demo_shop: Shop, page: Page, owner: Console, place: str
) -> None:
    order_id = new_order_id("DROP")
    with Browser() as customer:
        there = go(customer, demo_shop.open_page(customer, order_id), NB, "HDFC")
        settled(customer, pay_there(customer, there, NB, "decline"))
    page.goto(f"{owner.gateway.base_url}/console/{place}/")
    page.get_by_role("link", name="of today's tries paid").click()
    expect(page.get_by_role("heading", name="Success", exact=True)).to_be_visible()
    assert_fits(page)
    assert_no_axe_violations(page)
    reasons = page.locator("figure", has_text="Why tries were not paid")
    reasons.get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="Tries that were not paid")).to_be_visible()
    assert_fits(page)
    assert_no_axe_violations(page)
    page.get_by_role("link", name="Back to the charts").click()
    page.locator("svg.columns a").last.click()
    page.get_by_role("link", name=order_id).click()
    expect(page.get_by_role("heading", name=f"Payment {order_id}")).to_be_visible()
