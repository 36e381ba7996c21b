"""The page "Where is my money?" in a browser: named, structured, narrow, and without scripts."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from hundi.page.texts import LANGUAGES
from tests.browser.conftest import Visit
from tests.browser.customer import DESK, PHONE, Customer
from tests.browser.looks import (
    assert_accessible,
    assert_fits,
    assert_no_axe_violations,
    assert_room_for_thumbs,
)
from tests.system.running import RunningGateway
from tests.system.test_where import newest_code

NARROW: Mapping[str, Any] = {**PHONE, "viewport": {"width": 320, "height": 640}}
NO_SCRIPTS: Mapping[str, Any] = {**DESK, "java_script_enabled": False}


def look(page: Page) -> None:
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)
    assert_room_for_thumbs(page)


def asked(customer: Customer, gateway: RunningGateway, email: str) -> Page:
    """Pay, and ask about it from the result's link; return the page of the payment.

    email: of a customer of this test alone, because codes to one person are few.
    """
    page = customer.page
    customer.forgive("422 (Unprocessable Entity)")
    page.goto(customer.shop_url)
    page.get_by_role("link", name="Buy Nilgiri masala chai").click()
    page.get_by_label("E-mail").fill(email)
    customer.check_out()
    session = page.url
    customer.pay_by_card()
    page.goto(session)
    order = page.locator(".summary .code").inner_text()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Where is my money?").click()
    where = opened.value
    where.get_by_label("Order number").fill(order)
    where.get_by_label("Phone number or e-mail").fill("nobody")
    where.get_by_role("button", name="Send me a code").click()
    expect(where.get_by_text("Enter an e-mail address")).to_be_visible()
    look(where)
    where.get_by_label("Phone number or e-mail").fill(email)
    where.get_by_role("button", name="Send me a code").click()
    expect(where.get_by_role("heading", name="Enter the code")).to_be_visible()
    look(where)
    code = newest_code(gateway, email)
    where.get_by_label("Code of six digits").fill("12")
    where.get_by_role("button", name="Show my payment").click()
    expect(where.get_by_text("This code does not fit")).to_be_visible()
    look(where)
    where.get_by_label("Code of six digits").fill(code)
    where.get_by_role("button", name="Show my payment").click()
    expect(where.get_by_role("heading", name="Paid")).to_be_visible()
    return where


@pytest.mark.parametrize("device", [DESK, PHONE, NO_SCRIPTS], ids=["desk", "phone", "no scripts"])
def test_a_payer_finds_the_payment_and_complains(
    visit: Visit, gateway: RunningGateway, device: Mapping[str, Any]
) -> None:
    email = f"{len(device)}-{len(str(device))}@where.example"
    page = asked(visit(**device), gateway, email)
    look(page)
    page.get_by_role("button", name=re.compile("^Send to ")).click()
    expect(page.get_by_text("Choose what is wrong")).to_be_visible()
    look(page)
    page.get_by_label("I paid, and nothing came").check()
    page.get_by_label("What happened?").fill("The tea did not come.")
    page.get_by_role("button", name=re.compile("^Send to ")).click()
    expect(page.get_by_text("The tea did not come.")).to_be_visible()
    look(page)
    page.get_by_role("button", name="It is solved").click()
    expect(page.get_by_text(re.compile("that it is solved"))).to_be_visible()
    page.get_by_role("button", name="Close this page").click()
    expect(page.get_by_role("heading", name="Where is my money?")).to_be_visible()


def test_every_language_fits_a_narrow_phone(visit: Visit, gateway: RunningGateway) -> None:
    page = asked(visit(**NARROW), gateway, "narrow@where.example")
    base = page.url.partition("/where")[0]
    for language in LANGUAGES:
        for path in ("/where", "/where/code", "/where/payment"):
            page.goto(f"{base}{path}?lang={language}")
            assert page.locator("html").get_attribute("lang") == language
            assert_accessible(page)
            assert_fits(page)
