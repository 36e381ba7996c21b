"""The screens of the partners' interfaces.

The offers page, and the simulated terminal and phones behind others.
"""

import hmac
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from hundi.infra.settings import ACQUIRER_KEY_FILE
from hundi.sdk.partner import Offers, PartnerCredentials
from tests.browser.conftest import Visit
from tests.browser.customer import DESK, PATIENCE_MS, PHONE
from tests.browser.looks import (
    assert_accessible,
    assert_fits,
    assert_no_axe_violations,
    assert_room_for_thumbs,
)
from tests.system.endpoint import Answer, MerchantServer, ReceivedRequest
from tests.system.running import RunningGateway

DEVICES = pytest.mark.parametrize("device", [DESK, PHONE], ids=["desk", "phone"])
BETWEEN_LOOKS_MS = 100
LONG_NAME = "Venkatanarasimharajuvaripeta" * 3
WORDS = "123456 is your one-time password. Nobody of us asks for it. " + "Unbrokenwords" * 10
NOW = datetime.now(UTC)
GRANTED: Mapping[str, Callable[[Offers], bytes]] = {
    "plenty": lambda o: o.grant(customer="Asha Rao", amount_paise=2_500_00, at=NOW),
    "single": lambda o: o.grant(customer=LONG_NAME, amount_paise=1_00, at=NOW),
    "nobody": lambda o: o.grant(customer="", amount_paise=600_00, at=NOW),
    "ended": lambda o: o.grant(
        customer="Asha Rao", amount_paise=1_500_00, at=NOW - timedelta(days=9), expiry_days=3
    ),
    "closed": lambda o: o.grant(
        customer="Asha Rao", amount_paise=1_500_00, at=NOW - timedelta(days=99)
    ),
    "broken": lambda _: b"<html>",
}


@pytest.fixture(scope="module")
def offers_url(gateway: RunningGateway) -> Iterator[str]:
    """The offers page of an affiliate that grants what GRANTED says."""
    partner = json.loads(gateway.hundi("partner", "add", "Malgudi Sweets", "--json"))
    offers = Offers(PartnerCredentials(affiliate=partner["affiliate"], secret=partner["secret"]))

    def answered(heard: ReceivedRequest) -> Answer:
        unique = offers.question(heard.headers["checksum"], heard.body)
        return Answer(body=GRANTED[unique](offers))

    with MerchantServer() as server:
        endpoint = server.endpoint("offers")
        endpoint.choose = answered
        gateway.hundi("partner", "set", partner["affiliate"], "--offers-callback", endpoint.url)
        yield f"{gateway.demo['offers_url']}/app/{partner['affiliate']}/"


def look(page: Page, device: Mapping[str, Any]) -> None:
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)
    if device is PHONE:
        assert_room_for_thumbs(page)


@DEVICES
def test_an_offer_says_how_many_coupons_there_are(
    visit: Visit, offers_url: str, device: Mapping[str, Any]
) -> None:
    page = visit(**device).page
    for unique, heading, count in (
        ("plenty", "Asha Rao, you have 8 coupons", 8),
        ("single", f"{LONG_NAME}, you have 1 coupon", 1),
        ("nobody", "You have 2 coupons", 2),
    ):
        page.goto(offers_url + unique)
        expect(page.get_by_role("heading", level=1)).to_have_text(heading)
        expect(page.get_by_role("list", name="Coupon codes").get_by_role("listitem")).to_have_count(
            count
        )
        expect(page.get_by_text("You can open this page again until")).to_be_visible()
        look(page, device)


@DEVICES
def test_an_offer_that_has_ended_strikes_out_codes_alone(
    visit: Visit, offers_url: str, device: Mapping[str, Any]
) -> None:
    page = visit(**device).page
    page.goto(offers_url + "ended")
    expect(page.get_by_role("heading", level=1)).to_have_text("Asha Rao, you had 4 coupons")
    expect(page.get_by_text("You can open this page again")).to_have_count(0)
    code = page.get_by_role("listitem").first.locator("code")
    expect(code).to_have_css("text-decoration-line", "line-through")
    expect(page.get_by_role("listitem").first).to_have_css("text-decoration-line", "none")
    look(page, device)


