"""Route through the connector, at the stand-in that another hand wrote from the documents."""

from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.splits import (
    PartyStanding,
    PartyState,
    ReversalOrder,
    ShareMade,
    ShareOrder,
    SplitsSettlement,
)
from hundi.acquirers.razorpay.api import Account
from hundi.acquirers.razorpay.connector import RazorpayConnector
from hundi.kernel.money import Money
from tests.acquirers.razorpay.played import CHARGE, paid
from tests.acquirers.razorpay.standin import KEY_ID, KEY_SECRET, WEBHOOK_SECRET
from tests.acquirers.razorpay.standin_answers import Fault
from tests.acquirers.razorpay.standin_splits import RouteStandin

DAY_S = 24 * 3600
SHARE, BACK = "10001-S215000000000001", "10001-B215000000000002"


@dataclass
class Seller:
    """A payment that is shared with a linked account."""

    razorpay: RouteStandin
    connector: RazorpayConnector
    party: str

    def order(self, paise: int = 80_000, reference: str = SHARE) -> ShareOrder:
        return ShareOrder(reference, CHARGE.reference, self.party, Money(paise))

    async def given(self, paise: int = 80_000) -> ShareMade:
        """Give a share, and return how it stands once Razorpay has worked on it."""
        first = await self.connector.give_share(self.order(paise))
        assert isinstance(first, Unknown), "a transfer begins pending"
        made = await self.connector.inquire_share(self.order(paise))
        assert isinstance(made, ShareMade), made
        return made

    def back(self, made: ShareMade, paise: int = 20_000) -> ReversalOrder:
        return ReversalOrder(BACK, self.order(), made.name, Money(paise))


@pytest.fixture
async def seller(memory: ShortMemory) -> AsyncIterator[Seller]:
    async with RouteStandin.running() as razorpay:
        account = Account(
            key_id=KEY_ID,
            key_secret=KEY_SECRET,
            webhook_secrets=(WEBHOOK_SECRET,),
            email="shop@example.in",
            phone="9000090000",
            base_url=razorpay.url,
        )
        connector = RazorpayConnector("razorpay", account, memory)
        linked = razorpay.opened_account()
        (product,) = razorpay.linked.products
        await paid(razorpay, connector)
        yield Seller(razorpay, connector, f"{linked}.{product}")
        await connector.close()


async def test_every_account_can_settle_shares(seller: Seller) -> None:
    assert isinstance(seller.connector, SplitsSettlement)


async def test_a_party_gets_shares_once_its_product_is_active(seller: Seller) -> None:
    active = await seller.connector.inquire_party(seller.party)
    assert active == PartyStanding(PartyState.ACTIVE, "activated")
    seller.razorpay.linked.suspend(seller.party.split(".")[1])
    suspended = await seller.connector.inquire_party(seller.party)
    assert suspended == PartyStanding(PartyState.SUSPENDED, "suspended")


@pytest.mark.parametrize("party", ["acc_1", "acc_1.acc_prd_1.more", ""])
async def test_a_party_needs_its_product(seller: Seller, party: str) -> None:
    assert await seller.connector.inquire_party(party) == NothingThere()


async def test_a_party_that_razorpay_does_not_know_says_nothing(seller: Seller) -> None:
    answer = await seller.connector.inquire_party("acc_1.acc_prd_1")
    assert isinstance(answer, Unknown)


async def test_a_share_is_given_and_settled_under_a_utr(seller: Seller) -> None:
    made = await seller.given()
    assert (made.amount, made.name[:4], made.utr) == (Money(80_000), "trf_", "")
    seller.razorpay.pass_time(5 * DAY_S)
    settled = await seller.connector.inquire_share(seller.order())
    assert isinstance(settled, ShareMade)
    assert (settled.name, bool(settled.utr)) == (made.name, True)


async def test_a_share_that_was_never_sent_is_not_there(seller: Seller) -> None:
    assert await seller.connector.inquire_share(seller.order()) == NothingThere()
    await seller.given()
    other = seller.order(reference="10001-S215000000000009")
    assert await seller.connector.inquire_share(other) == NothingThere()


