"""Saved cards where the network is silent, and where a process dies between two lines."""

from collections import deque
from datetime import timedelta

import pytest

from hundi.acquirers.port.answers import Approved, Declined, Unknown
from hundi.infra.postgres.database import Database
from hundi.instruments.card import CardFacts
from hundi.kernel.money import Money
from hundi.kernel.refusals import Refused
from hundi.merchants.directory.rules import MerchantSettings
from hundi.payments.attempts.authentication import actions as authentication
from hundi.payments.methods.card import actions as cards
from hundi.payments.saved_cards import actions as saved_cards
from tests.shop import CARD, NOW, Shop, inquire_due, open_shop

PAISE = 149_950
KEPT = CardFacts("1111", "Visa", "credit", "Issuer", "IN", "nt_1")
APPROVED = Approved(Money(PAISE), "632512345678", card=KEPT)
LATER = NOW + timedelta(minutes=10)


@pytest.fixture
async def shop(db: Database) -> Shop:
    """A merchant that keeps cards."""
    return await open_shop(db, MerchantSettings(saved_cards=True, channels=("pg",)))


async def begin(shop: Shop, customer: str = "asha-7") -> int:
    """Begin a payment whose customer agrees to the card being kept, and return its attempt."""
    view = await shop.order(PAISE, customer=customer)
    payment_id = view.payment.payment_id
    await cards.pay(await shop.case(payment_id), CARD, lambda each: f"http://g/{each}", save=True)
    return next(each.attempt_id for each in (await shop.again(view)).attempts if each.saved_card)


async def tokens(shop: Shop, customer: str = "asha-7") -> list[str]:
    return [
        each.token
        for each in await saved_cards.cards_of(shop.db, shop.merchant.merchant_id, customer)
    ]


async def save(shop: Shop) -> str:
    shop.bank.authorisations = deque([APPROVED])
    await authentication.finish_card(shop.context, shop.merchant, await begin(shop), NOW)
    (token,) = await tokens(shop)
    return token


async def test_consent_alone_keeps_no_card(shop: Shop) -> None:
    attempt_id = await begin(shop)
    assert await shop.db.fetchval("SELECT count(*) FROM saved_cards") == 1
    assert await tokens(shop) == []
    shop.bank.authorisations = deque([Declined("05", card=KEPT)])
    await authentication.finish_card(shop.context, shop.merchant, attempt_id, NOW)
    assert await tokens(shop) == []


async def test_a_card_whose_success_is_learned_by_asking_is_kept(shop: Shop) -> None:
    attempt_id = await begin(shop)
    shop.bank.authorisations, shop.bank.inquiries = deque([Unknown()]), deque([APPROVED])
    await authentication.finish_card(shop.context, shop.merchant, attempt_id, NOW)
    assert await tokens(shop) == []
    await inquire_due(shop.context, NOW + timedelta(minutes=1))
    assert len(await tokens(shop)) == 1


async def test_a_network_that_is_silent_is_told_of_the_end_later(shop: Shop) -> None:
    token = await save(shop)
    shop.bank.token_ends = deque([Unknown(), Unknown()])
    await saved_cards.delete(shop.context, shop.merchant.merchant_id, token, NOW)
    assert await tokens(shop) == []
    with pytest.raises(Refused):
        await saved_cards.find(shop.db, shop.merchant.merchant_id, token)
    for _ in range(3):
        await saved_cards.sweep(shop.context, LATER)
    assert [each for each in shop.bank.calls if each[0] == "end_token"] == [
        ("end_token", "nt_1")
    ] * 3
    assert await shop.db.fetchval("SELECT ended_at FROM saved_cards") == LATER


async def test_a_card_deleted_before_its_network_was_told_is_ended_by_the_sweep(shop: Shop) -> None:
    """As a process leaves it that dies after the deletion is written."""
    await save(shop)
    await shop.db.execute("UPDATE saved_cards SET deleted_at = $1", NOW)
    assert await tokens(shop) == []
    await saved_cards.sweep(shop.context, LATER)
    assert await shop.db.fetchval("SELECT ended_at FROM saved_cards") == LATER
