"""A payout leaves only for a cause that holds, and its rows cannot be rewritten."""

import asyncpg
import pytest

from hundi.money.payouts.rules import PayoutState
from tests.money.payouts.till import SOON, Till

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
        await conn.execute("DROP INDEX payouts_one_standing")
        for constraint in ("payouts_two_people", "payouts_made", "payouts_checked"):
            await conn.execute(f"ALTER TABLE payouts DROP CONSTRAINT {constraint}")
        await conn.execute(BENT[lie])
    await till.work(SOON)
    assert till.bank.paid_out == []
    assert (await till.again(payout)).state is PayoutState.APPROVED


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
