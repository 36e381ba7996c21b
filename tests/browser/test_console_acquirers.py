"""The operator's pages of acquirers and routing in a real browser.

How they look, and publishing a plan by hand.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.looks import assert_accessible, assert_fits, assert_no_axe_violations
from tests.browser.test_console import LOOKS, assert_large_enough
from tests.conftest import NewFolder
from tests.system.console import Console
from tests.system.running import RunningGateway
from tests.system.test_console_payments import OPERATOR

PLAN = """
note = "most at the bank"

[[rules]]
name = "large-net-banking-of-one-merchant-at-night"
use = [{ acquirer = "sandbox", weight = 75 }, { acquirer = "spare", weight = 25 }]

[rules.when]
channels = ["nb"]
banks = ["HDFC"]
above_paise = 10000000
hours = [22, 6]
weekdays = ["mon"]

[[rules]]
name = "cards"
when = { channels = ["pg"] }
use = [{ acquirer = "spare" }]
then = ["sandbox"]
prefer = "cost"

[[costs]]
acquirer = "sandbox"
channel = "pg"
basis_points = 175
"""

SCREENS = (
    "acquirers",
    "acquirers/spare",
    "acquirers/spare/change",
    "acquirers/sandbox/payouts?state=done",
    "acquirer-kinds",
    "acquirer-kinds/cashfree_payouts",
    "acquirer-kinds/iso8583",
    "payout-routing?amount=300000&at=2026-11-29T14:30",
    "payout-routing/new",
    "payout-routing/form",
    "routing",
)
SECRET = "typed in a browser 8811"


def operate(gateway: RunningGateway, *arguments: str, text: str = "") -> None:
    """Run a command as a process of its own: a browser's loop runs in this one."""
    ended = gateway.command(*arguments, "--data-dir", str(gateway.data_dir), text=text)
    assert ended.returncode == 0, ended.stderr


@pytest.fixture(scope="module")
def routed(new_folder: NewFolder) -> Iterator[RunningGateway]:
    folder = new_folder("acquirers_looked_at")
    with RunningGateway(folder) as gateway:
        spare = {"url": "http://127.0.0.1:9", "key": "k" * 40, "methods": ["upi_qr", "card"]}
        operate(gateway, "acquirer", "add", "spare", "sandbox", text=json.dumps(spare))
        (file := folder / "plan.toml").write_text(PLAN.replace("175", "150"))
        operate(gateway, "route", "set", str(file), "--by", "asha")
        yield gateway


@pytest.fixture(scope="module")
def operator(routed: RunningGateway) -> Iterator[Console]:
    with Console.signed_in(routed, OPERATOR, "198.51.100.91") as console:
        yield console


def _judge(page: Page) -> None:
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)
    assert_large_enough(page)


@pytest.mark.parametrize(("device", "scheme"), LOOKS, ids=["desk", "phone"])
def test_every_screen_is_structured_and_fits(
    browser: Browser, operator: Console, device: Mapping[str, Any], scheme: str
) -> None:
    routed = operator.gateway
    context = browser.new_context(**device, color_scheme=scheme)
    cookies = [
        {"name": name, "value": value, "url": routed.base_url}
        for name, value in operator.http.cookies.items()
    ]
    context.add_cookies(cookies)
    page = context.new_page()
    base = f"{routed.base_url}/console/all"
    for path in SCREENS:
        page.goto(f"{base}/{path}")
        _judge(page)
    page.get_by_role("link", name="As text").click()
    page.get_by_label("Plan", exact=True).fill(PLAN)
    page.get_by_role("button", name="Try it on the past").click()
    expect(page.get_by_role("heading", name="On the attempts of the last 30 days")).to_be_visible()
    _judge(page)
    (file := routed.data_dir / "other.toml").write_text(PLAN.replace("175", "160"))
    operate(routed, "route", "set", str(file), "--by", "ravi")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("alert")).to_contain_text("published by ravi (command line)")
    _judge(page)
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("status")).to_have_text("Published. It is in force in every process.")
    page.get_by_role("link", name="Version", exact=False).first.click()
    expect(page.locator("ins")).to_contain_text(["green ones", "+ basis_points = 175"])
    _judge(page)
    page.goto(f"{base}/acquirers/spare")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("region", name="What it answered")).to_be_visible()
    _judge(page)
    context.close()


def test_an_account_is_asked_for_by_hand_and_a_mistake_shows_no_secret(
    browser: Browser, operator: Console
) -> None:
    routed = operator.gateway
    device, scheme = LOOKS[1]
    context = browser.new_context(**device, color_scheme=scheme)
    context.add_cookies(
        [
            {"name": name, "value": value, "url": routed.base_url}
            for name, value in operator.http.cookies.items()
        ]
    )
    page = context.new_page()
    page.goto(f"{routed.base_url}/console/all/acquirers")
    page.get_by_role("link", name="Add an account").click()
    page.get_by_role("link", name="Razorpay razorpay", exact=True).click()
    page.get_by_label("Name of the account").fill("by_hand")
    page.get_by_label("Key id", exact=True).fill("nothing of theirs")
    page.get_by_label("Key secret", exact=True).fill(SECRET)
    page.get_by_label("Mode", exact=True).select_option("test")
    page.get_by_label("Reason").fill("by hand")
    page.get_by_role("button", name="Ask for it").click()
    expect(page.get_by_role("alert")).to_contain_text("Some settings are wrong")
    expect(page.get_by_label("Key id", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Key secret", exact=True)).to_have_value("")
    assert SECRET not in page.content()
    _judge(page)
    page.get_by_label("Key id", exact=True).fill("rzp_test_hand")
    page.get_by_label("Key secret", exact=True).fill(SECRET)
    page.get_by_role("button", name="Ask for it").click()
    expect(page.get_by_role("status")).to_have_text("Asked. It waits for a second person.")
    assert SECRET not in page.content()
    expect(page.get_by_text("You asked for it yourself")).to_be_visible()
    _judge(page)
    context.close()
