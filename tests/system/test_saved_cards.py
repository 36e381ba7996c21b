"""Saved cards through the running gateway.

Kept with consent, paid with, listed, deleted, and nobody else's.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from hundi.sdk import errors
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway
from tests.system.shop import (
    CARD,
    RUPAY,
    VISA,
    NotStartedError,
    Shop,
    enter_otp,
    new_order_id,
    settled,
)

pytestmark = pytest.mark.usefixtures("books_hold")
DECLINED = "4000000000000002"
DEBIT = "4000056655665556"


@pytest.fixture(scope="module")
def keeper(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant that keeps cards."""
    yield from open_shop(gateway, server, "keeper", saved_cards="on", channels="upi_pg")


@pytest.fixture
def browser() -> Iterator[Browser]:
    with Browser() as opened:
        yield opened


def customer() -> str:
    return new_order_id("CUST")


def save(shop: Shop, browser: Browser, customer_id: str, number: str = VISA, **more: Any) -> str:
    """Pay with a card, let the shop keep it, and return the order."""
    order_id = new_order_id()
    page = shop.open_page(browser, order_id, customer_id=customer_id, **more)
    assert "Save this card for later payments" in page.text
    challenge = browser.submit(page.form("/card"), number=number, **CARD, save="yes")
    settled(browser, enter_otp(browser, challenge))
    return order_id


def pay_with(browser: Browser, page: Screen, token: str) -> Screen:
    """Choose a saved card on the page and pass its challenge."""
    return settled(browser, enter_otp(browser, browser.submit(page.form("/saved"), card=token)))


def test_a_card_is_kept_with_consent_and_pays_again(
    gateway: RunningGateway, keeper: Shop, browser: Browser
) -> None:
    asha = customer()
    first = save(keeper, browser, asha)
    told = keeper.becomes(first, 200)
    assert told.saved_card.startswith("card_")
    assert keeper.hears_event(first, "paid").transaction.saved_card == told.saved_card
    (card,) = keeper.client.saved_cards(asha)
    assert (card.token, card.number, card.scheme) == (told.saved_card, "XXXXXXXXXXXX1111", "Visa")

    second = new_order_id()
    page = keeper.open_page(browser, second, customer_id=asha, saved_card=card.token)
    assert "Your saved cards Visa card ending 1111" in page.text
    assert page.text.index("Your saved cards") < page.text.index("Any UPI app"), "it comes first"
    assert page.text.count("Your bank asks you to confirm on its own page.") == 1
    assert "Another card" in page.text
    pay_with(browser, page, card.token)
    again = keeper.becomes(second, 200)
    assert (again.card_number, again.saved_card) == ("XXXXXXXXXXXX1111", card.token)
    assert keeper.bank_debits(second) == [(again.amount_paise, "done")]
    assert len(keeper.client.saved_cards(asha)) == 1

    kept = gateway.rows(
        "SELECT row_to_json(s)::text AS kept FROM saved_cards s WHERE customer = $1", asha
    )
    seen = gateway.rows(
        "SELECT row_to_json(a)::text AS kept FROM attempts a WHERE saved_card = $1", card.token
    )
    assert VISA not in str(kept) + str(seen)
    assert keeper.client.delete_saved_card(card.token).token == card.token
    assert keeper.client.saved_cards(asha) == ()
    with pytest.raises(errors.NotFoundError):
        keeper.client.delete_saved_card(card.token)
    assert (
        gateway.value(
            "SELECT count(*) FROM saved_cards WHERE ended_at IS NULL AND customer = $1", asha
        )
        == 0
    )


def test_without_consent_and_without_success_nothing_is_kept(
    keeper: Shop, browser: Browser
) -> None:
    ravi, order_id = customer(), new_order_id()
    page = keeper.open_page(browser, order_id, customer_id=ravi)
    challenge = browser.submit(page.form("/card"), number=VISA, **CARD, save="")
    settled(browser, enter_otp(browser, challenge))
    assert keeper.becomes(order_id, 200).saved_card == ""
    declined = save(keeper, browser, ravi, DECLINED)
    assert keeper.declined(declined, "05").saved_card == ""
    assert keeper.client.saved_cards(ravi) == ()


def test_the_same_card_twice_is_one_and_goes_as_one(keeper: Shop, browser: Browser) -> None:
    meera = customer()
    orders = [save(keeper, browser, meera) for _ in range(2)]
    newest = [keeper.becomes(each, 200).saved_card for each in orders][-1]
    save(keeper, browser, meera, RUPAY)
    assert [each.scheme for each in keeper.client.saved_cards(meera)] == ["RuPay", "Visa"]
    keeper.client.delete_saved_card(newest)
    assert [each.scheme for each in keeper.client.saved_cards(meera)] == ["RuPay"]


def test_a_deleted_card_pays_nothing_even_on_an_open_page(keeper: Shop, browser: Browser) -> None:
    asha, order_id = customer(), new_order_id()
    token = keeper.becomes(save(keeper, browser, asha), 200).saved_card
    page = keeper.open_page(browser, order_id, customer_id=asha)
    keeper.client.delete_saved_card(token)
    back = browser.submit(page.form("/saved"), card=token)
    assert back.at == "choose"
    assert keeper.attempts(order_id)[-1]["method"] == "upi_qr"
    assert "/saved" not in str(back.forms)


