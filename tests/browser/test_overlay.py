"""The payment page over a shop's own page.

Bought in a frame, at a bank, and where frames are refused.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

from tests.browser.customer import CHALLENGE, DESK, GOOD_CARD, GOOD_OTP, PHONE, SESSION
from tests.docs.examples import ROOT
from tests.system.machine import free_port
from tests.system.running import RunningGateway

OpenShop = Callable[..., str]


@pytest.fixture
def open_shop(gateway: RunningGateway, tmp_path: Path) -> Iterator[OpenShop]:
    """`open_shop(framed=…, channels=…)` starts examples/overlay.py for a merchant.

    It returns its address. channels: "" for those of a new merchant.
    """
    started: list[subprocess.Popen[str]] = []

    def added(url: str, channels: str, *, framed: bool) -> dict[str, str]:
        made = gateway.operate("merchant", "add", "My shop")
        addresses = {"success": "/return", "failure": "/return", "notification": "/notifications"}
        options = [
            part for name, path in addresses.items() for part in (f"--{name}-url", url + path)
        ]
        if channels:
            options += ["--channels", channels]
        gateway.operate("merchant", "set", made["merchant_id"], *options)
        if framed:
            gateway.operate("merchant", "frames", made["merchant_id"], url)
        return made

    def start(channels: str = "", *, framed: bool = True) -> str:
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        with ThreadPoolExecutor() as elsewhere:  # the browser's event loop runs in this thread
            made = elsewhere.submit(added, url, channels, framed=framed).result()
        keys = tmp_path / "merchant.json"
        keys.write_text(json.dumps(made), "utf-8")
        command = [
            sys.executable,
            ROOT / "examples" / "overlay.py",
            keys,
            gateway.base_url,
            str(port),
        ]
        shop = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        started.append(shop)
        assert shop.stdout is not None
        assert shop.stdout.readline().strip() == f"Open {url}/"
        return url

    yield start
    for shop in started:
        shop.kill()
        shop.communicate()


def buy(page: Page, url: str) -> FrameLocator:
    """Choose the one thing that there is, press Pay, and return the payment page in its frame."""
    page.goto(url)
    page.get_by_role("button", name=re.compile("^Buy a handloom sari")).click()
    page.get_by_role("button", name="Pay", exact=True).click()
    return page.frame_locator("iframe[title='Payment page']")


def test_a_sari_is_bought_in_a_frame(browser: Browser, open_shop: OpenShop) -> None:
    context, url = browser.new_context(**DESK), open_shop()
    page = context.new_page()
    framed = buy(page, url)
    expect(framed.get_by_role("heading", name="How would you like to pay?")).to_be_visible()
    with context.expect_page() as opened:
        framed.get_by_role("link", name="Open the simulated UPI app").first.click()
    opened.value.get_by_label("Pay from").fill("success@hundi")
    opened.value.get_by_role("button", name=re.compile("^Pay ")).click()
    expect(framed.get_by_role("heading", name="Paid")).to_be_visible()
    expect(page.locator("#told")).to_have_text("The payment page says: paid")
    assert page.url == f"{url}/buy"
    framed.get_by_role("button", name=re.compile("^Continue to ")).click()
    page.wait_for_url(f"{url}/")
    expect(page.get_by_role("listitem")).to_contain_text(": paid")
    context.close()


def test_escape_closes_the_overlay_while_the_frame_has_the_focus(
    browser: Browser, open_shop: OpenShop
) -> None:
    context, url = browser.new_context(**DESK), open_shop("upi_pg_nb")
    page = context.new_page()
    framed = buy(page, url)
    framed.locator("summary", has_text="Net banking").click()
    search = framed.get_by_label("Search")
    search.fill("nothing")
    search.press("Escape")
    expect(search).to_have_value("")
    expect(page.get_by_role("dialog")).to_be_visible()
    framed.locator("summary", has_text="Credit or debit card").click()
    framed.get_by_label("Card number").focus()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    context.close()


def test_a_banks_page_takes_the_whole_window(browser: Browser, open_shop: OpenShop) -> None:
    context, url = browser.new_context(**DESK), open_shop()
    page = context.new_page()
    framed = buy(page, url)
    row = framed.locator("summary", has_text="Credit or debit card")
    row.click()
    framed.get_by_label("Card number").fill(GOOD_CARD)
    framed.get_by_label("Expiry").fill("12/30")
    framed.get_by_label("Security code").fill("123")
    framed.locator("form#card").get_by_role("button", name=re.compile("^Pay ")).click()
    page.wait_for_url(CHALLENGE)
    page.get_by_label("One-time password").fill(GOOD_OTP)
    page.get_by_role("button", name=re.compile("^Confirm ")).click()
    page.wait_for_url(SESSION)
    page.get_by_role("button", name=re.compile("^Continue to ")).click()
    page.wait_for_url(f"{url}/")
    expect(page.get_by_role("listitem")).to_contain_text(": paid")
    context.close()


def test_a_banks_page_that_stands_open_takes_the_whole_window_too(
    browser: Browser, open_shop: OpenShop
) -> None:
    context, url = browser.new_context(**DESK), open_shop()
    page = context.new_page()
    framed = buy(page, url)
    expect(framed.get_by_role("heading", name="How would you like to pay?")).to_be_visible()
    session = page.frames[1].url
    begun = context.request.post(
        session + "/card", form={"number": GOOD_CARD, "expiry": "12/30", "cvv": "123"}
    )
    assert begun.status == 200
    with page.expect_request(CHALLENGE) as asked:
        framed.get_by_role("link", name="Go on to your bank").click()
    page.wait_for_url(CHALLENGE)
    assert asked.value.all_headers()["referer"] == session.partition("/pay/")[0] + "/"
    context.close()


def test_a_shop_that_is_not_registered_gets_the_whole_page(
    browser: Browser, open_shop: OpenShop
) -> None:
    context, url = browser.new_context(**DESK), open_shop(framed=False)
    page = context.new_page()
    buy(page, url)
    page.wait_for_url(SESSION)
    expect(page.get_by_role("heading", name="How would you like to pay?")).to_be_visible()
    context.close()


def test_a_phone_gets_the_whole_page(browser: Browser, open_shop: OpenShop) -> None:
    context, url = browser.new_context(**PHONE), open_shop()
    page = context.new_page()
    buy(page, url)
    page.wait_for_url(SESSION)
    context.close()


def test_a_closed_overlay_leaves_the_shop_as_it_was(browser: Browser, open_shop: OpenShop) -> None:
    context, url = browser.new_context(**DESK), open_shop()
    page = context.new_page()
    framed = buy(page, url)
    expect(framed.get_by_role("heading", name="How would you like to pay?")).to_be_visible()
    page.get_by_role("button", name="Close the payment").click()
    expect(page.locator("#told")).to_have_text("The payment was closed.")
    expect(page.locator("iframe")).to_have_count(0)
    context.close()


def test_nobody_else_may_hold_the_page(browser: Browser, open_shop: OpenShop) -> None:
    context, url = browser.new_context(**DESK), open_shop()
    page = context.new_page()
    framed = buy(page, url)
    expect(framed.get_by_role("heading", name="How would you like to pay?")).to_be_visible()
    address = page.frames[1].url
    answer = context.request.get(address)
    assert f"frame-ancestors {url};" in answer.headers["content-security-policy"]
    assert "x-frame-options" not in answer.headers
    other = context.new_page()
    other.goto(open_shop())
    other.set_content(f'<iframe src="{address}"></iframe>')
    expect(
        other.frame_locator("iframe").get_by_role("heading", name="How would you like to pay?")
    ).to_have_count(0)
    context.close()
