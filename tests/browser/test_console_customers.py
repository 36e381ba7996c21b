"""A customer at the console in a real browser: found, read on every device, taken away, erased.

No address on the way holds a phone or an e-mail.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from zipfile import ZipFile

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.customer import DESK, PHONE
from tests.browser.looks import assert_accessible, assert_fits, assert_no_axe_violations
from tests.system.console import Console
from tests.system.running import RunningGateway
from tests.system.shared_links import make

OWNER = "asha@demo.example"
NUMBER, ADDRESS = "9844400123", "nobody.else@customers.example"
SMALL: Mapping[str, Any] = {"viewport": {"width": 320, "height": 640}}
LOOKS = ((DESK, "light"), (PHONE, "dark"), (SMALL, "light"))


@pytest.fixture(scope="module")
def owner(gateway: RunningGateway) -> Iterator[Console]:
    with Console.signed_in(gateway, OWNER, "198.51.100.121") as console:
        yield console


@pytest.fixture(scope="module")
def link(owner: Console) -> str:
    """A payment link that is over, for somebody whom no other row names."""
    place = owner.gateway.demo["merchants"][0]["merchant_id"]
    path = make(owner, place, amount="1500", email=ADDRESS, phone=NUMBER)
    assert owner.post(f"{path}/cancel", seen_at=path, sure="yes").status_code == 303
    return path.rpartition("/")[2]


def assert_looks(page: Page) -> None:
    assert NUMBER not in page.url
    assert ADDRESS.partition("@")[0] not in page.url
    assert_accessible(page)
    assert_fits(page)
    assert_no_axe_violations(page)


@pytest.mark.parametrize(("device", "scheme"), LOOKS, ids=["desk", "phone", "small"])
def test_a_customer_is_found_read_taken_away_and_erased(
    browser: Browser, owner: Console, link: str, device: Mapping[str, Any], scheme: Any
) -> None:
    base = owner.gateway.base_url
    place = owner.gateway.demo["merchants"][0]["merchant_id"]
    context = browser.new_context(**device, color_scheme=scheme)
    cookies = owner.http.cookies.items()
    context.add_cookies([{"name": name, "value": value, "url": base} for name, value in cookies])
    page = context.new_page()
    page.goto(f"{base}/console/{place}/customers")
    assert_looks(page)
    page.get_by_label("Find a customer").fill("nobody-knows-this")
    page.get_by_role("button", name="Find", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Nobody is known by this.")
    assert_looks(page)
    page.get_by_label("Find a customer").fill(f"+91 {NUMBER}")
    page.get_by_role("button", name="Find", exact=True).click()
    page.wait_for_url(f"**/customers/link-{link}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Customer ••••0123")
    assert_looks(page)
    text = page.locator("main").inner_text()
    assert NUMBER not in text
    assert ADDRESS not in text

    page.locator("summary", has_text="Export").click()
    page.locator("details[open]").get_by_label("Phone: ••••0123").check()
    page.get_by_label("Why you need it").fill("she asked for it by letter")
    assert_looks(page)
    with page.expect_download() as leaving:
        page.get_by_role("button", name="Export everything kept").click()
    assert leaving.value.suggested_filename == f"customer-link-{link}.zip"
    with ZipFile(leaving.value.path()) as kept:
        assert kept.namelist() == ["customer.json", "payment_links.csv"]
        assert NUMBER in kept.read("payment_links.csv").decode()

    page.reload()
    page.locator("summary", has_text="Erase").click()
    page.locator("details[open]").get_by_label("E-mail: n•••@customers.example").check()
    page.get_by_role("button", name="See what would be erased").click()
    expect(page.get_by_role("heading", level=2).first).to_be_visible()
    expect(page.get_by_role("row", name="Contact data of payment links")).to_contain_text("1")
    assert_looks(page)
    context.close()