def test_a_card_that_is_deleted_while_it_is_saved_again_stays_deleted(
    gateway: RunningGateway, keeper: Shop, browser: Browser
) -> None:
    asha, order_id = customer(), new_order_id()
    token = keeper.becomes(save(keeper, browser, asha), 200).saved_card
    page = keeper.open_page(browser, order_id, customer_id=asha)
    challenge = browser.submit(page.form("/card"), number=VISA, **CARD, save="yes")
    keeper.client.delete_saved_card(token)
    settled(browser, enter_otp(browser, challenge))
    keeper.becomes(order_id, 200)
    assert keeper.client.saved_cards(asha) == ()
    # The sweep tells the network of what was deleted and not ended.
    deleted = gateway.rows(
        "SELECT deleted_at, ended_at FROM saved_cards WHERE customer = $1 ORDER BY agreed_at", asha
    )
    assert [(bool(each["deleted_at"]), bool(each["ended_at"])) for each in deleted] == [
        (True, True),
        (True, False),
    ]


def test_nobody_uses_lists_or_deletes_another_ones_card(
    gateway: RunningGateway, server: MerchantServer, sender: Sender, keeper: Shop, browser: Browser
) -> None:
    asha, ravi, order_id = customer(), customer(), new_order_id()
    token = keeper.becomes(save(keeper, browser, asha), 200).saved_card
    save(keeper, browser, ravi, RUPAY)
    page = keeper.open_page(browser, order_id, customer_id=ravi)
    assert browser.submit(page.form("/saved"), card=token).at == "choose"
    for shop in open_shop(gateway, server, "envious", saved_cards="on", channels="upi_pg"):
        assert shop.client.saved_cards(asha) == ()
        with pytest.raises(errors.NotFoundError):
            shop.client.delete_saved_card(token)
        with pytest.raises(NotStartedError) as refused:
            shop.open_page(browser, new_order_id(), customer_id=asha, saved_card=token)
        assert "token" in shop.refusal_of(refused.value.screen)
    with pytest.raises(NotStartedError) as refused:
        keeper.open_page(browser, new_order_id(), customer_id=ravi, saved_card=token)
    assert "token" in keeper.refusal_of(refused.value.screen)
    assert len(keeper.client.saved_cards(asha)) == 1


def test_an_order_for_debit_cards_refuses_a_saved_credit_card(
    keeper: Shop, browser: Browser
) -> None:
    asha = customer()
    credit = keeper.becomes(save(keeper, browser, asha), 200).saved_card
    debit = keeper.becomes(save(keeper, browser, asha, DEBIT), 200).saved_card
    order_id = new_order_id()
    page = keeper.open_page(browser, order_id, customer_id=asha, channels=("pgdc",))
    refused = browser.submit(page.form("/saved"), card=credit)
    assert refused.at == "choose"
    assert keeper.bank_debits(order_id) == []
    pay_with(browser, refused, debit)
    assert keeper.becomes(order_id, 200).saved_card == debit


def test_two_cards_that_end_alike_are_two(keeper: Shop, browser: Browser) -> None:
    asha = customer()
    other = keeper.becomes(save(keeper, browser, asha, "4111110000091111"), 200).saved_card
    first = keeper.becomes(save(keeper, browser, asha), 200).saved_card
    assert {each.token for each in keeper.client.saved_cards(asha)} == {other, first}
    keeper.client.delete_saved_card(first)
    assert [each.token for each in keeper.client.saved_cards(asha)] == [other]


def test_consents_are_bounded_by_the_tries_of_an_order(
    gateway: RunningGateway, keeper: Shop, browser: Browser
) -> None:
    asha = customer()
    page = keeper.open_page(browser, new_order_id(), customer_id=asha)
    for _ in range(25):
        browser.post(f"{page.url}/card?choose=1", {"number": VISA, **CARD, "save": "yes"})
    kept = gateway.value("SELECT count(*) FROM saved_cards WHERE customer = $1", asha)
    assert 0 < kept <= 20
    assert keeper.client.saved_cards(asha) == ()


@pytest.mark.parametrize("name", ["   ", " asha", "\u200b"])
def test_a_name_that_is_none_lists_nothing_and_opens_no_page(
    sender: Sender, keeper: Shop, browser: Browser, name: str
) -> None:
    listed = sender.ask("savedcards", keeper.merchant, {"UID": name})
    assert (listed.code, "UID" in listed.message, listed.data) == ("110", True, [])
    with pytest.raises(NotStartedError) as refused:
        keeper.open_page(browser, new_order_id(), customer_id=name)
    assert "UID" in keeper.refusal_of(refused.value.screen)


def test_a_merchant_without_saved_cards_is_not_asked_about_them(
    shop: Shop, browser: Browser
) -> None:
    page = shop.open_page(browser, new_order_id(), customer_id="anybody")
    assert "Save this card" not in page.text
    assert shop.client.saved_cards("anybody") == ()
