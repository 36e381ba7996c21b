"""What a process keeps of the payments that it opened.

It saves a read, and never decides what is true.
"""

from typing import Any

import pytest
from asyncpg import Record

from hundi.acquirers.port.answers import Approved, BankCallback, Declined
from hundi.infra.postgres.batches import Batches
from hundi.infra.postgres.database import Database
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.states import AttemptState, PaymentState
from hundi.payments.attempts.answers import actions as answers
from hundi.payments.orders import actions as payments
from hundi.payments.orders import store
from hundi.payments.orders.recent.store import RecentViews
from hundi.payments.orders.rules import PaymentView
from tests.shop import NOW, Shop

LOOKS = {store.SELECT_BY_PAYMENT: "select_view", store.SELECT_BY_ATTEMPT: "select_by_attempt"}


def elsewhere(shop: Shop) -> Shop:
    """Return the same shop as another process has it, which opened nothing."""
    return replace(shop, context=replace(shop.context, recent=RecentViews()))


def word(view: PaymentView, paise: int = 149_950) -> BankCallback:
    """Return the bank's yes about a payment's QR."""
    assert view.offered is not None
    return BankCallback("cb-1", view.offered.reference, Approved(Money(paise), "632512345678"))


class Watched:
    """A database that notes each look at a payment."""

    def __init__(self, db: Database) -> None:
        """Pass everything on to this one."""
        self._db = db
        self.shared = Batches(self, None)
        self.reads: list[str] = []

    def __getattr__(self, name: str) -> object:
        """Return what the database has."""
        return getattr(self._db, name)

    async def fetch(self, query: str, *args: object) -> list[Record]:
        """Note a look at a payment, and return its rows."""
        if query in LOOKS:
            self.reads.append(LOOKS[query])
        return await self._db.fetch(query, *args)


@pytest.fixture
def reads(shop: Shop) -> list[str]:
    """The looks of the shop at its payments."""
    watched: Any = Watched(shop.db)
    shop.context = replace(shop.context, db=watched)
    return watched.reads


async def look(shop: Shop, view: PaymentView) -> PaymentView | None:
    """Return what the page shows."""
    kept = shop.context.recent.for_page(view.payment.merchant_id, view.payment.payment_id)
    return kept or await payments.view(
        shop.context, view.payment.merchant_id, view.payment.payment_id
    )


async def test_what_is_kept_is_what_the_database_says(shop: Shop) -> None:
    view = await shop.order()
    assert view == await shop.again(view)


async def test_page_and_callback_of_the_same_process_read_nothing(
    shop: Shop, reads: list[str]
) -> None:
    view = await shop.order()
    assert await look(shop, view) == view
    await answers.handle_callback(shop.context, "sandbox", word(view), NOW)
    assert reads == []
    shown = await look(shop, view)
    assert shown is not None
    assert shown.payment.state is PaymentState.PAID
    assert reads == ["select_view"], "a second look is at the database"


async def test_a_first_look_after_a_step_is_at_the_database(shop: Shop) -> None:
    view = await shop.order()
    await answers.handle_callback(shop.context, "sandbox", word(view), NOW)
    shown = await look(shop, view)
    assert shown is not None
    assert shown.payment.state is PaymentState.PAID


async def test_another_process_reads_the_database(shop: Shop, reads: list[str]) -> None:
    view = await shop.order()
    other = elsewhere(shop)
    assert await look(other, view) == view
    await answers.handle_callback(other.context, "sandbox", word(view), NOW)
    assert reads == ["select_view", "select_by_attempt"]
    assert (await shop.again(view)).payment.state is PaymentState.PAID


async def test_a_second_yes_decides_on_what_another_process_wrote(shop: Shop) -> None:
    view = await shop.order()
    await answers.handle_callback(elsewhere(shop).context, "sandbox", word(view), NOW)
    await answers.handle_callback(shop.context, "sandbox", word(view), NOW)
    after = await shop.again(view)
    assert (after.payment.state, after.payment.revision) == (PaymentState.PAID, 2)
    assert await shop.postings() == [("payment", "payable", 149_950)]
    assert await shop.told() == ["paid"]


async def test_a_yes_after_a_no_that_another_process_heard_is_a_late_success(shop: Shop) -> None:
    view = await shop.order()
    assert view.offered is not None
    no = BankCallback("cb-0", view.offered.reference, Declined("Z9"))
    await answers.handle_callback(elsewhere(shop).context, "sandbox", no, NOW)
    await answers.handle_callback(shop.context, "sandbox", word(view), NOW)
    after = await shop.again(view)
    assert after.attempts[0].state is AttemptState.PAID
    assert after.payment.state is PaymentState.PAID
    assert after.payment.revision == 3


async def test_a_no_and_another_amount_are_decided_on_what_is_true(
    shop: Shop, reads: list[str]
) -> None:
    view = await shop.order()
    assert view.offered is not None
    await answers.handle_callback(
        shop.context, "sandbox", BankCallback("cb-0", view.offered.reference, Declined("Z9")), NOW
    )
    assert reads[0] == "select_by_attempt"
    other = await shop.order()
    await answers.handle_callback(shop.context, "sandbox", word(other, 100), NOW)
    assert (await shop.again(other)).payment.state is PaymentState.OPEN


async def test_no_more_than_so_many_are_kept(shop: Shop) -> None:
    kept = RecentViews(most=2)
    views = [await shop.order() for _ in range(3)]
    for each in views:
        kept.keep(each)
    found = [kept.for_page(each.payment.merchant_id, each.payment.payment_id) for each in views]
    assert found == [None, *views[1:]]
