"""A customer of a shop with an old kit, in a browser: its page posts, and hears how it ended."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html import escape
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.customer import CHALLENGE, DESK, GOOD_CARD, GOOD_OTP, SESSION
from tests.browser.looks import assert_accessible, assert_fits, assert_no_axe_violations
from tests.system.conftest import add_merchant
from tests.system.endpoint import Endpoint, MerchantServer
from tests.system.old_kit import ON_BOTH_LEGS, START, OldKit, days_that_are_over
from tests.system.running import RunningGateway
from tests.system.shop import new_order_id


@pytest.fixture
def back() -> Iterator[Endpoint]:
    """The shop's page to which customers come back."""
    with MerchantServer() as server:
        yield server.endpoint("back.php")


@pytest.fixture
def kit(gateway: RunningGateway, back: Endpoint) -> OldKit:
    """A kit of version 3, whose shop has one address for every outcome."""
    with ThreadPoolExecutor() as elsewhere:  # the browser's event loop runs in this thread
        merchant = elsewhere.submit(
            add_merchant,
            gateway,
            "Old Books",
            client="kit-3",
            success_url=back.url,
            failure_url=back.url,
        ).result()
    return OldKit(merchant, gateway.base_url)


def sent(page: Page, kit: OldKit, form: dict[str, str]) -> None:
    """Open the shop's page, which posts the kit's form by itself, as kits' pages do."""
    inputs = "".join(
        f'<input type="hidden" name="{name}" value="{escape(value)}">'
        for name, value in form.items()
    )
    page.set_content(
        f'<form method="post" action="{kit.base_url}{START}">{inputs}</form>'
        "<script>document.forms[0].submit()</script>",
        wait_until="commit",
    )


def test_a_customer_of_an_old_kit_pays_and_comes_back(
    browser: Browser, kit: OldKit, back: Endpoint
) -> None:
    context, order_id = browser.new_context(**DESK), new_order_id("K")
    page = context.new_page()
    sent(page, kit, kit.form(order_id, ReturnURL=back.url))
    page.wait_for_url(SESSION)
    expect(page).to_have_title("Pay ₹1,499.50 to Old Books")
    page.locator("summary", has_text="Credit or debit card").click()
    page.get_by_label("Card number").fill(GOOD_CARD)
    page.get_by_label("Expiry").fill("12/40")
    page.get_by_label("Security code").fill("123")
    page.locator("form#card").get_by_role("button", name="Pay ").click()
    page.wait_for_url(CHALLENGE)
    page.get_by_label("One-time password").fill(GOOD_OTP)
    page.get_by_role("button", name="Confirm ").click()
    page.wait_for_url(back.url)
    (heard,) = back.heard
    fields = dict(parse_qsl(heard.body.decode(), keep_blank_values=True))
    assert set(ON_BOTH_LEGS) <= set(fields)
    assert kit.is_from_gateway(fields)
    assert (fields["TRANSACTIONID"], fields["TRANSACTIONSTATUS"]) == (order_id, "200")
    context.close()


def test_a_refused_form_is_a_page_that_a_customer_understands(
    browser: Browser, kit: OldKit
) -> None:
    context = browser.new_context(**DESK)
    page = context.new_page()
    sent(page, kit, kit.form(new_order_id("K"), day=days_that_are_over()[0]))
    page.wait_for_url(f"**{START}")
    expect(page.get_by_role("heading", name="This payment could not be started")).to_be_visible()
    expect(page.get_by_text("No money has left your account.")).to_be_visible()
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)
    context.close()
