"""Accounts that SQL changed: nothing is paid out to them, neither by a connector nor by a file."""

import pytest

from hundi.kernel.records import replace
from hundi.money.bank_accounts import rules as rules_of_accounts
from hundi.money.bank_accounts import store as store_of_accounts
from hundi.money.bank_accounts.rules import PRIMARY
from hundi.money.payouts import actions
from hundi.money.payouts.files import actions as files
from hundi.money.payouts.files.rules import FileForm, PayingAccount
from hundi.money.payouts.rails.rules import PayoutChannel
from hundi.money.payouts.rules import PayoutState
from tests.money.payouts.till import CHECKER, MAKER, SOON, Till
from tests.shop import NOW, VAULT


@pytest.mark.parametrize("channel", [PayoutChannel.API, PayoutChannel.FILE])
async def test_an_account_that_sql_verified_is_paid_nothing(
    till: Till, channel: PayoutChannel
) -> None:
    """Its bank never said whose it is: the trail would tell."""
    share_id = await till.settle()
    await till.add_account()
    await till.db.execute("ALTER TABLE bank_accounts DISABLE TRIGGER USER")
    await till.db.execute(
        "UPDATE bank_accounts SET state = 'verified', checked_at = now(), due_at = NULL,"
        " registered_name = holder"
    )
    assert await actions.prepare(till.context, NOW) == 1
    payout = await till.of_share(share_id)
    for person in (MAKER, CHECKER):
        await till.approve(payout, person, channel if person == MAKER else None)
    await till.work(SOON)
    assert till.bank.paid_out == []
    if channel is PayoutChannel.FILE:
        assert (
            await files.export(till.db, VAULT, FileForm.CSV, PayingAccount(), CHECKER, SOON) is None
        )
    assert (await till.again(payout)).state is PayoutState.APPROVED


async def test_an_entry_without_the_key_pays_nothing(till: Till) -> None:
    payout = await till.approved()
    account = await store_of_accounts.newest(till.db, till.merchant_id, PRIMARY)
    assert account
    await till.db.execute("ALTER TABLE bank_accounts DISABLE TRIGGER USER")
    await till.db.execute("UPDATE bank_accounts SET holder = 'Thief'")
    bent = rules_of_accounts.digest_of(replace(account, holder="Thief"))
    await till.db.execute(
        "INSERT INTO trail_entries SELECT merchant_id, max(entry_no) + 1, now(), 0, 'worker',"
        " 'bank_account.check',"
        " 'primary 1', $1, '', sha256('x'), sha256('x') FROM trail_entries WHERE merchant_id = $2"
        " GROUP BY 1",
        *(f'{{"account_sha256":"{bent}"}}', till.merchant_id),
    )
    await till.work(SOON)
    assert till.bank.paid_out == []
    assert (await till.again(payout)).state is PayoutState.APPROVED
