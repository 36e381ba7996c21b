"""Who may change payouts and accounts, as the worker may, releases nothing.

An approval is a row that it cannot write.

That no other role than the operator's writes it is told in tests/system/test_database_roles.py.
"""

import asyncpg
import pytest

from hundi.kernel.refusals import Refused
from hundi.money.payouts.rules import PayoutState
from tests.money.payouts.till import CHECKER, MAKER, Till
from tests.shop import NOW

APPROVED = "UPDATE payouts SET state = 'proposed', maker = $2, revision = 2 WHERE payout_id = $1"
SELF_APPROVED = (
    APPROVED,
    "UPDATE payouts SET state = 'approved', checker = $2, due_at = now() WHERE payout_id = $1",
)
INSERTED = """
INSERT INTO payouts (merchant_id, payout_id, share_id, try_no, beneficiary, account_no,
    amount_paise, source, state, channel, rail, connector, created_at, maker, checker, due_at)
SELECT merchant_id, payout_id + 1, share_id, 2, beneficiary, account_no, amount_paise, source,
    'approved', channel, rail, connector, created_at, 'Meera', 'Chetan', now()
FROM payouts WHERE payout_id = $1
"""


async def test_nobody_is_named_who_did_not_approve(till: Till) -> None:
    payout = await till.prepared()
    with pytest.raises(asyncpg.ForeignKeyViolationError):
        await till.db.execute(APPROVED, payout.payout_id, MAKER)
    await till.approve(payout, MAKER)
    with pytest.raises(asyncpg.ForeignKeyViolationError):
        await till.db.execute(SELF_APPROVED[1], payout.payout_id, CHECKER)
    with pytest.raises(asyncpg.CheckViolationError):
        await till.db.execute(SELF_APPROVED[1], payout.payout_id, MAKER)
    with pytest.raises(asyncpg.CheckViolationError):
        await till.db.execute(SELF_APPROVED[1], payout.payout_id, f" {MAKER.upper()}\u200b")
    await till.work(NOW)
    assert till.bank.paid_out == []
    assert (await till.again(payout)).state is PayoutState.PROPOSED


async def test_nobody_inserts_a_payout_that_is_approved(till: Till) -> None:
    payout = await till.approved()
    await till.db.execute("DROP INDEX payouts_one_standing")
    with pytest.raises(asyncpg.ForeignKeyViolationError):
        await till.db.execute(INSERTED, payout.payout_id)


async def test_no_name_passes_by_itself(till: Till) -> None:
    await till.prepared()
    await till.db.execute("ALTER TABLE bank_accounts DISABLE TRIGGER USER")
    await till.db.execute("UPDATE bank_accounts SET state = 'name_differs'")
    await till.db.execute("ALTER TABLE bank_accounts ENABLE TRIGGER USER")
    with pytest.raises(asyncpg.ForeignKeyViolationError):
        await till.db.execute("UPDATE bank_accounts SET state = 'verified', accepted_by = 'Meera'")
    with pytest.raises(asyncpg.RestrictViolationError):
        await till.db.execute("UPDATE bank_accounts SET state = 'verified'")


async def test_what_was_approved_is_written_with_who_and_when(till: Till) -> None:
    payout = await till.approved()
    rows = await till.db.fetch(
        "SELECT person_key, person, amount_paise, account_no FROM payout_approvals ORDER BY 1"
    )
    assert [tuple(row) for row in rows] == [
        ("chetan", CHECKER, 149_950, 1),
        ("meera", MAKER, 149_950, 1),
    ]
    assert await till.broken(payout.created_at) == set()
    for change in ("UPDATE payout_approvals SET person = 'x'", "DELETE FROM payout_approvals"):
        with pytest.raises(asyncpg.RestrictViolationError):
            await till.db.execute(change)


@pytest.mark.parametrize("again", [MAKER, "meera", " Mee ra ", "MEERA."])
async def test_one_person_releases_once_however_the_name_is_written(till: Till, again: str) -> None:
    payout = await till.approve(await till.prepared(), MAKER)
    with pytest.raises(Refused):
        await till.approve(payout, again)
    key = (till.merchant_id, payout.payout_id, "meera", again, payout.amount_paise, 1, NOW)
    with pytest.raises((asyncpg.UniqueViolationError, asyncpg.CheckViolationError)):
        await till.db.execute(
            "INSERT INTO payout_approvals VALUES ($1, $2, $3, $4, $5, $6, $7)", *key
        )
