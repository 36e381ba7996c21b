"""Every outcome of a card.

Brands, declines, a silent issuer, and every way in which a challenge can end.
"""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import (
    AMEX,
    AMOUNT_PAISE,
    MASTERCARD,
    PAID_POSTING,
    RUPAY,
    VISA,
    Shop,
    enter_card,
    enter_otp,
    new_order_id,
    pay_card,
    scan,
    settled,
)

pytestmark = pytest.mark.usefixtures("books_hold")
BRANDS = {
    VISA: ("Visa", "cc", "123"),
    MASTERCARD: ("Mastercard", "cc", "123"),
    RUPAY: ("RuPay", "dc", "123"),
    AMEX: ("Amex", "cc", "1234"),
}


@pytest.mark.parametrize("number", BRANDS)
def test_a_card_of_each_brand_is_paid_after_its_challenge(
    shop: Shop, browser: Browser, number: str
) -> None:
    scheme, kind, cvv = BRANDS[number]
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id)
    challenge = enter_card(browser, screen, number, cvv=cvv)
    assert urlsplit(challenge.url).netloc == urlsplit(shop.gateway.simbank_url).netloc
    assert "₹1,499.50" in challenge.text
    assert number[-4:] in challenge.text
    under_way = shop.verify(order_id)
    assert (under_way.status_code, under_way.payment_status, under_way.channel) == (
        211,
        "INPROCESS",
        "pg",
    )
    after = settled(browser, enter_otp(browser, challenge))
    assert after.at == "result"
    assert f"ending {number[-4:]}" in after.text
    told = shop.verify(order_id)
    assert (told.status_code, told.payment_status, told.transaction_type, told.channel) == (
        200,
        "SUCCESS",
        320,
        "pg",
    )
    assert (told.card_scheme, told.card_type, told.card_country) == (scheme, kind, "IN")
    assert told.card_number == "XXXXXXXXXXXX" + number[-4:]
    assert (told.bank_name, told.customer_vpa, told.bank_code) == (
        "Simulated Issuer Bank",
        "",
        "00",
    )
    (heard,) = shop.endpoint.hears(shop.merchant, order_id)
    assert (heard.event, heard.transaction) == ("paid", told)
    assert shop.come_back(after, order_id).transaction == told
    assert shop.postings(order_id) == PAID_POSTING
    assert shop.bank_debits(order_id) == [(AMOUNT_PAISE, "done")]


DECLINES = {
    "4000000000000002": ("05", "Your bank declined this payment."),
    "4000000000009995": ("51", "There was not enough money in the account."),
    "4000000000000069": ("54", "The bank says this card has expired."),
}


@pytest.mark.parametrize("number", DECLINES)
def test_a_declined_card_is_told_with_its_reason_and_another_may_follow(
    shop: Shop, browser: Browser, number: str
) -> None:
    code, words = DECLINES[number]
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id)
    back = pay_card(browser, screen, number)
    assert back.at == "choose"
    assert words in back.text
    assert "No money has left your account." in back.text
    told = shop.declined(order_id, code)
    assert (told.channel, told.card_number, told.attempts) == (
        "pg",
        "XXXXXXXXXXXX" + number[-4:],
        1,
    )
    assert told.card_scheme == "Visa"
    assert shop.postings(order_id) == []
    assert [state for _, state in shop.bank_debits(order_id)] == ["declined"]
    assert pay_card(browser, back, RUPAY).at == "result"
    assert shop.postings(order_id) == PAID_POSTING
    assert [each.event for each in shop.endpoint.hears(shop.merchant, order_id)] == ["paid"]