@pytest.mark.parametrize("paise", [149_951, 99])
async def test_more_than_was_paid_or_too_little_is_refused(seller: Seller, paise: int) -> None:
    answer = await seller.connector.give_share(seller.order(paise))
    assert isinstance(answer, Declined)
    assert await seller.connector.inquire_share(seller.order(paise)) == NothingThere()


async def test_a_share_that_the_fee_leaves_no_room_for_is_refused(seller: Seller) -> None:
    answer = await seller.connector.give_share(seller.order(149_950))
    assert isinstance(answer, Declined)
    assert "insufficient balance" in answer.message


async def test_a_lost_answer_is_found_by_our_reference(seller: Seller) -> None:
    seller.razorpay.faults["/transfers"] = deque([Fault.LOST_AFTER])
    assert isinstance(await seller.connector.give_share(seller.order()), Unknown)
    made = await seller.connector.inquire_share(seller.order())
    assert isinstance(made, ShareMade)


async def test_a_lost_call_is_not_there(seller: Seller) -> None:
    seller.razorpay.faults["/transfers"] = deque([Fault.LOST_BEFORE])
    assert isinstance(await seller.connector.give_share(seller.order()), Unknown)
    assert await seller.connector.inquire_share(seller.order()) == NothingThere()


async def test_a_payment_that_is_busy_is_asked_about_later(seller: Seller) -> None:
    seller.razorpay.faults["/transfers"] = deque([Fault.BUSY])
    answer = await seller.connector.give_share(seller.order())
    assert isinstance(answer, Unknown)
    assert answer.code == "busy"


async def test_two_transfers_of_one_reference_are_left_to_people(seller: Seller) -> None:
    for _ in range(2):
        await seller.connector.give_share(seller.order(10_000))
    answer = await seller.connector.inquire_share(seller.order(10_000))
    assert isinstance(answer, Unknown)
    assert answer.code == "made_twice"


async def test_a_part_is_taken_back_and_found_by_our_reference(seller: Seller) -> None:
    back = seller.back(await seller.given())
    assert await seller.connector.inquire_reversal(back) == NothingThere()
    answer = await seller.connector.reverse_share(back)
    assert isinstance(answer, Approved)
    assert (answer.amount, answer.rrn[:6]) == (Money(20_000), "rvrsl_")
    assert await seller.connector.inquire_reversal(back) == answer
    after = await seller.connector.inquire_share(seller.order())
    assert isinstance(after, ShareMade)
    assert after.amount == Money(80_000), "what was given, without reversals"


async def test_a_lost_reversal_is_found(seller: Seller) -> None:
    back = seller.back(await seller.given())
    seller.razorpay.faults["/reversals"] = deque([Fault.LOST_AFTER])
    assert isinstance(await seller.connector.reverse_share(back), Unknown)
    assert isinstance(await seller.connector.inquire_reversal(back), Approved)


async def test_a_settled_party_has_nothing_to_take_back(seller: Seller) -> None:
    back = seller.back(await seller.given())
    seller.razorpay.pass_time(5 * DAY_S)
    answer = await seller.connector.reverse_share(back)
    assert isinstance(answer, Declined)
    assert "sufficient balance" in answer.message


async def test_a_webhook_about_a_transfer_names_our_reference(seller: Seller) -> None:
    await seller.given()
    (event,) = [each for each in seller.razorpay.events() if each.name == "transfer.processed"]
    headers = {name.lower(): value for name, value in event.headers.items()}
    trigger = seller.connector.read_trigger(headers, event.body, now_s=0)
    assert trigger is not None
    assert trigger.references == (SHARE,)
    assert seller.connector.read_trigger(headers, event.body + b" ", now_s=0) is None


@pytest.mark.parametrize("fault", [Fault.HTML, Fault.CUT, Fault.EMPTY, Fault.FAILED])
async def test_spoilt_answers_decide_nothing(seller: Seller, fault: Fault) -> None:
    made = await seller.given()
    for path in ("/transfers", "/reversals", f"/products/{seller.party.split('.')[1]}"):
        seller.razorpay.faults[path] = deque([fault] * 9)
    assert isinstance(await seller.connector.inquire_share(seller.order()), Unknown)
    assert isinstance(await seller.connector.inquire_reversal(seller.back(made)), Unknown)
    assert isinstance(await seller.connector.inquire_party(seller.party), Unknown)
