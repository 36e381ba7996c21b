"""Payouts on a real database.

Released by two people, sent once for a cause that holds, every paisa in the books.
"""

import asyncio
from datetime import timedelta

import asyncpg
import pytest

from hundi.acquirers.port.answers import (
    Approved,
    Declined,
    NothingThere,
    NotRegistered,
    RegisteredName,
    SentBack,
    Unknown,
)
from hundi.infra.postgres.database import Database
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.money.bank_accounts import actions as bank_accounts
from hundi.money.bank_accounts import store as accounts
from hundi.money.bank_accounts.rules import PRIMARY, BankAccountState
from hundi.money.payouts import actions, store
from hundi.money.payouts.rails import PayoutChannel, Rail
from hundi.money.payouts.rules import (
    SENT_GRACE,
    Gaps,
    PayoutState,
    PayoutTry,
    Reported,
    after_answer,
)
from tests.money.payouts.till import CHECKER, HOLDER, IFSC, MAKER, NUMBER, Till, open_till
from tests.recording import BY
from tests.shop import NOW, VAULT
from tests.wakeups import woken

SOON = NOW + timedelta(minutes=2)
LATER = NOW + timedelta(days=1)
PAISE = 149_950


@pytest.fixture
async def till(db: Database) -> Till:
    return await open_till(db)


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


async def test_nothing_is_prepared_before_the_account_is_verified(till: Till) -> None:
    await till.settle()
    assert await actions.prepare(till.context, NOW) == 0
    await till.add_account()
    assert await actions.prepare(till.context, NOW) == 0
    till.bank.account_answers.append(Unknown())
    await till.check_accounts(NOW)
    assert await actions.prepare(till.context, NOW) == 0, "silence verifies nothing"
    await till.check_accounts(SOON)
    assert await actions.prepare(till.context, SOON) == 1
    assert await actions.prepare(till.context, SOON) == 0


@pytest.mark.parametrize(
    ("said", "state"),
    [
        (RegisteredName("SOMEBODY ELSE"), BankAccountState.NAME_DIFFERS),
        (NotRegistered(), "refused"),
    ],
)
async def test_an_account_of_somebody_else_gets_nothing(
    till: Till, said: object, state: str
) -> None:
    await till.settle()
    await till.add_account()
    till.bank.account_answers.append(said)  # type: ignore[arg-type]
    await till.check_accounts()
    account = await accounts.newest(till.db, till.merchant_id, PRIMARY)
    assert account is not None
    assert account.state == state
    assert await actions.prepare(till.context, NOW) == 0


async def test_a_second_person_lets_a_name_pass(till: Till) -> None:
    await till.settle()
    await till.add_account()
    till.bank.account_answers.append(RegisteredName("ASHA TRADERS"))
    await till.check_accounts()
    for same in ("Asha", "asha", "Asha "):
        with pytest.raises(Refused):
            await bank_accounts.accept_name(till.db, till.merchant_id, PRIMARY, same, BY, NOW)
    accepted = await bank_accounts.accept_name(till.db, till.merchant_id, PRIMARY, MAKER, BY, NOW)
    assert (accepted.state, accepted.accepted_by) == (BankAccountState.VERIFIED, MAKER)
    assert await actions.prepare(till.context, NOW) == 1
    assert await till.broken(LATER) == set()


async def test_a_changed_account_holds_back_what_was_not_sent(till: Till) -> None:
    under_way = await till.approved()
    till.bank.payouts.append(Unknown())
    await till.work(NOW)
    waiting = await till.approved(20_000)
    await till.add_account("60200054321111", now=SOON)
    assert (await till.again(waiting)).state is PayoutState.HELD_BACK
    assert (await till.again(under_way)).state is PayoutState.UNKNOWN, (
        "what left cannot be held back"
    )
    assert await actions.prepare(till.context, SOON) == 0, "the new account is not verified"
    await till.check_accounts(SOON)
    assert await actions.prepare(till.context, SOON) == 1
    anew = await till.of_share(waiting.share_id)
    assert (anew.account_no, anew.try_no, anew.state) == (2, 2, PayoutState.PREPARED)
    till.bank.payout_inquiries.append(Approved(Money(PAISE), "UTR1"))
    await till.work(SOON)
    assert (await till.again(under_way)).state is PayoutState.DONE
    assert [order.amount.paise for order in till.bank.paid_out] == [PAISE]
    assert await till.broken(LATER) == set()


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
    await till.work(NOW + SENT_GRACE + timedelta(minutes=1))
    assert [order.reference for order in till.bank.paid_out] == [payout.reference] * 2
    assert len([each for each in await till.postings() if each[0] == "payout_sent"]) == 1
    assert (await till.again(payout)).state is PayoutState.DONE
    assert await till.broken(LATER) == set()


