"""Payouts as real providers play them: stages, a refusal that was none, another provider."""

from collections import Counter
from contextlib import suppress
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.acquirers.port.answers import (
    Approved,
    Declined,
    NothingThere,
    PayoutStage,
    SentBack,
    Underway,
    Unknown,
)
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.inquiries import LAST_FOR, LAST_GAP, UNANSWERED_GAP
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refused
from hundi.money.bank_accounts.rules import PRIMARY
from hundi.money.ledger.rules import Posting
from hundi.money.payouts import actions
from hundi.money.payouts.answers.rules import after_answer
from hundi.money.payouts.rails.rules import PayoutChannel, Rail
from hundi.money.payouts.rules import (
    CAME_TO_NOTHING,
    PAID,
    PAYOUT_MOVES,
    STAGES,
    UNDER_WAY,
    Answer,
    Gaps,
    PayoutState,
    PayoutTry,
    PayoutWay,
    sent,
)
from tests.acquirer import ScriptedAcquirer
from tests.money.payouts.till import CHECKER, LATER, MAKER, PAISE, SOON, Till
from tests.payments.interrupted import Start, Step, shop_on, whichever_call_is_interrupted
from tests.shop import NOW

P = PayoutState
GAPS = Gaps((3, 5, 10), (60, 60, 60), 60)
PAID_NOW = Approved(Money(PAISE), "UTR1")


def paid_as(payout: PayoutTry) -> Approved:
    """Return the bank's word that a payout was paid, under a UTR of its own."""
    return Approved(payout.amount, f"UTR{payout.payout_id}")


ANSWERS: tuple[Answer, ...] = (
    PAID_NOW,
    Approved(Money(PAISE + 1), "UTR2"),
    Approved(Money(PAISE), ""),
    Declined("U30"),
    Declined("AM04", never_accepted=True),
    SentBack("AC01"),
    *(Underway(stage, "", "words", "UTR1") for stage in PayoutStage),
    Unknown(),
    Unknown(sent=False),
    NothingThere(),
)


def new_payout() -> PayoutTry:
    """Return an approved payout."""
    return PayoutTry(
        *(7, 215000000000001, 215000000000002, 1, PRIMARY, 1, PAISE, "settlement_due"),
        *(P.APPROVED, PayoutChannel.API, Rail.IMPS, "sandbox", NOW),
        due_at=NOW,
    )


def owed(postings: list[Posting]) -> Counter[str]:
    """Return what each account gained by credits, less debits."""
    sums: Counter[str] = Counter()
    for each in postings:
        sums[each.credit] += each.amount.paise
        sums[each.debit] -= each.amount.paise
    return sums


@given(st.lists(st.tuples(st.sampled_from(ANSWERS), st.booleans()), max_size=12))
def test_whatever_a_provider_says_moves_the_money_where_the_state_says(
    told: list[tuple[Answer, bool]],
) -> None:
    change = sent(new_payout(), PayoutWay("sandbox", "imps"), NOW)
    payout, postings, states = change.after, [*change.postings], [P.SENT]
    for answer, stands in told:
        after = after_answer(payout, answer, GAPS, NOW, stands=stands)
        if after is None:
            continue
        assert after.after.state is payout.state or after.after.state in PAYOUT_MOVES[payout.state]
        payout, postings = after.after, [*postings, *after.postings]
        states.append(payout.state)
    assert len({each.kind for each in postings}) == len(postings), "none is posted twice"
    there = {account: paise for account, paise in owed(postings).items() if paise}
    if payout.state in UNDER_WAY:
        assert there == {"settlement_due": -PAISE, "payouts_in_flight": PAISE}
        assert payout.due_at is not None
    elif payout.state in CAME_TO_NOTHING:
        assert there == {}
    else:
        source = "payable" if payout.state is P.PAID_TWICE else "settlement_due"
        assert there == {source: -PAISE, "escrow": PAISE}
        assert payout.state in PAID
        assert payout.paid_utr
    for before, after in pairwise(states):
        assert (before in STAGES.values(), after) != (True, P.UNKNOWN), "what was said stays"


@pytest.mark.parametrize("ended", [PAID_NOW, Declined("U30")])
def test_an_inquiry_without_an_answer_uses_up_no_time_of_the_plan(ended: Answer) -> None:
    gaps = Gaps((3,), (60, 7_200, 86_400), 60)
    under_way = sent(new_payout(), PayoutWay("sandbox", "imps"), NOW).after
    over = after_answer(under_way, ended, gaps, NOW)
    assert over is not None
    look = NOW + timedelta(seconds=60)
    assert over.after.due_at == look
    silent = after_answer(over.after, Unknown(), gaps, look)
    told = after_answer(over.after, NothingThere(), gaps, look)
    assert silent is not None
    assert told is not None
    assert silent.after.due_at == look + UNANSWERED_GAP
    assert told.after.due_at == look + timedelta(seconds=7_200)
    last = NOW + timedelta(seconds=60 + 7_200 + 86_400)
    unanswered = after_answer(over.after, Unknown(), gaps, last)
    assert unanswered is not None
    assert unanswered.after.due_at == last + LAST_GAP, "the last one, too"
    given_up = after_answer(over.after, Unknown(), gaps, last + LAST_FOR)
    assert given_up is not None
    assert given_up.after.due_at is None


