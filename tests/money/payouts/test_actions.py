"""Payouts on a real database.

Released by two people, sent once for a cause that holds, every paisa in the books.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from hundi.acquirers.port.answers import (
    Approved,
    Declined,
    NothingThere,
    SentBack,
    Unknown,
)
from hundi.infra.postgres.database import Connection, Database
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refused
from hundi.money.bank_accounts import actions as bank_accounts
from hundi.money.bank_accounts.rules import PRIMARY
from hundi.money.payouts import actions, store
from hundi.money.payouts.answers.rules import after_answer
from hundi.money.payouts.rails.rules import PayoutChannel, Rail
from hundi.money.payouts.rules import (
    Gaps,
    PayoutState,
    PayoutTry,
    PayoutWay,
    Reported,
)
from hundi.money.payouts.sending import actions as sending
from hundi.money.payouts.utrs import store as utrs
from tests.money.payouts.till import CHECKER, HOLDER, IFSC, LATER, MAKER, NUMBER, PAISE, SOON, Till
from tests.shop import NOW
from tests.wakeups import woken


async def test_a_share_is_prepared_released_by_two_sent_and_done(till: Till) -> None:
    payout = await till.approved()
    assert (payout.state, payout.maker, payout.checker, payout.rail) == (
        "approved",
        MAKER,
        CHECKER,
        Rail.IMPS,
    )
    assert await till.postings() == []
    assert await till.work(SOON) == 1
    done = await till.again(payout)
    assert (done.state, done.utr, done.settled_at) == (
        PayoutState.DONE,
        f"UTR{payout.reference[-15:]}",
        SOON,
    )
    assert await till.postings() == [
        ("payout_sent", "settlement_due", "payouts_in_flight", PAISE),
        ("payout_done", "payouts_in_flight", "escrow", PAISE),
    ]
    (order,) = till.bank.paid_out
    assert (order.reference, order.amount, order.holder) == (payout.reference, Money(PAISE), HOLDER)
    assert (order.account.number, order.account.ifsc) == (NUMBER, IFSC)
    assert await till.states(payout) == ["prepared", "proposed", "approved", "sent", "done"]
    assert await actions.prepare(till.context, LATER) == 0, "it is paid out"
    assert await till.broken(LATER) == set()


async def test_an_account_to_check_and_an_approved_payout_wake_the_workers(till: Till) -> None:
    async with woken(till.db, bank_accounts.DUE_CHANNEL, actions.DUE_CHANNEL):
        await till.approved()


async def test_one_person_does_not_release_a_payout(till: Till) -> None:
    payout = await till.prepared()
    await till.approve(payout, MAKER)
    for same in (MAKER, MAKER.lower(), f" {MAKER}", "gateway", ""):
        with pytest.raises(Refused):
            await till.approve(payout, same)
    with pytest.raises(asyncpg.CheckViolationError):
        await till.db.execute("UPDATE payouts SET state = 'approved', checker = maker")
    assert (await till.again(payout)).state is PayoutState.PROPOSED


async def test_silence_is_never_failure(till: Till) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Unknown())
    await till.work(NOW)
    for minutes in range(1, 4):
        till.bank.payout_inquiries.append(Unknown())
        await till.work(NOW + timedelta(minutes=minutes))
    assert (await till.again(payout)).state is PayoutState.UNKNOWN
    till.bank.payout_inquiries.clear()
    till.bank.payout_inquiries.append(Approved(Money(PAISE), "UTR1"))
    await till.work(NOW + timedelta(hours=1))
    assert (await till.again(payout)).state is PayoutState.DONE
    assert len(till.bank.paid_out) == 1


async def test_a_call_that_was_lost_is_made_again_under_the_same_key(till: Till) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Unknown())
    await till.work(NOW)
    await till.work(NOW + timedelta(seconds=30))
    assert len(till.bank.paid_out) == 1, "the bank may still receive it"
    await till.work(NOW + timedelta(seconds=till.bank.payout_grace_s) + timedelta(minutes=1))
    assert [order.reference for order in till.bank.paid_out] == [payout.reference] * 2
    assert len([each for each in await till.postings() if each[0] == "payout_sent"]) == 1
    assert (await till.again(payout)).state is PayoutState.DONE
    assert await till.broken(LATER) == set()


async def test_a_crash_between_intention_and_call_sends_once(till: Till) -> None:
    payout = await till.approved()
    (claimed,) = await store.claim(
        till.db, till.merchant_id, [payout.payout_id], NOW, NOW + actions.LEASE
    )
    assert await sending.send(till.db, claimed, PayoutWay("sandbox", "imps"), NOW) is not None
    assert await till.work(NOW) == 0, "its lease holds"
    await till.work(NOW + timedelta(minutes=2))
    assert (await till.again(payout)).state is PayoutState.DONE
    assert len(till.bank.paid_out) == 1


async def test_two_workers_pay_once(till: Till) -> None:
    payout = await till.approved()
    assert sum(await asyncio.gather(*(till.work(NOW) for _ in range(4)))) == 1
    # A lease that ended while its worker still goes on: both act on the row as they read it.
    other = await till.approved(30_000)
    await asyncio.gather(*(sending.work_on(till.context, other, SOON) for _ in range(3)))
    assert sorted(order.reference for order in till.bank.paid_out) == sorted(
        [payout.reference, other.reference]
    )
    assert await till.broken(LATER) == set()


async def test_a_refused_payout_is_owed_again_and_retried(till: Till) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Declined("AC04", "The account is closed"))
    await till.work(NOW)
    refused = await till.again(payout)
    assert (refused.state, refused.bank_code) == (PayoutState.REFUSED, "AC04")
    assert (await till.postings())[1] == (
        "payout_returned",
        "payouts_in_flight",
        "settlement_due",
        PAISE,
    )
    assert await actions.prepare(till.context, LATER) == 0, (
        "a person decides about the same account"
    )
    anew = await actions.retry(till.db, till.merchant_id, payout.payout_id, MAKER, SOON)
    assert (anew.share_id, anew.try_no, anew.state) == (payout.share_id, 2, PayoutState.PROPOSED)
    with pytest.raises(Refused):
        await actions.retry(till.db, till.merchant_id, payout.payout_id, MAKER, SOON)
    await till.approve(anew, CHECKER)
    await till.work(SOON)
    assert (await till.again(anew)).state is PayoutState.DONE
    assert await till.broken(LATER) == set()


async def test_a_payout_that_came_back_after_it_was_done(till: Till) -> None:
    payout = await till.approved()
    await till.work(NOW)
    till.bank.payout_inquiries.append(SentBack("AC06", "The account is blocked"))
    await till.work(SOON)
    assert (await till.again(payout)).state is PayoutState.REVERSED
    assert (await till.postings())[-1] == ("payout_reversed", "escrow", "settlement_due", PAISE)
    await till.add_account("60200054321111", now=SOON)
    await till.check_accounts(SOON)
    assert await actions.prepare(till.context, SOON) == 1, "the corrected account gets it"
    assert await till.broken(LATER) == set()


async def test_a_payout_that_came_back_before_it_was_done(till: Till) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Unknown())
    till.bank.payout_inquiries.append(SentBack("AC01"))
    await till.work(NOW)
    await till.work(SOON)
    assert (await till.again(payout)).state is PayoutState.RETURNED
    assert [each[0] for each in await till.postings()] == ["payout_sent", "payout_returned"]
    assert await till.broken(LATER) == set()


async def test_a_merchant_is_told_the_utr_while_the_payout_stands(till: Till) -> None:
    payout = await till.approved()
    paid = await till.db.fetchval("SELECT cause_id FROM settlement_items")
    settlement_id = await till.db.fetchval("SELECT settlement_id FROM settlements")
    assert await utrs.utr_of_attempt(till.db, till.merchant_id, paid) == ""
    await till.work(NOW)
    utr = (await till.again(payout)).utr
    assert await utrs.utr_of_attempt(till.db, till.merchant_id, paid) == utr != ""
    assert await utrs.primary_utr(till.db, till.merchant_id, settlement_id) == utr
    till.bank.payout_inquiries.append(SentBack("AC06"))
    await till.work(SOON)
    assert await utrs.utr_of_attempt(till.db, till.merchant_id, paid) == ""


async def test_another_amount_settles_nothing(till: Till) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Unknown())
    till.bank.payout_inquiries.append(Approved(Money(1), "UTR1"))
    await till.work(NOW)
    await till.work(SOON)
    assert (await till.again(payout)).state is PayoutState.UNKNOWN


async def test_a_report_tells_once(till: Till) -> None:
    payout = await till.approved(channel=PayoutChannel.FILE)
    assert await till.work(SOON) == 0, "it waits for a file"
    assert await sending.send(till.db, payout, PayoutWay(), NOW) is not None
    sent = await till.again(payout)
    lines = [
        Reported(payout.reference, PAISE, Approved(Money(PAISE), "UTR1")),
        Reported("999-P215000000000001", PAISE, Approved(Money(PAISE), "UTR2")),
        Reported(payout.reference, PAISE + 1, Approved(Money(PAISE + 1), "UTR3")),
        Reported(f"0{payout.reference}", PAISE, Approved(Money(PAISE), "UTR1")),
    ]
    taken = await actions.take_report(till.db, lines, SOON)
    assert (taken.changed, taken.unchanged, len(taken.strange)) == (1, 0, 3)
    taken = await actions.take_report(till.db, lines, LATER)
    assert (taken.changed, taken.unchanged) == (0, 1)
    done = await till.again(payout)
    assert (sent.state, done.state, done.utr, done.settled_at) == ("sent", "done", "UTR1", SOON)
    back = [Reported(payout.reference, PAISE, SentBack("AC06", "Blocked"))]
    assert (await actions.take_report(till.db, back, LATER)).changed == 1
    assert (await actions.take_report(till.db, back, LATER)).changed == 0
    assert (await actions.take_report(till.db, lines[:1], LATER)).changed == 0, (
        "an older report changes nothing"
    )


class Overtaken:
    """A database whose next transaction begins only after somebody else's."""

    def __init__(self, db: Database, first: Callable[[], Awaitable[object]]) -> None:
        self._db, self._first = db, [first]

    def __getattr__(self, name: str) -> object:
        return getattr(self._db, name)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        while self._first:
            await self._first.pop()()
        async with self._db.transaction() as conn:
            yield conn


