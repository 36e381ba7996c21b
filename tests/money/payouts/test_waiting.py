"""Payouts that no provider may carry, and payouts that people take back before they leave."""

import asyncio
from contextlib import suppress
from datetime import timedelta

import pytest

from hundi.acquirers.port.answers import Approved, Unknown
from hundi.acquirers.port.payouts import RailTerms
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.money.payouts import actions, store
from hundi.money.payouts.cancellations.actions import cancel
from hundi.money.payouts.rails.rules import PayoutChannel
from hundi.money.payouts.routing import actions as routing
from hundi.money.payouts.rules import Gaps, PayoutState, PayoutTry
from tests.acquirer import ScriptedAcquirer
from tests.money.payouts.till import CHECKER, LATER, MAKER, PAISE, SOON, Till
from tests.payments.interrupted import Start, shop_on, whichever_call_is_interrupted
from tests.recording import BY
from tests.shop import NOW

P = PayoutState
MINUTE = timedelta(minutes=1)
BY_RTGS = """
[[rules]]
name = "by-rtgs"
use = [{ acquirer = "sandbox" }]
rails = ["rtgs"]
"""
UNREAD = "INSERT INTO payout_plans VALUES (1, 'rules = 1', 'Asha', $1)"


async def publish(till: Till, document: str = BY_RTGS) -> None:
    """Put a plan into force, which the till's worker reads at once."""
    carried = {"sandbox": till.bank.payout_rails}
    assert isinstance(await routing.publish(till.db, document, carried, BY, NOW), int)
    till.context = replace(till.context, router=routing.PayoutRouter())


async def notes(till: Till, payout: PayoutTry) -> list[tuple[str, str]]:
    """Return the events of a payout after its release."""
    events = await store.events_of(till.db, till.merchant_id, payout.payout_id)
    return [(each["state"], each["note"]) for each in events[3:]]


async def test_a_payout_that_no_provider_carries_waits_and_says_why(till: Till) -> None:
    await publish(till)
    payout = await till.approved()
    await till.work(NOW)
    waiting = await till.again(payout)
    assert (waiting.state, waiting.due_at) == (P.AWAITING_PROVIDER, NOW + MINUTE)
    why = "rule by-rtgs: no provider carries the amount over rtgs"
    await till.work(NOW + MINUTE)
    assert await notes(till, payout) == [("awaiting_provider", why)], "told once"
    assert (till.bank.paid_out, await till.broken(LATER)) == ([], set())
    await publish(till, BY_RTGS.replace('rtgs"', 'neft"'))
    await till.work(NOW + 2 * MINUTE)
    assert (await till.again(payout)).state is P.DONE
    assert await till.broken(LATER) == set()


async def test_a_payout_that_waits_has_the_newest_reason(till: Till) -> None:
    await publish(till)
    payout = await till.approved()
    await till.work(NOW)
    first = (await till.again(payout)).wait_reason
    assert first == "rule by-rtgs: no provider carries the amount over rtgs"
    await publish(till, BY_RTGS.replace("by-rtgs", "all-by-rtgs"))
    await till.work(NOW + MINUTE)
    newest = (await till.again(payout)).wait_reason
    assert newest == "rule all-by-rtgs: no provider carries the amount over rtgs"
    assert await notes(till, payout) == [("awaiting_provider", first)], "told once"
    assert await till.broken(LATER) == set()
    await publish(till, BY_RTGS.replace('rtgs"', 'neft"'))
    await till.work(NOW + 2 * MINUTE)
    sent = await till.again(payout)
    assert (sent.state, sent.wait_reason) == (P.DONE, "")


async def test_a_plan_that_cannot_be_read_lets_nothing_leave(till: Till) -> None:
    await till.db.execute(UNREAD, NOW)
    payout = await till.approved()
    await till.work(NOW)
    ((state, why),) = await notes(till, payout)
    assert state == "awaiting_provider"
    assert why.startswith("version 1 of the plan of payouts cannot be read: rules: ")
    assert (till.bank.paid_out, await till.broken(LATER)) == ([], set())


async def test_an_account_of_one_merchant_pays_that_merchant_alone(till: Till) -> None:
    own = ScriptedAcquirer("own")
    of_this, of_another = ({"own": [each]} for each in (till.merchant_id, till.merchant_id + 1))
    till.context = replace(till.context, connectors=Registry([till.bank, own], merchants=of_this))
    payout = await till.approved()
    await till.work(NOW)
    assert (await till.again(payout)).provider == "own"
    till.context = replace(till.context, connectors=Registry([own], merchants=of_another))
    other = await till.prepared()
    assert (other.channel, other.connector) == (PayoutChannel.FILE, "")