@pytest.mark.parametrize("stage", PayoutStage)
async def test_a_stage_is_a_state_that_people_see(till: Till, stage: PayoutStage) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Underway(stage, "wait", "it goes on", "UTR1"))
    await till.work(SOON)
    there = await till.again(payout)
    assert (there.state, there.bank_code, there.utr) == (STAGES[stage], "wait", "")
    assert there.due_at is not None
    till.bank.payout_inquiries.extend([NothingThere(), PAID_NOW])
    await till.work(LATER)
    assert (await till.again(payout)).state is STAGES[stage]
    assert len(till.bank.paid_out) == 1, "what a provider has is not sent again"
    await till.work(LATER + timedelta(hours=1))
    assert await till.states(payout) == [
        *("prepared", "proposed", "approved", "sent", STAGES[stage], "done"),
    ]
    assert await till.broken(LATER + timedelta(hours=2)) == set()


async def test_a_refusal_that_was_none_is_booked(till: Till) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Declined("U30", "no"))
    till.bank.payout_inquiries.append(PAID_NOW)
    await till.work(NOW)
    again = await actions.retry(till.db, till.merchant_id, payout.payout_id, MAKER, NOW)
    await till.work(NOW + timedelta(seconds=61))
    late = await till.again(payout)
    assert (late.state, late.late_utr, late.bank_code) == (P.PAID_LATE, "UTR1", "U30")
    assert (await till.again(again)).state is P.HELD_BACK, "the share is paid"
    assert (await till.postings())[-1] == ("payout_late", "settlement_due", "escrow", PAISE)
    assert await till.broken(LATER) == set()
    till.bank.payout_inquiries.append(SentBack("AC06", "blocked"))
    await till.work(NOW + timedelta(hours=1))
    assert (await till.again(payout)).state is P.REVERSED
    assert (await till.postings())[-1] == ("payout_reversed", "escrow", "settlement_due", PAISE)
    assert await till.broken(LATER) == set()


async def test_a_refusal_that_comes_back_moves_nothing_more(till: Till) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Declined("U30", "no"))
    till.bank.payout_inquiries.append(SentBack("U30", "credited back"))
    await till.work(NOW)
    before = await till.postings()
    await till.work(NOW + timedelta(seconds=61))
    assert (await till.again(payout)).state is P.REFUSED
    assert await till.postings() == before
    assert await till.broken(LATER) == set()


def with_second(till: Till) -> ScriptedAcquirer:
    """Let the till have a second provider."""
    second = ScriptedAcquirer("second")
    till.context = replace(till.context, connectors=Registry([till.bank, second]))
    return second


@pytest.mark.parametrize(
    "answer", [Unknown(sent=False), Declined("AM04", "short", never_accepted=True)]
)
async def test_another_provider_is_asked_where_nothing_left(till: Till, answer: Unknown) -> None:
    second = with_second(till)
    payout = await till.approved()
    till.bank.payouts.append(answer)
    await till.work(SOON)
    there = await till.again(payout)
    assert (there.state, there.sent_by, there.provider) == (P.DONE, "second", "second")
    assert [each.reference for each in second.paid_out] == [payout.reference]
    assert await till.states(payout) == [
        *("prepared", "proposed", "approved", "sent", "unknown", "sent", "done"),
    ]
    assert await till.broken(LATER) == set()


@pytest.mark.parametrize("answer", [Declined("U30", "no"), SentBack("AC06"), PAID_NOW])
async def test_an_answer_of_the_provider_before_settles_nothing(till: Till, answer: Answer) -> None:
    second = with_second(till)
    payout = await till.approved()
    till.bank.payouts.append(Unknown(sent=False))
    second.payouts.append(Unknown())
    await till.work(SOON)
    passed_on = await till.again(payout)
    assert passed_on.provider == "second"
    asked = replace(passed_on, sent_by=till.bank.name)
    assert not await actions.settle(till.db, asked, answer, GAPS, LATER)
    assert await till.again(payout) == passed_on
    assert await till.broken(LATER) == set()


@pytest.mark.parametrize("answer", [Unknown(), Declined("U30"), Underway(PayoutStage.QUEUED)])
async def test_no_other_provider_is_asked_where_something_may_have_left(
    till: Till, answer: Unknown
) -> None:
    second = with_second(till)
    await till.approved()
    till.bank.payouts.append(answer)
    till.bank.payout_inquiries.append(Unknown())
    await till.work(SOON)
    await till.work(LATER)
    assert second.paid_out == []


