"""The status page in a browser: at a desk and on a phone, in the dark, and without scripts."""

from collections.abc import Mapping
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.customer import DESK, PHONE
from tests.browser.looks import assert_accessible, assert_fits, assert_no_axe_violations
from tests.system.running import RunningGateway


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("device", [DESK, PHONE], ids=["desk", "phone"])
def test_the_page_is_named_structured_and_fits(
    browser: Browser, gateway: RunningGateway, device: Mapping[str, Any], scheme: str
) -> None:
    context = browser.new_context(**device, color_scheme=scheme)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text))
    page.on("requestfailed", lambda request: complaints.append(request.url))
    page.goto(f"{gateway.base_url}/status")
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)
    for name in ("The gateway", "Banks and acquirers", "Ways to pay", "Past 90 days"):
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    bars = page.get_by_role("img", name="Past 90 days: ")
    assert bars.count() == page.locator(".components > li").count() > 3
    assert complaints == []
    context.close()


def test_the_page_needs_no_script(browser: Browser, gateway: RunningGateway) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{gateway.base_url}/status")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("link", name="The same as JSON")).to_be_visible()
    context.close()
