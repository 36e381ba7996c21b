"""What the payment page may weigh and how it stands.

Bytes on a phone, no shifts, a walk by keyboard.
"""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.customer import DESK, PHONE

PHONE_BYTES_MAX = 15_000
"""Of page, stylesheets and scripts together, as they travel to a phone that has nothing of them
yet.
"""
SHIFT_MAX = 0.001
"""Less than a pixel of one line: digits that count down get wider and narrower."""
TABS_MAX = 80
_SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((each) => (sum += each.value)))
    .observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => done(sum)));
})"""
_FOCUSED = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const name = at.getAttribute("aria-label")
    || [...(at.labels ?? [])].map((each) => each.textContent).join(" ")
    || at.textContent || at.title;
  // The outline may stand around the whole field or row.
  const lit = [at, at.closest(".entry"), at.closest(".row")].some((each) => each
    && getComputedStyle(each).outlineStyle !== "none"
    && parseFloat(getComputedStyle(each).outlineWidth) >= 2);
  const before = window.walked ?? at;
  window.walked = at;
  const onwards = before === at
    || Boolean(before.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING);
  const visible = at.getClientRects().length > 0;
  return { name: name.trim(), lit, onwards, visible, html: at.outerHTML.slice(0, 200) };
}"""


def walk(page: Page) -> list[dict[str, Any]]:
    """Press Tab from the top of a page to its end and return what had the focus."""
    page.evaluate("() => { document.activeElement.blur(); window.walked = undefined; }")
    found: list[dict[str, Any]] = []
    while len(found) < TABS_MAX:
        page.keyboard.press("Tab")
        at = page.evaluate(_FOCUSED)
        if at is None:
            break
        found.append(at)
    return found


def assert_walkable(page: Page) -> None:
    """The keyboard reaches named and visible things, in the page's order, to its end."""
    found = walk(page)
    assert 0 < len(found) < TABS_MAX
    wrong = [
        each
        for each in found
        if not (each["name"] and each["lit"] and each["onwards"] and each["visible"])
    ]
    assert wrong == []


def test_a_phone_loads_little(visit: Visit) -> None:
    customer = visit(**PHONE)
    sent: list[int] = []
    customer.buy()
    cdp = customer.page.context.new_cdp_session(customer.page)
    cdp.send("Network.enable")
    cdp.send("Network.setCacheDisabled", {"cacheDisabled": True})
    pictures: set[str] = set()

    def begun(event: dict[str, Any]) -> None:
        if event["type"] == "Image":
            pictures.add(event["requestId"])

    def ended(event: dict[str, Any]) -> None:
        if event["requestId"] not in pictures:
            sent.append(event["encodedDataLength"])

    cdp.on("Network.requestWillBeSent", begun)
    cdp.on("Network.loadingFinished", ended)
    customer.page.reload(wait_until="load")
    expect(customer.page.get_by_role("heading", name="How would you like to pay?")).to_be_visible()
    assert len(sent) >= 4  # the page, its stylesheet, two scripts
    assert sum(sent) <= PHONE_BYTES_MAX, sent


@pytest.mark.parametrize("device", [DESK, PHONE], ids=["desk", "phone"])
def test_nothing_moves_while_a_page_opens(visit: Visit, device: dict[str, Any]) -> None:
    customer = visit(**device)
    page = customer.buy()
    assert page.evaluate(_SHIFTS) < SHIFT_MAX
    with customer.held_at_the_outcome():
        customer.pay_by_card()
        expect(page.get_by_role("heading", name="Paid")).to_be_visible()
        assert page.evaluate(_SHIFTS) < SHIFT_MAX


@pytest.mark.parametrize("device", [DESK, PHONE], ids=["desk", "phone"])
def test_the_keyboard_walks_every_screen(visit: Visit, device: dict[str, Any]) -> None:
    customer = visit(**device)
    page = customer.buy()
    assert_walkable(page)
    for row in ("Credit or debit card", "Net banking", "Wallet"):
        customer.open_row(row)
        assert_walkable(page)
    with customer.held_at_the_outcome():
        customer.pay_by_card()
        expect(page.get_by_role("heading", name="Paid")).to_be_visible()
        page.get_by_role("button", name="Stay here").or_(page.locator("[data-stay]")).first.click()
        assert_walkable(page)
    page.goto(customer.payment_page_url + "/pay/v4/")
