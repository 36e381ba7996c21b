"""A share that is made by a call that was lost is not paid by a payout too, unseen."""

from datetime import timedelta

import pytest

from hundi.acquirers.port.answers import Declined, Unknown
from hundi.money.audit.rules import Violation
from hundi.money.chain import actions as chain
from hundi.payments.direct_shares import actions, store
from hundi.payments.direct_shares.rules import HASTEN_GAP, REPEAT_GRACE, DirectShare
from tests.payments.direct_shares.market import DYER, PAISE, WEAVER, Market
from tests.payments.direct_shares.test_settlements import FIRST, OTHER, SHARE, settled
from tests.shop import NOW, VAULT

BUSY = Declined("BAD_REQUEST_ERROR", "another payment operation is in progress")
LOST = Unknown(message="no answer")
AGAIN = NOW + timedelta(seconds=70)


async def refused(market: Market) -> DirectShare:
    """Return a share that the acquirer refused at once, and works on later all the same."""
    market.bank.refusals.append(BUSY)
    view = await market.shared()
    await market.work(NOW)
    return await market.share(view)


async def test_a_refusal_of_a_second_call_leaves_the_first_one_open(market: Market) -> None:
    market.bank.refusals.extend([LOST, BUSY])
    view = await market.shared()
    await market.work(NOW)
    await market.work(AGAIN)
    share = await market.share(view)
    assert (share.state, share.message) == ("unknown", BUSY.message)
    market.bank.given.append(share.order)
    await actions.ask_now(market.db, "sandbox", share.reference, AGAIN + timedelta(seconds=9))
    await market.work(AGAIN + timedelta(seconds=9))
    assert (await market.share(view)).state == "done"
    assert len(market.bank.given) == 1
    await market.holds()


async def test_what_is_refused_for_a_day_goes_back(market: Market) -> None:
    market.bank.refusals.extend([LOST, *[BUSY] * 99])
    view = await market.shared()
    await market.work(NOW)
    await market.work(AGAIN)
    await market.work(NOW + REPEAT_GRACE)
    assert (await market.share(view)).state == "refused"
    assert await market.balance("payable") == -PAISE
    await market.holds()


@pytest.mark.parametrize("is_told", [False, True], ids=["asked", "told by a webhook"])
async def test_a_refused_share_that_was_made_is_not_paid_by_a_payout(
    market: Market, *, is_told: bool
) -> None:
    share = await refused(market)
    await chain.seal(market.db, VAULT, await market.later())
    market.bank.given.append(share.order)
    if is_told:
        await actions.ask_now(market.db, "sandbox", share.reference, NOW + HASTEN_GAP)
    await market.work(NOW + (HASTEN_GAP if is_told else timedelta(minutes=5)))
    assert await market.balance("receivable:sandbox") == PAISE - SHARE
    await market.holds()
    await chain.seal(market.db, VAULT, await market.later())
    shares = await settled(market.db, market.merchant_id, FIRST)
    assert shares == {"primary": PAISE - SHARE - OTHER, DYER: OTHER}
    await market.holds()


async def test_money_that_left_twice_is_named(market: Market) -> None:
    share = await refused(market)
    shares = await settled(market.db, market.merchant_id, NOW + timedelta(days=4))
    assert shares[WEAVER] == SHARE
    market.bank.given.append(share.order)
    await market.work(NOW + timedelta(days=5))
    assert await market.balance("payable") == SHARE, "the merchant has lent it"
    assert await market.broken() == {Violation.SHARE_SETTLED_TWICE}


async def test_a_refused_share_is_asked_about_for_days_and_not_for_ever(market: Market) -> None:
    share = await refused(market)
    for days in range(9):
        await market.work(NOW + timedelta(days=days, minutes=6))
    async with market.db.transaction() as conn:
        last = await store.lock(conn, share.merchant_id, share.share_id)
    assert last is not None
    assert (last.state, last.due_at) == ("refused", None)
    await market.holds()


async def test_webhooks_at_once_cause_one_inquiry_in_five_seconds(market: Market) -> None:
    share = await refused(market)
    for millis in range(0, 9_000, 500):
        at = NOW + timedelta(seconds=10, milliseconds=millis)
        await actions.ask_now(market.db, "sandbox", share.reference, at)
        await market.work(at)
    assert market.bank.count("inquire_share") == 2
