"""Words of a bank that are not about a payout, and a share that it paid twice."""

from datetime import timedelta
from functools import partial

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, SentBack
from hundi.kernel.money import Money
from hundi.money.audit import actions as audit
from hundi.money.audit.rules import Violation
from hundi.money.calendar.store import calendar_of
from hundi.money.payouts import actions
from hundi.money.payouts.rules import UNDER_WAY, PayoutState, PayoutTry, Reported
from hundi.money.settlements.collecting.actions import collect
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


async def taken_off(till: Till) -> dict[str, int]:
    """Let the items of settlements be found, and return those of payouts with their amounts."""
    await collect(till.db, till.merchant_id, partial(calendar_of, till.db))
    rows = await till.db.fetch(
        "SELECT kind, net_paise FROM settlement_items WHERE merchant_id = $1"
        " AND kind LIKE 'payout%' AND settlement_id IS NULL",
        till.merchant_id,
    )
    return {row["kind"]: row["net_paise"] for row in rows}