async def test_what_waits_has_no_provider_yet(till: Till) -> None:
    payout = await till.approved()
    assert (payout.provider, payout.connector) == ("", "sandbox")
    await till.work(NOW)
    assert (await till.again(payout)).provider == "sandbox"


async def take_back(till: Till, payout: PayoutTry, db: Database | None = None) -> PayoutTry:
    """Cancel a payout."""
    key = till.merchant_id, payout.payout_id
    return await cancel(db or till.db, *key, CHECKER, "the plan is wrong", SOON)


@pytest.mark.parametrize("state", ["prepared", "proposed", "approved", "awaiting_provider"])
async def test_a_payout_that_has_not_left_is_cancelled_and_leaves_otherwise(
    till: Till, state: str
) -> None:
    payout = await till.prepared()
    if state != "prepared":
        await till.approve(payout, MAKER)
    if state not in {"prepared", "proposed"}:
        await till.approve(payout, CHECKER)
    if state == "awaiting_provider":
        till.bank.payout_rails = (RailTerms("rtgs", 2_00_000_00),)
        till.context = replace(till.context, connectors=Registry([till.bank]))
        await till.work(NOW)
    assert (await till.again(payout)).state == state
    cancelled = await take_back(till, payout)
    assert (cancelled.state, cancelled.due_at) == (P.HELD_BACK, None)
    events = await store.events_of(till.db, till.merchant_id, payout.payout_id)
    assert (events[-1]["actor"], events[-1]["note"]) == (CHECKER, "cancelled: the plan is wrong")
    assert [each["share_id"] for each in await till.open_shares()] == [payout.share_id]
    assert await till.postings() == []
    await till.work(LATER)
    assert till.bank.paid_out == []
    assert await actions.prepare(till.context, SOON) == 0, "a person decides how it leaves"
    said = (till.merchant_id, payout.payout_id, MAKER, SOON)
    again = await actions.retry(till.db, *said, channel=PayoutChannel.FILE)
    assert (again.state, again.channel, again.try_no) == (P.PROPOSED, PayoutChannel.FILE, 2)
    assert await till.broken(LATER) == set()


@pytest.mark.parametrize("answer", [Unknown(), Approved(Money(PAISE), "UTR1")])
async def test_what_may_have_left_is_not_cancelled(till: Till, answer: Unknown) -> None:
    payout = await till.approved()
    till.bank.payouts.append(answer)
    await till.work(NOW)
    before = await till.again(payout)
    with pytest.raises(Refused) as refused:
        await take_back(till, payout)
    assert refused.value.refusal.code is RefusalCode.STATE_FORBIDS
    assert await till.again(payout) == before


async def test_of_a_cancellation_and_a_sending_one_happens(till: Till) -> None:
    sent = 0
    for _ in range(12):
        payout = await till.approved()
        before = len(till.bank.paid_out)

        async def cancels(of: PayoutTry = payout) -> None:
            with suppress(Refused):
                await take_back(till, of)

        await asyncio.gather(till.work(SOON), cancels())
        left = len(till.bank.paid_out) - before
        state = (await till.again(payout)).state
        assert (state, left) in {(P.HELD_BACK, 0), (P.DONE, 1)}
        sent += left
    assert len(till.bank.paid_out) == sent
    assert await till.broken(LATER) == set()


async def test_whichever_call_is_interrupted_a_cancelled_payout_does_not_leave(till: Till) -> None:
    await till.add_account()
    await till.check_accounts()

    async def begin() -> Start:
        payout = await till.approved()
        till.bank.paid_out.clear()

        async def cancels(db: Database) -> None:
            with suppress(Refused):
                await take_back(till, payout, db)

        async def works(db: Database) -> None:
            process = Till(shop_on(till.shop, db), replace(till.context, db=db))
            await process.work(SOON)

        async def end() -> object:
            owed = any(each["share_id"] == payout.share_id for each in await till.open_shares())
            state = (await till.again(payout)).state
            return state, owed, [each.reference for each in till.bank.paid_out]

        return [cancels, works], end

    assert await whichever_call_is_interrupted(till.db, begin) == ("held_back", True, [])
    assert await till.broken(LATER) == set()


async def test_of_two_answers_with_one_utr_at_the_same_moment_one_counts(till: Till) -> None:
    till.bank.payouts.extend([Unknown()] * 16)
    gaps = Gaps(returned_s=till.bank.returned_gaps_s)
    for number in range(8):
        pair = [await till.approved(), await till.approved()]
        await till.work(NOW)
        paid = Approved(Money(PAISE), f"UTR{number}")
        open_now = [await till.again(each) for each in pair]
        await asyncio.gather(
            *(actions.settle(till.db, each, paid, gaps, SOON) for each in open_now)
        )
        states = sorted([(await till.again(each)).state for each in pair])
        assert states == ["done", "unknown"]
    assert await till.broken(LATER) == set()
