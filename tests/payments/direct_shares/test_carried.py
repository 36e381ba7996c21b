"""Where refunds take the parties' parts with them, each part is taken once, and with its refund."""

from datetime import timedelta

import pytest

from hundi.acquirers.port.answers import Declined, Unknown
from hundi.infra.postgres.database import Database
from hundi.payments.direct_shares.reversals.actions import WAITS_FOR_SHARE
from hundi.payments.direct_shares.rules import REFUND_GAP
from hundi.payments.splits.rules import SharePart
from tests.bent import take_checks_off
from tests.payments.direct_shares.market import PAISE, PARTY, WEAVER, Market, open_market
from tests.payments.direct_shares.splitting import CarryingAcquirer
from tests.payments.interrupted import Start, whichever_call_is_interrupted
from tests.shop import NOW, refund_due

SHARE, BACK = 80_000, 20_000
SOON, LATER = NOW + timedelta(seconds=10), NOW + timedelta(minutes=5)
TIMES = tuple(timedelta(seconds=each) for each in (0, 31, 100, 200, 3_600))
"""When a worker looks: now, and when the leases and graces of a killed one are over."""


@pytest.fixture
def bank() -> CarryingAcquirer:
    return CarryingAcquirer()


@pytest.fixture
async def market(db: Database, bank: CarryingAcquirer) -> Market:
    return await open_market(db, bank)


async def test_a_refund_takes_the_partys_part_with_it(
    market: Market, bank: CarryingAcquirer
) -> None:
    view = await market.shared()
    await market.work(NOW)
    await market.refund(view, 25_000, SOON)
    assert bank.borne == [(PARTY, BACK)]
    (reversal,) = await market.reversals(view)
    assert (reversal.state, reversal.amount_paise) == ("sent", BACK)
    await market.holds()
    await market.work(SOON)
    (reversal,) = await market.reversals(view)
    assert (reversal.state, reversal.ended_at) == ("done", SOON)
    assert await market.postings("direct_reversed") == [
        ("direct_reversed", "receivable:sandbox", "payable", BACK)
    ]
    assert await market.balance("receivable:sandbox") == PAISE - SHARE - 25_000 + BACK
    await market.holds()


async def test_refunds_one_after_the_other_take_all_of_the_part(
    market: Market, bank: CarryingAcquirer
) -> None:
    view = await market.shared()
    await market.work(NOW)
    for paise in (1, 33_333, 66_666):
        await market.refund(view, paise, SOON)
        await market.work(SOON)
    assert sum(paise for _, paise in bank.borne) == SHARE
    assert await market.balance("receivable:sandbox") == 0
    await market.holds()


async def test_two_refunds_on_their_way_take_their_own_parts(
    market: Market, bank: CarryingAcquirer
) -> None:
    view = await market.shared()
    await market.work(NOW)
    bank.lost = 2
    await market.refund(view, 25_000, SOON)
    await market.refund(view, 50_000, SOON)
    assert [paise for _, paise in bank.borne] == [BACK, 40_000]
    await market.work(SOON)
    assert [each.state for each in await market.reversals(view)] == ["sent", "sent"]
    await market.holds()
    await refund_due(market.shop.context, LATER)
    for _ in range(2):
        await market.work(LATER)
    assert [each.state for each in await market.reversals(view)] == ["done", "done"]
    assert await market.balance("receivable:sandbox") == 5_000
    await market.holds()


async def test_a_refused_refund_takes_nothing(market: Market, bank: CarryingAcquirer) -> None:
    view = await market.shared()
    await market.work(NOW)
    bank.refunds.append(Declined("no", "no"))
    await market.refund(view, 25_000, SOON)
    (reversal,) = await market.reversals(view)
    assert (reversal.state, bank.borne) == ("cancelled", [])
    await market.work(SOON)
    assert await market.postings("direct_reversed") == []
    await market.holds()
    await market.refund(view, 25_000, SOON)
    await market.work(SOON)
    assert bank.borne == [(PARTY, BACK)]
    await market.holds()


async def test_a_refund_waits_for_an_answer_about_the_share(
    market: Market, bank: CarryingAcquirer
) -> None:
    bank.refusals.append(Unknown(message="no answer"))
    view = await market.shared()
    await market.work(NOW)
    await market.refund(view, 25_000, SOON)
    assert bank.given_back == {}
    await market.work(LATER)
    assert (await market.share(view)).state == "done"
    await refund_due(market.shop.context, SOON + WAITS_FOR_SHARE)
    assert bank.borne == [(PARTY, BACK)]
    await market.work(LATER)
    await market.holds()


async def test_a_refund_takes_nothing_of_a_party_that_the_books_do_not_show(
    market: Market, bank: CarryingAcquirer
) -> None:
    view = await market.shared()
    await market.work(NOW)
    async with market.db.transaction() as conn:
        await take_checks_off(conn)
        await conn.execute("ALTER TABLE direct_shares DISABLE TRIGGER USER")
        await conn.execute("UPDATE direct_shares SET party = 'acc_other'")
    await market.refund(view, 25_000, SOON)
    assert bank.given_back == {}
    await market.db.execute("UPDATE direct_shares SET party = $1", PARTY)
    await refund_due(market.shop.context, SOON + WAITS_FOR_SHARE)
    assert bank.borne == [(PARTY, BACK)]


async def test_a_share_waits_for_a_refund_and_is_given_less(
    market: Market, bank: CarryingAcquirer
) -> None:
    view = await market.shared()
    bank.refunds.append(Unknown(message="no answer"))
    await market.refund(view, 25_000, NOW)
    await market.work(NOW)
    share = await market.share(view)
    assert (share.state, share.due_at) == ("waiting", NOW + REFUND_GAP)
    await refund_due(market.shop.context, LATER)
    await refund_due(market.shop.context, LATER)
    await market.work(LATER)
    share = await market.share(view)
    assert (share.state, share.sent_paise, bank.borne) == ("done", 60_000, [])
    await market.holds()


async def test_the_refund_of_a_payment_that_is_all_a_partys_takes_all_of_it(
    market: Market, bank: CarryingAcquirer
) -> None:
    view = await market.paid()
    await market.split(view, SharePart(WEAVER, 100_00))
    await market.work(NOW)
    await market.refund(view, PAISE, SOON)
    assert bank.borne == [(PARTY, PAISE)]
    await market.work(SOON)
    await market.holds()


async def test_whichever_call_is_interrupted_the_part_is_taken_once(
    market: Market, bank: CarryingAcquirer
) -> None:
    async def begin() -> Start:
        view = await market.shared()
        await market.work(NOW)
        bank.carried.clear()
        await market.refund_later(view, 25_000)

        async def works(db: Database) -> None:
            on = market.on(db)
            for after in TIMES:
                await refund_due(on.shop.context, NOW + after)
                await on.work(NOW + after)

        async def end() -> object:
            reversals = [(each.state, each.amount_paise) for each in await market.reversals(view)]
            return reversals, bank.borne

        return [works], end

    expected = await whichever_call_is_interrupted(market.db, begin)
    assert expected == ([("done", BACK)], [(PARTY, BACK)])
    await market.holds()
