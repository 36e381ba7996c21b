"""The rows of the payment page, as a customer uses them: Copy, deadlines, errors of a card."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.customer import GOOD_CARD, PHONE

TRANSFER = re.compile("^Bank transfer")


def copied(page: Page, label: str) -> str:
    """Press Copy beside a label, and return what is on the clipboard."""
    button = page.get_by_role("button", name=f"Copy: {label}")
    button.click()
    expect(button).to_have_text("Copied")
    return page.evaluate("navigator.clipboard.readText()")


def test_whoever_transfers_copies_number_ifsc_and_amount_and_reads_the_day(visit: Visit) -> None:
    customer = visit(**PHONE, permissions=["clipboard-read", "clipboard-write"])
    page = customer.buy_for("1471.10")
    expect(page.locator(".deadline dd")).to_have_text(re.compile(r"\d\d:\d\d IST$"))
    page.locator("summary", has_text=TRANSFER).click()
    page.get_by_role("button", name="Get the account number").click()
    numbers = page.locator("details[open] .references code")
    expect(numbers).to_have_count(2)
    assert copied(page, "Account number") == numbers.nth(0).inner_text()
    assert copied(page, "IFSC") == numbers.nth(1).inner_text()
    assert copied(page, "Amount") == "1471.10"
    # The number is valid for days: the time alone would say that it ends today.
    deadline = page.locator(".deadline dd")
    expect(deadline).to_have_text(re.compile(r"^\d{1,2} [A-Z][a-z]{2} 20\d\d, \d\d:\d\d IST$"))
    expect(deadline).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_card_without_its_code_marks_every_field_to_fill(visit: Visit, *, scripts: bool) -> None:
    customer = visit(java_script_enabled=scripts)
    page = customer.buy_for("1471.20")
    page.locator("summary", has_text="Credit or debit card").click()
    form = page.locator("form#card")
    form.get_by_label("Card number").fill(GOOD_CARD[:-1] + "2")
    form.get_by_label("Expiry").fill("01/20")
    form.get_by_role("button", name=re.compile("^Pay ")).click()
    for label in ("Card number", "Expiry", "Security code"):
        expect(form.get_by_label(label)).to_have_attribute("aria-invalid", "true")
    expect(form.locator(".error:not(:empty)")).to_have_count(3)


def test_without_scripts_a_card_that_has_to_be_typed_again_says_so(visit: Visit) -> None:
    customer = visit(java_script_enabled=False)
    page = customer.buy_for("1471.30")
    page.locator("summary", has_text="Credit or debit card").click()
    form = page.locator("form#card")
    form.get_by_label("Card number").fill(GOOD_CARD)
    form.get_by_label("Expiry").fill("12/40")
    form.get_by_role("button", name=re.compile("^Pay ")).click()
    expect(form.get_by_label("Card number")).to_be_empty()
    expect(form.locator(".error:not(:empty)")).to_have_text(
        ["Enter the card number.", "Enter the security code."]
    )
