"""Cards on the payment page: the challenge, what is refused, and paying without a mouse."""

import pytest
from playwright.sync_api import expect

from tests.browser.customer import BAD_OTP, CHALLENGE, GOOD_OTP, SESSION, Customer


def test_a_failed_challenge_returns_to_the_methods_and_a_qr_still_pays(customer: Customer) -> None:
    page = customer.buy()
    customer.pay_by_card(otp=BAD_OTP)
    page.wait_for_url(SESSION)
    refusal = page.get_by_role("alert")
    expect(refusal).to_contain_text("Your bank did not confirm that it was you.")
    expect(refusal).to_contain_text("No money has left your account.")
    expect(refusal).to_contain_text("Try again, or pay another way.")
    customer.pay_by_upi()
    customer.see_paid_order()


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        ("4000 0000 0000 0002", "Your bank declined this payment."),
        ("4000 0000 0000 9995", "There was not enough money in the account."),
        ("4000 0000 0000 0069", "The bank says this card has expired."),
    ],
)
def test_a_declined_card_says_why_and_another_one_pays(
    customer: Customer, number: str, reason: str
) -> None:
    page = customer.buy()
    customer.pay_by_card(number)
    page.wait_for_url(SESSION)
    expect(page.get_by_role("alert")).to_contain_text(reason)
    customer.pay_by_card("6082 0153 0957 7308")
    customer.see_paid_order()
    expect(page.locator(".timeline > li.verify")).to_contain_text("7308")


def test_amex_has_fifteen_digits_and_a_code_of_four(customer: Customer) -> None:
    page = customer.buy()
    customer.type_card("3782 822463 10005")
    expect(page.locator(".scheme")).to_have_text("American Express")
    customer.press_pay()
    page.wait_for_url(CHALLENGE)


def test_what_is_wrong_stands_under_its_field_as_soon_as_it_is_left(customer: Customer) -> None:
    page = customer.buy()
    customer.type_card("4111 1111 1111 1112")
    page.get_by_label("Expiry").fill("01/20")
    page.get_by_label("Name on the card").focus()
    number, expiry = page.get_by_label("Card number"), page.get_by_label("Expiry")
    expect(number).to_have_accessible_description(
        "This number has a typing error. Check it against your card."
    )
    expect(expiry).to_have_accessible_description("This card has expired. Use another one.")
    expect(number).to_have_attribute("aria-invalid", "true")
    customer.press_pay()
    expect(number).to_be_focused()
    expect(page).to_have_url(SESSION)
    number.fill("4111 1111 1111 1111")
    expect(number).not_to_have_attribute("aria-invalid", "true")


def test_a_card_is_paid_with_the_keyboard_alone(customer: Customer) -> None:
    page = customer.buy()
    row = page.locator("summary", has_text="Credit or debit card")
    for _ in range(20):
        page.keyboard.press("Tab")
        if row.evaluate("each => each === document.activeElement"):
            break
    expect(row).to_be_focused()
    page.keyboard.press("Enter")
    for text in ("4111111111111111", "1230", "123"):
        page.keyboard.press("Tab")
        page.keyboard.type(text)
    expect(page.get_by_label("Card number")).to_have_value("4111 1111 1111 1111")
    expect(page.get_by_label("Expiry")).to_have_value("12 / 30")
    page.keyboard.press("Enter")
    page.wait_for_url(CHALLENGE)
    expect(page.get_by_label("One-time password")).to_be_focused()
    page.keyboard.type(GOOD_OTP)
    page.keyboard.press("Enter")
    customer.see_paid_order()


def test_a_challenge_left_alone_lets_the_customer_pay_another_way(customer: Customer) -> None:
    page = customer.buy()
    customer.type_card()
    customer.press_pay()
    page.wait_for_url(CHALLENGE)
    page.go_back()
    expect(page.get_by_role("heading", name="Confirm at your bank")).to_be_visible()
    page.get_by_role("link", name="Pay another way").click()
    expect(page.get_by_role("heading", name="How would you like to pay?")).to_be_visible()
    customer.pay_by_upi()
    customer.see_paid_order()


def test_a_cancelled_challenge_returns_to_the_methods(customer: Customer) -> None:
    page = customer.buy()
    customer.type_card()
    customer.press_pay()
    page.wait_for_url(CHALLENGE)
    page.get_by_role("button", name="Cancel and go back").click()
    page.wait_for_url(SESSION)
    expect(page.get_by_role("alert")).to_contain_text("No money has left your account.")
    expect(page.get_by_role("alert")).to_contain_text(
        "You cancelled the confirmation at your bank."
    )
    expect(page.get_by_label("Card number")).to_be_visible()