async def test_of_two_reports_at_the_same_moment_both_count(till: Till) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Unknown())
    await till.work(NOW)
    done = Reported(payout.reference, PAISE, Approved(Money(PAISE), "UTR1"))
    back = Reported(payout.reference, PAISE, SentBack("AC06", "Blocked"))
    db: Any = Overtaken(till.db, lambda: actions.take_report(till.db, [done], SOON))
    taken = await actions.take_report(db, [back], SOON)
    assert (taken.changed, taken.unchanged) == (1, 0)
    assert await till.states(payout) == [
        *("prepared", "proposed", "approved", "sent"),
        *("unknown", "done", "reversed"),
    ]
    assert await till.broken(LATER) == set()


def test_the_word_about_a_settled_payout_changes_nothing(payout: PayoutTry) -> None:
    for state in (
        PayoutState.REFUSED,
        PayoutState.RETURNED,
        PayoutState.REVERSED,
        PayoutState.HELD_BACK,
    ):
        for answer in (
            *(() if state is PayoutState.REFUSED else (Approved(payout.amount, "UTR1"),)),
            Declined("X"),
            SentBack("X"),
            NothingThere(),
            Unknown(),
        ):
            assert after_answer(replace(payout, state=state), answer, Gaps(), NOW) is None


@pytest.fixture
def payout() -> PayoutTry:
    return PayoutTry(
        *(7, 215000000000001, 215000000000002, 1, PRIMARY, 1, PAISE, "settlement_due"),
        *(PayoutState.SENT, PayoutChannel.API, Rail.IMPS, "sandbox", NOW),
    )
