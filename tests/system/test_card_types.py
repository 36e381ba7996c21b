"""Orders for credit or debit cards only.

A card of another type is refused before its bank is asked.
"""

import pytest

from tests.system.browser import Browser, Screen
from tests.system.envelopes import Sender
from tests.system.shop import (
    AMOUNT_PAISE,
    CARD,
    PAID_POSTING,
    RUPAY,
    VISA,
    NotStartedError,
    Shop,
    enter_otp,
    new_order_id,
    settled,
)

pytestmark = pytest.mark.usefixtures("books_hold")
CREDIT, DEBIT, VISA_DEBIT, PREPAID = VISA, RUPAY, "4000056655665556", "5105105105105100"
ONLY = {
    "pgcc": ("Credit cards only", [CREDIT], [DEBIT, VISA_DEBIT, PREPAID]),
    "pgdc": ("Debit cards only", [DEBIT, VISA_DEBIT], [CREDIT, PREPAID]),
    "pgcc_pgdc": ("Credit and debit cards", [CREDIT, VISA_DEBIT], [PREPAID]),
    "pg_pgdc": ("RuPay, Visa", [CREDIT, DEBIT, PREPAID], []),
}
TYPE = {CREDIT: "cc", DEBIT: "dc", VISA_DEBIT: "dc", PREPAID: "Unknown"}


def send(browser: Browser, screen: Screen, number: str) -> Screen:
    return browser.submit(screen.form("/card"), number=number, **CARD)


@pytest.mark.parametrize("chmod", ONLY)
def test_an_order_accepts_the_types_of_card_that_it_names(
    shop: Shop, browser: Browser, chmod: str
) -> None:
    words, accepted, refused = ONLY[chmod]
    for number in accepted:
        order_id = new_order_id()
        screen = shop.open_page(browser, order_id, channels=tuple(chmod.split("_")))
        assert words in screen.text
        assert settled(browser, enter_otp(browser, send(browser, screen, number))).at == "result"
        told = shop.verify(order_id)
        assert (told.status_code, told.channel, told.card_type) == (200, "pg", TYPE[number])
        assert shop.postings(order_id) == PAID_POSTING
    for number in refused:
        order_id = new_order_id()
        back = send(
            browser, shop.open_page(browser, order_id, channels=tuple(chmod.split("_"))), number
        )
        assert back.at == "choose"
        assert "This order does not accept this type of card." in back.text
        assert "No money has left your account." in back.text
        told = shop.declined(order_id, "card_type")
        assert (told.card_type, told.card_number[-4:]) == (TYPE[number], number[-4:])
        assert (shop.postings(order_id), shop.bank_debits(order_id)) == ([], [])


def test_the_right_card_pays_after_a_wrong_one(shop: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    back = send(browser, shop.open_page(browser, order_id, channels=("pgdc",)), CREDIT)
    assert settled(browser, enter_otp(browser, send(browser, back, DEBIT))).at == "result"
    assert shop.verify(order_id).card_type == "dc"
    assert shop.bank_debits(order_id) == [(AMOUNT_PAISE, "done")]


def test_the_same_order_for_another_type_is_another_order(shop: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    shop.open_page(browser, order_id, channels=("pgdc",))
    with pytest.raises(NotStartedError, match="111"):
        shop.open_page(browser, order_id, channels=("pgcc",))


@pytest.mark.parametrize("chmod", ["pgcc", "pgdc", "pg_pgcc"])
def test_the_bank_list_knows_the_same_codes(shop: Shop, sender: Sender, chmod: str) -> None:
    reply = sender.ask("banks", shop.merchant, {"chmod": chmod})
    assert (reply.code, {each["chmod"] for each in reply.data}) == ("00", {"pg"})