async def test_a_crash_between_intention_and_call_sends_once(till: Till) -> None:
    payout = await till.approved()
    (claimed,) = await store.claim(
        till.db, till.merchant_id, [payout.payout_id], NOW, NOW + actions.LEASE
    )
    assert await actions.send(till.db, claimed, NOW) is not None
    assert await till.work(NOW) == 0, "its lease holds"
    await till.work(NOW + timedelta(minutes=2))
    assert (await till.again(payout)).state is PayoutState.DONE
    assert len(till.bank.paid_out) == 1


async def test_two_workers_pay_once(till: Till) -> None:
    payout = await till.approved()
    assert sum(await asyncio.gather(*(till.work(NOW) for _ in range(4)))) == 1
    # A lease that ended while its worker still goes on: both act on the row as they read it.
    other = await till.approved(30_000)
    await asyncio.gather(*(actions.work_on(till.context, other, SOON) for _ in range(3)))
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
    assert await store.utr_of_attempt(till.db, till.merchant_id, paid) == ""
    await till.work(NOW)
    utr = (await till.again(payout)).utr
    assert await store.utr_of_attempt(till.db, till.merchant_id, paid) == utr != ""
    assert await store.primary_utr(till.db, till.merchant_id, settlement_id) == utr
    till.bank.payout_inquiries.append(SentBack("AC06"))
    await till.work(SOON)
    assert await store.utr_of_attempt(till.db, till.merchant_id, paid) == ""


async def test_another_amount_settles_nothing(till: Till) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Unknown())
    till.bank.payout_inquiries.append(Approved(Money(1), "UTR1"))
    await till.work(NOW)
    await till.work(SOON)
    assert (await till.again(payout)).state is PayoutState.UNKNOWN


BENT = {
    "no share": "UPDATE settlement_shares SET amount_paise = amount_paise + 1",
    "no posting": "DELETE FROM ledger_postings WHERE kind = 'share_due'",
    "another amount": "UPDATE payouts SET amount_paise = amount_paise + 1",
    "another settlement": (
        "UPDATE settlements SET net_paise = net_paise - 1, carried_paise = carried_paise + 1"
    ),
    "an item less": "DELETE FROM settlement_items",
    "unverified": "UPDATE bank_accounts SET state = 'name_differs'",
    "replaced": "UPDATE bank_accounts SET replaced_at = now()",
    "another number": "UPDATE bank_accounts SET fingerprint = sha256('another')",
    "another holder": "UPDATE bank_accounts SET holder = 'Thief'",
    "a name that was let pass by nobody": """
        INSERT INTO accepted_names SELECT merchant_id, beneficiary, account_no, 'Nobody', now()
            FROM bank_accounts;
        UPDATE bank_accounts SET accepted_by = 'Nobody'
    """,
    "another branch": "UPDATE bank_accounts SET ifsc = 'ICIC0000009'",
    "suspended": "UPDATE merchants SET state = 'suspended'",
    "one person": "UPDATE payouts SET checker = ''",
    "an approval less": "DELETE FROM payout_approvals WHERE person = 'Chetan'",
    "approved with another amount": "UPDATE payout_approvals SET amount_paise = amount_paise - 1",
    "approved to another account": (
        "UPDATE payout_approvals SET account_no = 2 WHERE person = 'Meera'"
    ),
    "another source": "UPDATE payouts SET source = 'payable'",
    "sent before": """
        INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise,
        currency, at, xact)
        SELECT merchant_id, payout_id, 'payout_sent', source, 'payouts_in_flight', amount_paise,
        'INR', now(), '1'
        FROM payouts
    """,
    "paid before": """
        INSERT INTO payouts (merchant_id, payout_id, share_id, try_no, beneficiary, account_no,
            amount_paise, source, state, channel, rail, connector, created_at, maker, checker, utr,
        sent_at)
        SELECT merchant_id, payout_id + 1, share_id, 2, beneficiary, account_no, amount_paise,
            source, 'done', channel, rail, connector, created_at, maker, checker, 'UTR1', created_at
            FROM payouts
    """,
}