@pytest.fixture(scope="module")
def strict(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A shop that allows two attempts of one order."""
    for shop in open_shop(gateway, server, "strict", channels="pg"):
        gateway.operate("merchant", "limits", shop.merchant.merchant_id, "--attempts-an-hour", "2")
        yield shop


def test_how_often_an_order_may_be_tried_is_a_setting(strict: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = strict.open_page(browser, order_id)
    for _ in range(2):
        screen = pay_card(browser, screen, "4000000000000002")
        assert "Your bank declined this payment." in screen.text
    after = pay_card(browser, screen, VISA)
    assert (after.status, after.at) == (200, "choose")
    assert "This cannot be done at the moment." in after.text
    assert "No money has left your account." in after.text
    assert [state for _, state in strict.bank_debits(order_id)] == ["declined", "declined"]
    assert strict.postings(order_id) == []


@pytest.mark.parametrize("most", ["1", "101"])
def test_a_number_of_attempts_out_of_bounds_is_refused(strict: Shop, most: str) -> None:
    ended = strict.gateway.invoke(
        "merchant", "limits", strict.merchant.merchant_id, "--attempts-an-hour", most
    )
    assert ended.exit_code == 2
    assert "attempts_an_hour" in ended.output
    assert "2 to 100" in ended.output


def test_a_silent_issuer_is_asked_until_it_says_approved(shop: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id)
    with shop.gateway.undecided():
        waiting = enter_otp(browser, enter_card(browser, screen, "4000000000000119"))
        assert waiting.at == "waiting"
        told = shop.verify(order_id)
        assert (told.status_code, told.payment_status) == (211, "INPROCESS")
        # The bank's side is undecided: no second card is taken meanwhile.
        assert (
            browser.post(
                screen.url + "/card?choose=1", {"number": VISA, "expiry": "12/40", "cvv": "123"}
            ).at
            == "waiting"
        )
    assert settled(browser, screen).at == "result"
    told = shop.verify(order_id)
    assert (told.status_code, told.card_number) == (200, "XXXXXXXXXXXX0119")
    assert [each.event for each in shop.endpoint.hears(shop.merchant, order_id)] == ["paid"]
    assert (shop.postings(order_id), shop.bank_debits(order_id)) == (
        PAID_POSTING,
        [(AMOUNT_PAISE, "done")],
    )


def test_a_refused_challenge_charges_nothing(shop: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    back = pay_card(browser, shop.open_page(browser, order_id), otp="000000")
    assert back.at == "choose"
    assert "Your bank did not confirm that it was you." in back.text
    shop.declined(order_id, "3DS-N")
    told = shop.goes_back(browser, back, order_id)
    assert (told.status_code, told.payment_status, told.bank_code) == (400, "FAIL", "3DS-N")
    assert (shop.postings(order_id), shop.bank_debits(order_id)) == ([], [])


def test_a_wrong_password_may_be_typed_twice_and_not_three_times(
    shop: Shop, browser: Browser
) -> None:
    first, second = new_order_id(), new_order_id()
    challenge = enter_card(browser, shop.open_page(browser, first))
    for _ in range(2):
        challenge = enter_otp(browser, challenge, "999999")
        assert (challenge.status, challenge.path.startswith("/3ds/")) == (422, True)
    assert settled(browser, enter_otp(browser, challenge)).at == "result"
    challenge = enter_card(browser, shop.open_page(browser, second))
    for _ in range(3):
        challenge = enter_otp(browser, challenge, "999999")
    assert settled(browser, challenge).at == "choose"
    shop.declined(second, "3DS-N")
    assert (shop.postings(first), shop.postings(second)) == (PAID_POSTING, [])


def test_cancelling_at_the_bank_comes_back_to_the_methods(shop: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    challenge = enter_card(browser, shop.open_page(browser, order_id))
    back = settled(browser, browser.submit(challenge.forms[0], act="cancel"))
    assert back.at == "choose"
    assert shop.verify(order_id).status_code == 211
    assert pay_card(browser, back).at == "result"


def test_a_customer_who_turns_from_the_challenge_pays_otherwise_and_the_card_is_not_charged(
    shop: Shop, browser: Browser
) -> None:
    """The challenge stays open in another tab and is confirmed after the order is paid.

    That must charge nothing, and end.
    """
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id)
    challenge = enter_card(browser, screen)
    waiting = browser.get(screen.url)
    assert waiting.at == "waiting"
    chooser = browser.get(waiting.link("choose=1"))
    assert chooser.at == "choose"
    scan(shop.gateway, chooser.upi_link)
    shop.becomes(order_id, 200)
    enter_otp(browser, challenge)
    assert settled(browser, screen).at == "result"
    assert (shop.postings(order_id), shop.bank_debits(order_id)) == (
        PAID_POSTING,
        [(AMOUNT_PAISE, "done")],
    )
    assert [each.event for each in shop.endpoint.about(shop.merchant, order_id)] == ["paid"]

    def states() -> list[str]:
        return sorted(each["state"] for each in shop.attempts(order_id))

    until(lambda: states() == ["expired", "paid"], f"the card's attempt to end: {states()}")


def test_a_second_card_leaves_the_first_challenge_behind(shop: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id)
    first = enter_card(browser, screen)
    second = enter_card(browser, browser.get(screen.url + "?choose=1"), MASTERCARD)
    assert second.url != first.url
    assert settled(browser, enter_otp(browser, second)).at == "result"
    enter_otp(browser, first)
    assert (shop.postings(order_id), shop.bank_debits(order_id)) == (
        PAID_POSTING,
        [(AMOUNT_PAISE, "done")],
    )
    assert shop.verify(order_id).card_scheme == "Mastercard"
    assert sorted(
        each["state"] for each in shop.attempts(order_id) if each["method"] == "card"
    ) == ["expired", "paid"]


def test_a_card_form_pressed_twice_begins_one_attempt(shop: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id)
    first = enter_card(browser, screen)
    again = enter_card(browser, screen)
    assert first.path.startswith("/3ds/")
    assert again.at == "waiting"
    assert [each["method"] for each in shop.attempts(order_id)].count("card") == 1
    # Reloading the bank's answer, or going back and confirming once more, changes nothing either.
    enter_otp(browser, first)
    settled(browser, enter_otp(browser, first))
    assert (shop.postings(order_id), shop.bank_debits(order_id)) == (
        PAID_POSTING,
        [(AMOUNT_PAISE, "done")],
    )


BAD_CARDS = [
    ({"number": ""}, "number"), ({"number": "4111 1111 1111 1112"}, "number"),
    ({"number": "४१११"}, "number"), ({"number": "1" * 40}, "number"),
    ({"number": "9999999999999995"}, "number"), ({"number": "4111111111111111\u0000"}, "number"),
    ({"expiry": ""}, "expiry"), ({"expiry": "13/40"}, "expiry"), ({"expiry": "01/20"}, "expiry"),
    ({"expiry": "12/99"}, "expiry"), ({"expiry": "१२/४०"}, "expiry"), ({"cvv": ""}, "cvv"),
    ({"cvv": "12"}, "cvv"), ({"cvv": "1234"}, "cvv"), ({"cvv": "१२३"}, "cvv"),
    ({"holder": "h" * 101}, "holder"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "field"), BAD_CARDS)
def test_a_bad_card_form_is_said_at_its_field_and_reaches_no_bank(
    shop: Shop, browser: Browser, changes: dict[str, str], field: str
) -> None:
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id)
    typed = {"number": VISA, "expiry": "12/40", "cvv": "123", "holder": "ASHA"} | changes
    back = browser.submit(screen.form("/card"), **typed)
    assert back.at == "choose"
    assert re.search(rf'id="{field}-error"[^>]*>[^<]+<', back.html), "nothing is said at the field"
    assert (back.form("/card").fields["number"], back.form("/card").fields["cvv"]) == ("", "")
    assert shop.events(order_id) == ["created"]