async def test_a_webhook_asks_now_and_another_soon_after_waits(till: Till) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Underway(PayoutStage.APPROVAL))
    await till.work(NOW)
    till.bank.payout_inquiries.append(PAID_NOW)
    second = timedelta(seconds=1)
    await actions.ask_now(till.db, "another", payout.reference, NOW + second)
    assert await till.work(NOW + second) == 0, "only its own provider's"
    await actions.ask_now(till.db, "sandbox", f"{payout.reference}1", NOW + second)
    assert await till.work(NOW + second) == 0
    await actions.ask_now(till.db, "sandbox", payout.reference, NOW + second)
    assert await till.work(NOW + second) == 1
    assert (await till.again(payout)).state is P.DONE
    for _ in range(5):
        await actions.ask_now(till.db, "sandbox", payout.reference, NOW + 2 * second)
    assert await till.work(NOW + 2 * second) == 0, "one in five seconds"
    till.bank.payout_inquiries.append(SentBack("AC06", "blocked"))
    assert await till.work(NOW + 7 * second) == 1
    assert (await till.again(payout)).state is P.REVERSED
    assert await till.broken(LATER) == set()


async def test_webhooks_do_not_use_up_the_time_in_which_a_payout_may_come_back(
    till: Till,
) -> None:
    till.bank.returned_gaps_s = (60, 3_600, 86_400)
    till.context = replace(till.context, connectors=Registry([till.bank]))
    payout = await till.approved()
    till.bank.payouts.append(PAID_NOW)
    await till.work(NOW)
    for place in range(1, 20):
        at = NOW + timedelta(seconds=6 * place)
        till.bank.payout_inquiries.append(PAID_NOW)
        await actions.ask_now(till.db, "sandbox", payout.reference, at)
        assert await till.work(at) == 1
    watched = NOW + timedelta(seconds=60 + 3_600), NOW + timedelta(seconds=60 + 3_600 + 86_400)
    for due_at in watched:
        assert (await till.again(payout)).due_at == due_at
        till.bank.payout_inquiries.append(PAID_NOW)
        await till.work(due_at)
    assert (await till.again(payout)).due_at is None


TIMES = (timedelta(), timedelta(seconds=31), timedelta(minutes=3), timedelta(hours=1))


async def test_whichever_call_is_interrupted_another_provider_pays_once(till: Till) -> None:
    second = with_second(till)
    await till.add_account()
    await till.check_accounts()

    async def begin() -> Start:
        share_id = await till.settle()
        for bank in (till.bank, second):
            bank.paid_out.clear()
            bank.payouts.clear()
        till.bank.payouts.append(Unknown(sent=False))

        def on(db: Database) -> Till:
            return Till(shop_on(till.shop, db), replace(till.context, db=db))

        async def prepares(db: Database) -> None:
            await actions.prepare(on(db).context, NOW)

        def releases(person: str) -> Step:
            async def approves(db: Database) -> None:
                with suppress(Refused):
                    await on(db).approve(await till.of_share(share_id), person)

            return approves

        async def works(db: Database) -> None:
            for after in TIMES:
                await on(db).work(NOW + after)

        async def end() -> object:
            payout = await till.of_share(share_id)
            paid = [
                order.reference
                for bank in (till.bank, second)
                for order in bank.paid_out
                if bank is second or len(till.bank.paid_out) > 1
            ]
            assert set(paid) <= {payout.reference}
            rows = await till.db.fetch(
                "SELECT kind FROM ledger_postings WHERE merchant_id = $1 AND cause_id = $2"
                " ORDER BY kind",
                till.merchant_id,
                payout.payout_id,
            )
            return payout.try_no, payout.state, [row["kind"] for row in rows]

        return [prepares, releases(MAKER), releases(CHECKER), works], end

    assert await whichever_call_is_interrupted(till.db, begin) == (
        1,
        "done",
        ["payout_done", "payout_sent"],
    )
    assert await till.broken(LATER) == set()


async def test_whichever_call_is_interrupted_a_late_payment_is_booked_once(till: Till) -> None:
    await till.add_account()
    await till.check_accounts()

    async def begin() -> Start:
        share_id = await till.settle()
        await actions.prepare(till.context, NOW)
        payout = await till.of_share(share_id)
        for person in (MAKER, CHECKER):
            await till.approve(payout, person)
        till.bank.payouts.append(Declined("U30", "no"))
        await till.work(NOW)
        till.bank.payouts.clear()
        again = await actions.retry(till.db, till.merchant_id, payout.payout_id, MAKER, NOW)
        till.bank.payout_inquiries.clear()
        till.bank.payout_inquiries.extend([paid_as(payout)] * 20)

        async def works(db: Database) -> None:
            process = Till(shop_on(till.shop, db), replace(till.context, db=db))
            for after in (61, 200, 400):
                await process.work(NOW + timedelta(seconds=after))

        async def end() -> object:
            rows = await till.db.fetch(
                "SELECT kind FROM ledger_postings WHERE merchant_id = $1 AND cause_id = $2"
                " ORDER BY kind",
                till.merchant_id,
                payout.payout_id,
            )
            states = (await till.again(payout)).state, (await till.again(again)).state
            return *states, [row["kind"] for row in rows]

        return [works], end

    assert await whichever_call_is_interrupted(till.db, begin) == (
        "paid_late",
        "held_back",
        ["payout_late", "payout_returned", "payout_sent"],
    )
    assert await till.broken(LATER) == set()