_SETTLED = ("settlements", "settlement_shares", "settlement_items")


@pytest.mark.parametrize("lie", BENT)
async def test_a_payout_leaves_only_for_a_cause_that_holds(till: Till, lie: str) -> None:
    payout = await till.approved()
    async with till.db.transaction() as conn:
        for table in (
            *("ledger_postings", "payouts", "payout_approvals", "bank_accounts"),
            *_SETTLED,
        ):
            await conn.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        await conn.execute("DROP INDEX payouts_one_of_share")
        for constraint in ("payouts_two_people", "payouts_made", "payouts_checked"):
            await conn.execute(f"ALTER TABLE payouts DROP CONSTRAINT {constraint}")
        await conn.execute(BENT[lie])
    await till.work(SOON)
    assert till.bank.paid_out == []
    assert (await till.again(payout)).state is PayoutState.APPROVED


async def test_a_report_tells_once(till: Till) -> None:
    payout = await till.approved(channel=PayoutChannel.FILE)
    assert await till.work(SOON) == 0, "it waits for a file"
    assert await actions.send(till.db, payout, NOW, batch_id=None) is not None
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


async def test_what_a_payout_is_cannot_be_rewritten(till: Till) -> None:
    await till.approved()
    for change in (
        "UPDATE payouts SET state = 'done', utr = '1', sent_at = now()",
        "UPDATE payouts SET amount_paise = 1",
        "UPDATE payouts SET account_no = 2",
        "DELETE FROM payouts",
        "UPDATE payout_events SET actor = 'x'",
        "UPDATE bank_accounts SET fingerprint = sha256('x')",
        "UPDATE bank_accounts SET state = 'refused'",
    ):
        with pytest.raises((asyncpg.RestrictViolationError, asyncpg.CheckViolationError)):
            await till.db.execute(change)


async def test_a_linked_account_is_paid_from_its_own_account(till: Till) -> None:
    linked = till.merchant_id, "WEAVER", "The Weaver", "HDFC0000001"
    await till.db.execute(
        "INSERT INTO linked_accounts (merchant_id, identifier, name, sealed_number, last4, ifsc,"
        " ledger_account,"
        " created_at) VALUES ($1, 'WEAVER', 'The Weaver', $2, '0005', 'HDFC0000001',"
        " 'payable_linked:1', $3)",
        *(till.merchant_id, VAULT.seal(b"50100010007", "linked-account-number", *linked), NOW),
    )
    share_id = await till.settle(5_000, "WEAVER")
    given = ("", "", "")
    added = await bank_accounts.add(
        till.db, till.merchant_id, "WEAVER", given, "Asha", BY, NOW, replaced=actions.hold_back
    )
    assert (added.holder, added.last4) == ("The Weaver", "0007")
    await till.check_accounts()
    await actions.prepare(till.context, NOW)
    payout = await till.of_share(share_id)
    await till.approve(payout, MAKER)
    await till.approve(payout, CHECKER)
    await till.work(SOON)
    assert (await till.postings())[0] == (
        "payout_sent",
        "payable_linked",
        "payouts_in_flight",
        5_000,
    )
    assert await till.broken(LATER) == set()
    with pytest.raises(Refused) as refused:
        await bank_accounts.add(
            till.db,
            till.merchant_id,
            "NOBODY",
            ("A", NUMBER, IFSC),
            "Asha",
            BY,
            NOW,
            replaced=actions.hold_back,
        )
    assert refused.value.refusal.code is RefusalCode.FIELD_INVALID


async def test_numbers_are_sealed_and_resealed(till: Till) -> None:
    account = await till.add_account()
    assert NUMBER.encode() not in account.sealed_number
    assert NUMBER not in repr(bank_accounts.opened(VAULT, account))
    assert bank_accounts.opened(VAULT, replace(account, ifsc="ICIC0000009")) is None
    assert await bank_accounts.reseal(till.db, VAULT) == 0


def test_the_word_about_a_settled_payout_changes_nothing(payout: PayoutTry) -> None:
    for state in (
        PayoutState.REFUSED,
        PayoutState.RETURNED,
        PayoutState.REVERSED,
        PayoutState.HELD_BACK,
    ):
        for answer in (
            Approved(payout.amount, "UTR1"),
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
