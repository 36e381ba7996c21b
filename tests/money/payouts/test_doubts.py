"""Words of a bank that are not about a payout, and a share that it paid twice."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

import pytest
from structlog.testing import capture_logs

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, SentBack, Unknown
from hundi.acquirers.registry import Registry
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refused
from hundi.money.audit import actions as audit
from hundi.money.audit.rules import Violation
from hundi.money.calendar.store import calendar_of
from hundi.money.payouts import actions, jobs
from hundi.money.payouts.rules import (
    CAME_TO_NOTHING,
    UNDER_WAY,
    Answer,
    PayoutState,
    PayoutTry,
    Reported,
)
from hundi.money.settlements.collecting.actions import collect
from tests.acquirer import ScriptedAcquirer
from tests.money.payouts.till import CHECKER, LATER, MAKER, PAISE, SOON, Till
from tests.shop import NOW

P = PayoutState
PAID_NOW = Approved(Money(PAISE), "UTR1")


async def test_a_utr_of_another_payout_settles_nothing(till: Till) -> None:
    first, second = await till.approved(), await till.approved()
    till.bank.payouts.extend([PAID_NOW, Approved(Money(PAISE), "UTR1")])
    await till.work(SOON)
    done, doubted = sorted([await till.again(first), await till.again(second)], key=_is_open)
    assert (done.state, doubted.state) == (P.DONE, P.UNKNOWN)
    assert doubted.bank_message == f"the bank names the UTR of {done.reference}"
    till.bank.payout_inquiries.extend([NothingThere(), PAID_NOW])
    for hours in (1, 2):
        await till.work(SOON + timedelta(hours=hours))
    assert (await till.again(doubted)).state is P.UNKNOWN
    assert len(till.bank.paid_out) == 2, "nothing is sent again"
    (kind, *_), *rest = [each for each in await till.postings() if each[0] != "payout_sent"]
    assert (kind, rest) == ("payout_done", [])
    line = Reported(doubted.reference, PAISE, PAID_NOW)
    taken = await actions.take_report(till.db, [line], LATER)
    assert (taken.changed, taken.strange) == (0, (doubted.reference,))
    till.bank.payout_inquiries.append(Approved(Money(PAISE), "UTR2"))
    await till.work(LATER)
    assert (await till.again(doubted)).state is P.DONE
    assert await till.broken(LATER) == set()


def _is_open(payout: PayoutTry) -> bool:
    return payout.state in UNDER_WAY


async def test_the_audit_names_two_payouts_of_one_utr(till: Till) -> None:
    first, second = await till.approved(), await till.approved()
    till.bank.payouts.extend([Approved(Money(PAISE), "UTR1"), Approved(Money(PAISE), "UTR2")])
    await till.work(SOON)
    await till.db.execute("UPDATE payouts SET utr = 'UTR1'")
    await till.db.execute("ALTER TABLE payout_events DISABLE TRIGGER USER")
    await till.db.execute("UPDATE payout_events SET note = 'UTR1' WHERE state = 'done'")
    report = await audit.audit(till.db, [], LATER)
    (found,) = [each for each in report.checked if each.violation is Violation.PAYOUT_UNEXPLAINED]
    (example,) = found.samples
    assert {first.reference, second.reference} == set(example.subject.split(" and "))


async def test_another_amount_holds_back_no_later_payout_of_the_share(till: Till) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Declined("U30", "no"))
    await till.work(NOW)
    again = await actions.retry(till.db, till.merchant_id, payout.payout_id, MAKER, NOW)
    till.bank.payout_inquiries.append(Approved(Money(PAISE - 1), "UTR9"))
    await till.work(NOW + timedelta(seconds=61))
    assert (await till.again(payout)).state is P.REFUSED
    assert (await till.again(again)).state is P.PROPOSED
    assert await till.broken(LATER) == set()


async def test_a_share_that_a_bank_pays_twice_is_taken_off_the_next_settlement(
    till: Till,
) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Declined("U30", "no"))
    await till.work(NOW)
    again = await actions.retry(till.db, till.merchant_id, payout.payout_id, MAKER, NOW)
    await till.approve(again, CHECKER)
    await till.work(NOW)
    assert (await till.again(again)).state is P.DONE
    till.bank.payout_inquiries.append(PAID_NOW)
    await till.work(NOW + timedelta(seconds=61))
    assert (await till.again(payout)).state is P.PAID_TWICE
    assert set((await till.postings())[-2:]) == {
        ("payout_twice", "paid_twice", "escrow", PAISE),
        ("payout_recovered", "payable", "paid_twice", PAISE),
    }
    assert await till.broken(LATER) == set()
    assert await taken_off(till) == {"payout_recovered": -PAISE}
    till.bank.payout_inquiries.append(SentBack("AC06", "recalled"))
    await till.work(NOW + timedelta(hours=1))
    assert (await till.again(payout)).state is P.REVERSED
    assert set((await till.postings())[-2:]) == {
        ("payout_reversed", "escrow", "paid_twice", PAISE),
        ("payout_recovered_back", "paid_twice", "payable", PAISE),
    }
    back = {"payout_recovered": -PAISE, "payout_recovered_back": PAISE}
    assert await taken_off(till) == back
    assert await till.broken(LATER) == set()


@pytest.mark.parametrize("nothing", [Declined("Z9", "no"), SentBack("AC06", "blocked")])
async def test_a_share_is_owed_again_where_its_other_payout_came_to_nothing(
    till: Till, nothing: Declined | SentBack
) -> None:
    twice, back = await paid_twice_then(till, nothing)
    assert back.state in CAME_TO_NOTHING
    assert await till.broken(LATER) == set()
    third = await actions.retry(till.db, till.merchant_id, back.payout_id, MAKER, NOW)
    await till.approve(third, CHECKER)
    await till.work(SOON)
    assert (await till.again(third)).state is P.DONE
    assert await taken_off(till) == {"payout_recovered": -PAISE}
    # The recall of the first changes nothing about the share, which is paid.
    await till.settles(twice, SentBack("AC06", "recalled"), SOON)
    assert await till.open_shares() == []
    assert await till.broken(LATER) == set()


async def test_a_second_refusal_that_was_none_pays_the_share(till: Till) -> None:
    _, back = await paid_twice_then(till, Declined("Z9", "no"))
    third = await actions.retry(till.db, till.merchant_id, back.payout_id, MAKER, NOW)
    await till.settles(back, Approved(Money(PAISE), "UTR2"), SOON)
    assert (await till.again(back)).state is P.PAID_LATE
    assert (await till.again(third)).state is P.HELD_BACK
    assert await taken_off(till) == {"payout_recovered": -PAISE}
    assert await till.open_shares() == []
    assert await till.broken(LATER) == set()


async def test_an_earlier_account_does_not_open_a_share_for_the_one_that_failed(
    till: Till,
) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Declined("U30", "no"))
    await till.work(NOW)
    await till.add_account("50100012348888", now=SOON)
    await till.check_accounts(SOON)
    await actions.prepare(till.context, SOON)
    later = await till.of_share(payout.share_id)
    for person in (MAKER, CHECKER):
        await till.approve(later, person)
    till.bank.payouts.append(Declined("U30", "no"))
    await till.work(SOON)
    late = SOON + timedelta(seconds=61)
    await till.settles(payout, PAID_NOW, late)
    assert (await till.again(payout)).state is P.PAID_LATE
    await till.settles(payout, SentBack("AC06", "recalled"), late)
    assert [row["account_no"] for row in await till.open_shares()] == [2]
    assert await till.broken(LATER) == set()


async def test_the_audit_names_what_is_taken_off_and_not_to_be_paid(till: Till) -> None:
    await paid_twice_then(till, Declined("Z9", "no"))
    await till.db.execute("DELETE FROM shares_to_pay")
    assert await till.broken(LATER) == {Violation.PAYOUT_FORGOTTEN}


async def test_a_linked_account_that_has_the_money_is_not_paid_again(till: Till) -> None:
    share_id = await till.settle(PAISE, "WEAVER")
    await till.add_weaver()
    await till.check_accounts()
    await actions.prepare(till.context, NOW)
    payout = await till.of_share(share_id)
    for person in (MAKER, CHECKER):
        await till.approve(payout, person)
    twice, back = await paid_twice_then(till, Declined("Z9", "no"), payout)
    assert await till.open_shares() == []
    with pytest.raises(Refused) as refused:
        await actions.retry(till.db, till.merchant_id, back.payout_id, MAKER, NOW)
    assert refused.value.refusal.allowed == "one whose share no other payout pays"
    assert await till.broken(LATER) == set()
    await till.settles(twice, SentBack("AC06", "recalled"), SOON)
    third = await actions.retry(till.db, till.merchant_id, back.payout_id, MAKER, NOW)
    await till.approve(third, CHECKER)
    await till.work(SOON)
    assert (await till.again(third)).state is P.DONE
    assert await till.broken(LATER) == set()


async def paid_twice_then(
    till: Till, nothing: Declined | SentBack, approved: PayoutTry | None = None
) -> tuple[PayoutTry, PayoutTry]:
    """Return a payout that was paid twice, and the other one, of which a bank says nothing left."""
    payout = approved or await till.approved()
    till.bank.payouts.append(Declined("U30", "no"))
    await till.work(NOW)
    again = await actions.retry(till.db, till.merchant_id, payout.payout_id, MAKER, NOW)
    await till.approve(again, CHECKER)
    till.bank.payouts.append(Unknown(message="silence"))
    await till.work(NOW)
    await till.settles(payout, PAID_NOW, NOW + timedelta(seconds=61))
    assert (await till.again(payout)).state is P.PAID_TWICE
    await till.settles(again, nothing, NOW + timedelta(seconds=62))
    return await till.again(payout), await till.again(again)


async def taken_off(till: Till) -> dict[str, int]:
    """Let the items of settlements be found, and return those of payouts with their amounts."""
    await collect(till.db, till.merchant_id, partial(calendar_of, till.db))
    rows = await till.db.fetch(
        "SELECT kind, net_paise FROM settlement_items WHERE merchant_id = $1"
        " AND kind LIKE 'payout%' AND settlement_id IS NULL",
        till.merchant_id,
    )
    return {row["kind"]: row["net_paise"] for row in rows}


async def test_a_payout_that_never_left_ends_a_day_after_its_account_was_replaced(
    till: Till,
) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Unknown())
    await till.work(NOW)
    await till.add_account("50100012340001")
    await till.check_accounts()
    for hours, state in ((1, P.UNKNOWN), (23, P.UNKNOWN), (25, P.REFUSED)):
        till.bank.payout_inquiries.append(NothingThere())
        await till.work(NOW + timedelta(hours=hours))
        assert (await till.again(payout)).state is state, hours
    assert len(till.bank.paid_out) == 1, "nothing is sent again"
    await actions.prepare(till.context, LATER)
    assert (await till.of_share(payout.share_id)).account_no == 2
    assert await till.broken(LATER) == set()


@dataclass
class OvertakenAcquirer(ScriptedAcquirer):
    """A report of it arrives while it answers an inquiry that it has nothing."""

    report: Callable[[], Awaitable[None]] | None = None

    async def inquire_payout(self, reference: str) -> Answer:
        """Let the report be read first."""
        assert self.report is not None
        await self.report()
        return NothingThere()


async def test_a_payout_that_a_report_ended_meanwhile_is_not_sent_again(till: Till) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Unknown())
    await till.work(NOW)
    bank = OvertakenAcquirer(report=partial(till.settles, payout, PAID_NOW, LATER))
    context = replace(till.context, connectors=Registry([bank]))
    with capture_logs() as lines:
        await jobs.payouts(context).once(LATER)
    assert "payout_not_backed" not in {line["event"] for line in lines}
    assert (await till.again(payout)).state is P.DONE
    assert bank.paid_out == [], "nothing is sent again"
    assert await till.broken(LATER) == set()
