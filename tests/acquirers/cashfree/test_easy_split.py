"""Easy Split through the connector, at the stand-in that another hand wrote from the documents."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta

import pytest

from hundi.acquirers.cashfree.mandates import DEBIT
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.payments import RefundOrder
from hundi.acquirers.port.splits import (
    PartyStanding,
    PartyState,
    RefundsShares,
    ReversalOrder,
    ReversesShares,
    ShareMade,
    ShareOrder,
)
from hundi.kernel.money import Money
from tests.acquirers.cashfree.account import Shop, account, at_checkout, new_reference, paid, press
from tests.acquirers.cashfree.standin import Fault
from tests.acquirers.cashfree.standin_money import settle
from tests.acquirers.cashfree.standin_splits import run
from tests.acquirers.cashfree.test_standin_splits import VENDOR

WEAVER = "weaver_1"
DAYS = timedelta(days=2)


@dataclass
class Seller:
    """A payment that is shared with a vendor."""

    shop: Shop
    original: str

    def order(self, paise: int = 80_000, party: str = WEAVER) -> ShareOrder:
        return ShareOrder(new_reference("S"), self.original, party, Money(paise))

    async def given(self) -> tuple[ShareOrder, ShareMade]:
        order = self.order()
        made = await self.shop.connector.give_share(order)
        assert isinstance(made, ShareMade), made
        return order, made

    def unsettled(self) -> int:
        return self.shop.splits.unsettled(WEAVER)


@pytest.fixture
async def seller() -> AsyncIterator[Seller]:
    async with account() as shop:
        shop.splits.create(VENDOR | {"vendor_id": WEAVER})
        shop.bank.world.refund_status = "SUCCESS"
        charge = await paid(shop)
        shop.bank.world.pass_time(timedelta(minutes=2))
        yield Seller(shop, charge.reference)


async def test_parts_are_taken_back_with_refunds_alone(seller: Seller) -> None:
    assert isinstance(seller.shop.connector, RefundsShares)
    assert not isinstance(seller.shop.connector, ReversesShares)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("ACTIVE", PartyState.ACTIVE),
        ("IN_BENE_CREATION", PartyState.PENDING),
        ("ACTION_REQUIRED", PartyState.PENDING),
        ("BLOCKED", PartyState.SUSPENDED),
        ("DELETED", PartyState.CLOSED),
    ],
)
async def test_a_party_stands_as_its_vendor_does(
    seller: Seller, status: str, state: PartyState
) -> None:
    seller.shop.splits.put(WEAVER, status)
    assert await seller.shop.connector.inquire_party(WEAVER) == PartyStanding(state, status)


async def test_nobody_is_no_party(seller: Seller) -> None:
    assert await seller.shop.connector.inquire_party("nobody") == NothingThere()


async def test_a_share_is_found_by_its_vendor_and_settled_under_a_utr(seller: Seller) -> None:
    order, made = await seller.given()
    assert (made.amount, bool(made.name), made.utr) == (Money(80_000), True, "")
    assert await seller.shop.connector.inquire_share(order) == made
    seller.shop.bank.world.pass_time(DAYS)
    run(seller.shop.splits)
    settled = await seller.shop.connector.inquire_share(order)
    assert isinstance(settled, ShareMade)
    assert (settled.name, bool(settled.utr)) == (made.name, True)


async def test_a_share_that_was_never_sent_is_not_there(seller: Seller) -> None:
    assert await seller.shop.connector.inquire_share(seller.order()) == NothingThere()


async def test_a_split_that_comes_too_early_may_be_taken_later() -> None:
    async with account() as shop:
        shop.splits.create(VENDOR | {"vendor_id": WEAVER})
        early = Seller(shop, (await paid(shop)).reference)
        order = early.order()
        answer = await shop.connector.give_share(order)
        assert isinstance(answer, Unknown)
        assert await shop.connector.inquire_share(order) == NothingThere()
        shop.bank.world.pass_time(timedelta(minutes=2))
        assert isinstance(await shop.connector.give_share(order), ShareMade)


@pytest.mark.parametrize("why", ["settled", "too much", "blocked", "nobody"])
async def test_a_share_is_refused_for_good(seller: Seller, why: str) -> None:
    order = seller.order(149_951 if why == "too much" else 80_000)
    if why == "settled":
        settle(seller.shop.bank.world)
    elif why == "blocked":
        seller.shop.splits.put(WEAVER, "BLOCKED")
    elif why == "nobody":
        order = seller.order(party="nobody")
    assert isinstance(await seller.shop.connector.give_share(order), Declined)
    assert await seller.shop.connector.inquire_share(order) == NothingThere()


async def test_a_part_of_another_amount_is_not_ours(seller: Seller) -> None:
    await seller.given()
    assert isinstance(await seller.shop.connector.inquire_share(seller.order(1)), Unknown)


async def test_two_parts_of_a_vendor_are_left_to_people(seller: Seller) -> None:
    for _ in range(2):
        await seller.shop.connector.give_share(seller.order(10_000))
    answer = await seller.shop.connector.inquire_share(seller.order(10_000))
    assert isinstance(answer, Unknown)
    assert answer.code == "made_twice"


@pytest.mark.parametrize("fault", ["lost", "never", "html", "500", "401"])
async def test_without_an_answer_nothing_is_decided(seller: Seller, fault: Fault) -> None:
    order = seller.order()
    seller.shop.bank.faults.append(("/split", fault))
    assert isinstance(await seller.shop.connector.give_share(order), Unknown)
    found = await seller.shop.connector.inquire_share(order)
    assert isinstance(found, ShareMade if fault == "lost" else NothingThere)


async def test_a_refund_takes_the_vendors_part_with_it_once(seller: Seller) -> None:
    share, made = await seller.given()
    order = RefundOrder(new_reference("R"), seller.original, Money(25_000))
    back = ReversalOrder(new_reference("B"), share, made.name, Money(13_337), order.reference)
    assert await seller.shop.connector.inquire_reversal(back) == NothingThere()
    for _ in range(2):
        answer = await seller.shop.connector.refund_with_shares(order, (back,))
        assert isinstance(answer, Approved), answer
    taken = await seller.shop.connector.inquire_reversal(back)
    assert isinstance(taken, Approved)
    assert (taken.amount, seller.unsettled()) == (Money(13_337), 80_000 - 13_337)
    assert await seller.shop.connector.inquire_share(share) == made


async def test_a_refund_with_other_parts_is_another_one(seller: Seller) -> None:
    share, made = await seller.given()
    order = RefundOrder(new_reference("R"), seller.original, Money(25_000))
    for paise in (13_337, 13_338):
        back = ReversalOrder(new_reference("B"), share, made.name, Money(paise), order.reference)
        answer = await seller.shop.connector.refund_with_shares(order, (back,))
    assert isinstance(answer, Unknown)
    assert seller.unsettled() == 80_000 - 13_337


@pytest.mark.parametrize(
    ("status", "answer"),
    [("PENDING", Unknown), ("ONHOLD", Unknown), ("CANCELLED", Declined), ("FAILED", Declined)],
)
async def test_a_part_is_taken_with_its_refund_alone(
    seller: Seller, status: str, answer: type
) -> None:
    share, made = await seller.given()
    seller.shop.bank.world.refund_status = status
    order = RefundOrder(new_reference("R"), seller.original, Money(25_000))
    back = ReversalOrder(new_reference("B"), share, made.name, Money(20_000), order.reference)
    await seller.shop.connector.refund_with_shares(order, (back,))
    assert isinstance(await seller.shop.connector.inquire_reversal(back), answer)


async def test_a_payment_by_a_link_is_split_at_the_links_order() -> None:
    async with account() as shop:
        shop.splits.create(VENDOR | {"vendor_id": WEAVER})
        charge, page = await at_checkout(shop)
        await press(page.url, "SUCCESS")
        shop.bank.world.pass_time(timedelta(minutes=2))
        seller = Seller(shop, charge.reference)
        order, made = await seller.given()
        assert await shop.connector.inquire_share(order) == made


async def test_a_mandates_payment_is_not_split() -> None:
    async with account(mandates=True, email_when_unknown="shop@example.in") as shop:
        debit = Seller(shop, new_reference())
        words = {"way": DEBIT, "mandate": new_reference(), "payment": new_reference()}
        await shop.memory.keep(debit.original, words)
        assert isinstance(await shop.connector.give_share(debit.order()), Declined)
