"""A share whose call was lost, and that may not be sent again, ends where the acquirer has none."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from hundi.acquirers.port.answers import Unknown
from hundi.infra.monitoring import store as monitoring
from hundi.infra.postgres.database import Database
from hundi.payments.direct_shares.reversals.actions import WAITS_FOR_SHARE
from hundi.payments.direct_shares.rules import PARTY_GAP, REPEAT_GRACE, ShareCause
from hundi.payments.orders.rules import PaymentView
from hundi.payments.splits import actions as splits
from tests.bent import take_checks_off
from tests.payments.direct_shares.market import DYER, PAISE, WEAVER, Market, open_market
from tests.payments.direct_shares.splitting import CarryingAcquirer
from tests.payments.direct_shares.test_causes import INSERT, INSERT_EVENT, POST
from tests.payments.direct_shares.test_settlements import OTHER, SHARE, settled
from tests.recording import BY
from tests.shop import NOW, refund_due

LOST = Unknown(message="no answer")
SOON = NOW + timedelta(minutes=5)
END = NOW + REPEAT_GRACE + PARTY_GAP


async def _end_party(market: Market) -> None:
    await splits.end_party(market.db, BY, market.merchant_id, WEAVER, "sandbox", NOW)


async def _suspend(market: Market) -> None:
    async with market.db.transaction() as conn:
        await conn.execute("ALTER TABLE merchants DISABLE TRIGGER USER")
        await conn.execute("UPDATE merchants SET state = 'suspended'")


async def _bend_trail(market: Market) -> None:
    """Write another account number under the linked account than the trail has."""
    async with market.db.transaction() as conn:
        await take_checks_off(conn)
        await conn.execute("ALTER TABLE linked_accounts DISABLE TRIGGER USER")
        await conn.execute("UPDATE linked_accounts SET last4 = '9999'")


HINDRANCES = (
    pytest.param(_end_party, ShareCause.ENDED, id="party ended"),
    pytest.param(_suspend, ShareCause.INACTIVE, id="merchant suspended"),
    pytest.param(_bend_trail, ShareCause.UNPROVED, id="cause unproved"),
)


async def _lost(market: Market) -> PaymentView:
    """Return a payment whose share was sent and not answered: the acquirer never saw it."""
    market.bank.refusals.append(LOST)
    view = await market.shared()
    await market.work(NOW)
    return view


@pytest.mark.parametrize(("hinder", "cause"), HINDRANCES)
async def test_it_goes_back_a_day_after_its_last_call(
    market: Market, hinder: Callable[[Market], Awaitable[None]], cause: ShareCause
) -> None:
    view = await _lost(market)
    await hinder(market)
    for late in (timedelta(minutes=5), REPEAT_GRACE - timedelta(minutes=1)):
        await market.work(NOW + late)
        assert ((await market.share(view)).state, cause) == ("unknown", cause)
    await market.work(END)
    share = await market.share(view)
    assert (share.state, share.message) == ("refused", cause)
    assert await market.states(share) == ["waiting", "sent", "unknown", "refused"]
    assert market.bank.count("give_share") == 1
    assert await market.postings("direct_returned") == [
        ("direct_returned", "direct_shares", "payable", SHARE)
    ]
    assert (await market.balance("payable"), await market.balance("direct_shares")) == (-PAISE, 0)


async def test_a_payout_pays_the_part_and_a_late_share_is_seen(market: Market) -> None:
    view = await _lost(market)
    await _end_party(market)
    await market.work(SOON)
    await market.work(END)
    await market.holds()
    share = await market.share(view)
    market.bank.given.append(share.order)
    await market.work(END + timedelta(minutes=5))
    assert (await market.share(view)).late_at == END + timedelta(minutes=5)
    assert await market.balance("receivable:sandbox") == PAISE - SHARE
    await market.holds()


async def test_a_payout_pays_the_part(market: Market) -> None:
    await _lost(market)
    await _end_party(market)
    await market.work(SOON)
    await market.work(END)
    shares = await settled(market.db, market.merchant_id, END + timedelta(days=4))
    assert shares == {"primary": PAISE - SHARE - OTHER, WEAVER: SHARE, DYER: OTHER}
    await market.holds()


async def test_silence_is_never_a_no(market: Market) -> None:
    view = await _lost(market)
    await _end_party(market)
    market.bank.is_silent = True
    for days in range(1, 40):
        await market.work(NOW + timedelta(days=days))
    share = await market.share(view)
    assert (share.state, share.message) == ("unknown", "no answer")
    for days, count in ((1, 0), (3, 1)):
        at = NOW + timedelta(days=days)
        assert await monitoring.count_shares_unanswered(market.db, at) == count
    market.bank.is_silent = False
    await market.work(NOW + timedelta(days=40))
    assert (await market.share(view)).state == "refused"
    await market.holds()


@pytest.mark.parametrize("is_posted", [False, True])
async def test_a_share_that_no_split_made_gives_back_what_the_books_have_of_it(
    market: Market, *, is_posted: bool
) -> None:
    await market.shared()
    await market.work(NOW)
    before = await market.balance("payable")
    await market.db.execute(INSERT, "THIEF", "acc_thief", PAISE, "unknown")
    await market.db.execute(INSERT_EVENT, "acc_thief")
    if is_posted:
        await market.db.execute(POST, "acc_thief")
    for after in (SOON - NOW, END - NOW):
        await market.work(NOW + after)
    assert await market.balance("payable") == before
    assert market.bank.count("give_share") == 1


async def test_a_refund_that_waited_for_it_goes(db: Database) -> None:
    bank = CarryingAcquirer()
    market = await open_market(db, bank)
    view = await _lost(market)
    await _end_party(market)
    await market.work(SOON)
    await market.refund(view, 25_000, SOON)
    assert bank.given_back == {}
    await market.work(END)
    await refund_due(market.shop.context, END + WAITS_FOR_SHARE)
    assert ([each.amount.paise for each in bank.given_back.values()], bank.borne) == ([25_000], [])
    await market.holds()


async def test_nothing_is_taken_back_of_a_share_whose_cause_is_unproved(market: Market) -> None:
    view = await market.shared()
    await market.work(NOW)
    await market.refund(view, PAISE // 2, NOW + timedelta(seconds=1))
    await _bend_trail(market)
    asked = market.bank.count("inquire_share")
    for _ in range(5):
        await market.work(NOW + timedelta(seconds=2))
    share = await market.share(view)
    assert (share.state, share.message) == ("done", ShareCause.UNPROVED)
    assert share.due_at == NOW + timedelta(seconds=2) + PARTY_GAP
    assert market.bank.count("inquire_share") == asked, "and it is not looked at in a loop"
    assert market.bank.taken_back == []
