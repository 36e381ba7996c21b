"""Developers' pages in a real browser.

A list that renews itself and can be paused, results that are copied.
"""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.browser.customer import DESK, PHONE
from tests.browser.looks import assert_accessible, assert_fits, assert_no_axe_violations
from tests.browser.test_console import _complaints, _context
from tests.system.console import Console
from tests.system.envelopes import Merchant, Sender
from tests.system.running import RunningGateway

EMAIL = "bharat@demo.example"


@pytest.fixture(scope="module")
def signed_in(gateway: RunningGateway) -> Iterator[Console]:
    gateway.rows("UPDATE people SET totp_step = 0 WHERE email = $1", EMAIL)
    with Console(gateway, "198.51.100.81") as console:
        assert console.sign_in(EMAIL).headers["location"] == "/console/"
        gateway.rows("UPDATE people SET totp_step = 0 WHERE email = $1", EMAIL)
        yield console


@pytest.fixture
def merchant(gateway: RunningGateway) -> Merchant:
    return Merchant.of(gateway.demo["merchants"][1])


@pytest.fixture
def sender(gateway: RunningGateway) -> Iterator[Sender]:
    with httpx.Client(trust_env=False, timeout=30) as http:
        yield Sender(gateway.base_url, http)


def test_the_list_renews_itself_and_is_paused(
    signed_in: Console, browser: Browser, merchant: Merchant, sender: Sender
) -> None:
    context = _context(browser, signed_in, **DESK)
    page = context.new_page()
    complaints = _complaints(page)
    page.goto(f"{signed_in.gateway.base_url}/console/{merchant.merchant_id}/requests")
    expect(page.get_by_text("Renews itself")).to_be_visible()
    reply = sender.verify(merchant, {"orderid": "x"}, privatekey="0" * 64)
    expect(page.get_by_text(reply.envelope["request_id"])).to_be_visible()
    assert_accessible(page)
    assert_no_axe_violations(page)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("Paused.")).to_be_visible()
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
    assert complaints == []
    context.close()


def test_without_scripts_a_press_renews(
    signed_in: Console, browser: Browser, merchant: Merchant, sender: Sender
) -> None:
    context = _context(browser, signed_in, **PHONE, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{signed_in.gateway.base_url}/console/{merchant.merchant_id}/requests")
    reply = sender.verify(merchant, {"orderid": "x"}, privatekey="0" * 64)
    expect(page.get_by_role("button", name="Pause")).to_have_count(0)
    page.get_by_role("link", name="Reload").click()
    page.locator(f"a[href$='{reply.envelope['request_id']}']").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Refused request")
    page.get_by_role("link", name="Paste the request").click()
    page.get_by_label("The whole body").fill("merchant_id=1&privatekey=0")
    page.get_by_role("button", name="Compare a request").click()
    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    context.close()


def test_a_result_is_copied(signed_in: Console, browser: Browser, merchant: Merchant) -> None:
    context = _context(
        browser, signed_in, **PHONE, permissions=["clipboard-read", "clipboard-write"]
    )
    page = context.new_page()
    page.goto(f"{signed_in.gateway.base_url}/console/{merchant.merchant_id}/lab?act=seal")
    page.get_by_label("The message").fill('{"orderid": "A"}')
    page.get_by_role("button", name="Seal a message").click()
    page.get_by_role("button", name="Copy").first.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    shown = page.locator("[data-copy]").first.inner_text()
    assert page.evaluate("navigator.clipboard.readText()") == shown
    assert_fits(page)
    context.close()
