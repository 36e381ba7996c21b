"""What can be measured about the screens.

Names for every field, headings, contrast, room, dark and Hindi.
"""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from hundi.infra.look.colours import CONTRAST_MIN, contrast
from tests.browser.conftest import Visit
from tests.browser.customer import CHALLENGE, DESK, PHONE, SESSION
from tests.browser.looks import (
    assert_accessible,
    assert_fits,
    assert_no_axe_violations,
    assert_room_for_thumbs,
)
from tests.system.running import RunningGateway

SHEET_PX_MAX = 920
QR_PX_MIN = 220
WHITE_MIN = 250
ONWARD = re.compile(r"/onward\.[0-9a-f]+\.js$")
"""The script that leaves for another site: without it, the page that says where to stays."""
# What is read, on what: the custom properties of the payment page.
PAIRS = (
    ("ink", "ground"),
    ("ink", "sheet"),
    ("ink-quiet", "ground"),
    ("ink-quiet", "sheet"),
    ("accent-text", "ground"),
    ("accent-text", "sheet"),
    ("on-accent", "accent"),
    ("green", "ground"),
    ("amber", "amber-ground"),
    ("ink", "amber-ground"),
    ("red", "red-ground"),
    ("ink", "red-ground"),
    ("red", "sheet"),
)


def _colour(page: Page, name: str) -> tuple[int, int, int]:
    """Return a custom property as the browser computes it."""
    text = page.evaluate(
        """name => {
          const probe = document.body.appendChild(document.createElement("i"));
          probe.style.color = `var(--${name})`;
          const colour = getComputedStyle(probe).color;
          probe.remove();
          return colour;
        }""",
        name,
    )
    red, green, blue = map(int, re.findall(r"\d+", text)[:3])
    return red, green, blue


@pytest.mark.parametrize("device", [DESK, PHONE], ids=["desk", "phone"])
def test_every_screen_is_named_structured_and_fits(
    visit: Visit, gateway: RunningGateway, device: Mapping[str, Any]
) -> None:
    customer = visit(**device)
    page = customer.page

    def look(at: Page = page) -> None:
        assert_accessible(at)
        assert_no_axe_violations(at)
        assert_fits(at)

    page.goto(customer.shop_url)
    look()
    customer.buy()
    look()
    app = customer.open_upi_app("pending@hundi")
    look(app)
    with customer.held_at_the_outcome():
        with gateway.undecided():
            app.get_by_role("button", name=re.compile("^Pay ")).click()
            expect(app.get_by_role("heading", name=re.compile("Pending"))).to_be_visible()
            look(app)
            expect(page.get_by_role("heading", name="Waiting for your bank")).to_be_visible()
            look()
        expect(page.get_by_role("heading", name="Paid")).to_be_visible()
        look()
    customer.see_paid_order()
    look()
    customer.buy()
    customer.type_card("4111 1111 1111 1112")
    customer.press_pay()
    look()
    customer.page.get_by_label("Card number").fill("4111 1111 1111 1111")
    customer.forgive("net::ERR_FAILED")
    page.route(ONWARD, lambda script: script.abort())
    customer.press_pay()
    expect(page.get_by_role("heading", name="You are being taken to 127.0.0.1")).to_be_visible()
    look()
    page.get_by_role("link", name="Continue to 127.0.0.1").click()
    page.wait_for_url(CHALLENGE)
    look()
    page.get_by_role("button", name="Cancel and go back").click()
    page.wait_for_url(SESSION)
    look()
    page.get_by_role("button", name="Return to Asha Handlooms").click()
    page.goto(customer.payment_page_url + "/pay/v4/")
    look()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_main_colours_can_be_read(visit: Visit, scheme: str) -> None:
    page = visit(color_scheme=scheme).buy()
    found = {name: _colour(page, name) for pair in PAIRS for name in pair}
    low = {
        pair: ratio
        for pair in PAIRS
        if (ratio := contrast(found[pair[0]], found[pair[1]])) < CONTRAST_MIN
    }
    assert low == {}
    ground = found["ground"]
    assert (min(ground) > 200) is (scheme == "light")


def test_a_dark_page_keeps_its_qr_dark_on_white(visit: Visit) -> None:
    page = visit(color_scheme="dark").buy()
    image = page.get_by_role("img", name=re.compile("^UPI QR code"))
    expect(image).to_be_visible()
    box = image.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= QR_PX_MIN
    corner = image.evaluate(
        """async image => {
          await image.decode();
          const canvas = document.createElement("canvas");
          canvas.width = canvas.height = 200;
          const brush = canvas.getContext("2d");
          brush.drawImage(image, 0, 0, 200, 200);
          return [...brush.getImageData(2, 2, 1, 1).data.slice(0, 3)];
        }"""
    )
    assert min(corner) >= WHITE_MIN


def test_a_phone_has_room_for_thumbs(visit: Visit) -> None:
    page = visit(**PHONE).buy()
    page.locator("summary", has_text="Credit or debit card").click()
    assert_room_for_thumbs(page)


def test_a_wide_desk_leaves_the_page_narrow(visit: Visit) -> None:
    page = visit(viewport={"width": 1920, "height": 1000}).buy()
    box = page.locator(".sheet").bounding_box()
    assert box is not None
    assert box["width"] <= SHEET_PX_MAX


def test_a_browser_that_asks_for_hindi_gets_hindi(visit: Visit) -> None:
    customer = visit(locale="hi-IN")
    page = customer.buy()
    expect(page.locator("html")).to_have_attribute("lang", "hi")
    expect(page.get_by_role("heading", name="आप कैसे भुगतान करना चाहते हैं?")).to_be_visible()
    assert_fits(page)
