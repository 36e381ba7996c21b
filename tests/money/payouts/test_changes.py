"""Payouts while something else changes: the account, the connectors, the word of the bank."""

import asyncpg
import pytest

from hundi.acquirers.port.answers import Approved, Declined
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refused
from hundi.money.bank_accounts import actions as bank_accounts
from hundi.money.bank_accounts import store as accounts
from hundi.money.bank_accounts.rules import PRIMARY, PayoutAccount
from hundi.money.payouts import actions, store
from hundi.money.payouts.rails.rules import PayoutChannel
from hundi.money.payouts.rules import Reported
from tests.money.payouts.till import LATER, MAKER, PAISE, SOON, Till
from tests.shop import NOW, VAULT


async def test_an_account_that_changes_while_a_payout_is_prepared_gets_none(
    till: Till, monkeypatch: pytest.MonkeyPatch
) -> None:
    await till.settle()
    await till.add_account()
    await till.check_accounts()
    find = store.to_prepare

    async def found_before_the_change(db: Database, limit: int) -> list[store.ToPrepare]:
        found = await find(db, limit)
        await till.add_account("60200054321111", now=SOON)
        return found

    monkeypatch.setattr(store, "to_prepare", found_before_the_change)
    assert await actions.prepare(till.context, SOON) == 0, (
        "nothing would hold it back, and it could never be sent"
    )
    monkeypatch.undo()
    await till.check_accounts(LATER)
    assert await actions.prepare(till.context, LATER) == 1


async def test_without_a_connector_a_payout_leaves_in_a_file_only(till: Till) -> None:
    till.context = replace(till.context, connectors=Registry([]))
    await till.settle()
    await till.add_account()
    await bank_accounts.work_on(till.db, VAULT, Registry([till.bank]), await _primary(till), NOW)
    assert await actions.prepare(till.context, NOW) == 1
    (payout,) = await store.listed(till.db, till.merchant_id, (), 10)
    with pytest.raises(Refused):
        await till.approve(payout, MAKER, PayoutChannel.API)
    assert (await till.approve(payout, MAKER)).channel is PayoutChannel.FILE


async def _primary(till: Till) -> PayoutAccount:
    account = await accounts.newest(till.db, till.merchant_id, PRIMARY)
    assert account is not None
    return account


async def test_a_report_that_denies_the_word_before_is_named(till: Till) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Declined("51", "no"))
    await till.work(SOON)
    line = Reported(payout.reference, PAISE, Approved(Money(PAISE), "UTR1", code="00", message=""))
    taken = await actions.take_report(till.db, [line], LATER)
    assert (taken.changed, taken.unchanged, taken.strange) == (0, 0, (payout.reference,))


async def test_a_replaced_account_stays_replaced_and_who_released_a_payout_stays_named(
    till: Till,
) -> None:
    await till.approved()
    await till.add_account("60200054321111", now=SOON)
    for change in (
        "UPDATE bank_accounts SET replaced_at = NULL WHERE account_no = 1",
        "UPDATE payouts SET maker = 'Somebody'",
        "UPDATE payouts SET checker = 'Somebody'",
    ):
        with pytest.raises(asyncpg.RestrictViolationError):
            await till.db.execute(
                f"UPDATE bank_accounts SET replaced_at = now() WHERE replaced_at IS NULL; {change}"
            )