@DEVICES
@pytest.mark.parametrize(
    ("path", "heading"),
    [
        ("broken", "Your offer cannot be shown right now"),
        ("closed", "This offer is over"),
        ("", "There is no offer at this address"),
    ],
)
def test_what_cannot_be_shown_is_said_calmly(
    visit: Visit, offers_url: str, device: Mapping[str, Any], path: str, heading: str
) -> None:
    customer = visit(**device)
    customer.forgive("Failed to load resource")
    customer.page.goto(offers_url + path)
    expect(customer.page.get_by_role("heading", level=1)).to_have_text(heading)
    expect(customer.page.get_by_text("Shown by Hundi")).to_be_visible()
    expect(customer.page.get_by_text("Secure payment")).to_have_count(0)
    look(customer.page, device)


@DEVICES
def test_a_message_on_a_phone_is_read_to_its_end(
    visit: Visit, gateway: RunningGateway, device: Mapping[str, Any]
) -> None:
    holder = json.loads(gateway.hundi("register", "people", "6000000007", "--json"))[0]
    key = (gateway.data_dir / ACQUIRER_KEY_FILE).read_text().strip().encode()
    reference = hmac.digest(key, b"identity register " + holder["number"].encode(), "sha256").hex()
    body, at = json.dumps({"reference": reference, "words": WORDS}).encode(), str(int(time.time()))
    signature = f"t={at},v1={hmac.new(key, at.encode() + b'.' + body, 'sha256').hexdigest()}"
    bank = gateway.demo["simbank_url"]
    sent = httpx.post(
        bank + "/phones/send",
        content=body,
        headers={"acquirer-signature": signature},
        trust_env=False,
    )
    assert sent.json()["entry"] == {"mobile_last4": "0007"}
    page = visit(**device).page
    page.goto(bank + "/phones")
    page.get_by_label("Mobile number").fill("6000000007")
    page.get_by_role("button", name="Show").click()
    message = page.get_by_text(WORDS).first
    assert message.evaluate("each => each.scrollWidth <= each.clientWidth")
    look(page, device)
    page.get_by_label("Mobile number").fill("6000000008")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name="Nothing has arrived yet")).to_be_visible()
    look(page, device)


@DEVICES
def test_a_terminal_names_what_is_wrong_beside_the_field(
    visit: Visit, gateway: RunningGateway, device: Mapping[str, Any]
) -> None:
    customer = visit(**device)
    customer.forgive("Failed to load resource")
    page = customer.page
    page.goto(gateway.demo["simbank_url"] + "/terminal")
    look(page, device)
    page.locator("form").evaluate("form => form.noValidate = true")
    page.get_by_label("Merchant").fill("my shop")
    page.get_by_role("button", name="Send").click()
    merchant = page.get_by_label("Merchant")
    expect(merchant).to_have_accessible_description(
        re.compile("A merchant's number has 1 to 12 digits")
    )
    expect(merchant).to_have_css("border-color", "rgb(163, 35, 26)")
    fields = page.locator(".field").all()
    boxes = [box for each in fields if (box := each.bounding_box())]
    assert all(upper["y"] + upper["height"] < lower["y"] for upper, lower in pairwise(boxes))
    look(page, device)


@DEVICES
def test_a_terminal_says_what_became_of_a_sale(
    visit: Visit, gateway: RunningGateway, device: Mapping[str, Any]
) -> None:
    page = visit(**device).page
    for terminal, heading in (("T1", "The gateway took it"), ("NOBODYS", "Not taken yet")):
        page.goto(gateway.demo["simbank_url"] + "/terminal")
        page.get_by_label("Merchant").fill(gateway.demo["merchants"][0]["merchant_id"])
        page.get_by_label("Terminal").fill(terminal)
        page.get_by_label("Amount in rupees").fill("149.50")
        page.get_by_role("button", name="Send").click()
        look(page, device)
        # Each click is followed to its page: one that still stands would be asked for what is on
        # the next.
        with page.expect_navigation():
            page.get_by_role("link", name="What the gateway says to it").click()
        headed = page.get_by_role("heading", name=re.compile(heading))
        ends = time.monotonic() + PATIENCE_MS / 1000
        while not headed.is_visible():
            assert time.monotonic() < ends, "the gateway's answer never reached the page"
            with page.expect_navigation():
                page.get_by_role("link", name="Look again").click()
            page.wait_for_timeout(BETWEEN_LOOKS_MS)
        look(page, device)
    expect(page.get_by_text("does not know this terminal yet")).to_be_visible()
    page.get_by_role("link", name="Back to the terminal").click()
    expect(page.get_by_label("Terminal")).to_have_value("NOBODYS")
