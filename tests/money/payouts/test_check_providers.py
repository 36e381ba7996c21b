"""Which provider checks an account: the next one only where the one before began no check."""

from datetime import timedelta

import pytest

from hundi.acquirers.port.answers import (
    AccountFault,
    NotRegistered,
    RegisteredName,
    Unknown,
)
from hundi.acquirers.registry import Registry
from hundi.kernel.records import replace
from hundi.money.bank_accounts import store
from hundi.money.bank_accounts.rules import PRIMARY, BankAccountState, PayoutAccount
from tests.acquirer import ScriptedAcquirer
from tests.money.payouts.till import HOLDER, LATER, Till
from tests.shop import NOW

NOT_SENT = Unknown(sent=False)
NAMED = RegisteredName(HOLDER)


@pytest.fixture
def second(till: Till) -> ScriptedAcquirer:
    """A second provider of the till."""
    other = ScriptedAcquirer("second")
    till.context = replace(till.context, connectors=Registry([till.bank, other]))
    return other


async def newest(till: Till) -> PayoutAccount:
    """Return the account as it is now."""
    account = await store.newest(till.db, till.merchant_id, PRIMARY)
    assert account is not None
    return account


def asked(provider: ScriptedAcquirer) -> int:
    """Return how many calls a provider got."""
    return provider.count("check_account")


async def test_the_next_provider_is_asked_where_none_began(
    till: Till, second: ScriptedAcquirer
) -> None:
    await till.add_account()
    till.bank.account_answers.append(NOT_SENT)
    await till.check_accounts()
    account = await newest(till)
    assert (account.state, account.asked_of) == (BankAccountState.VERIFIED, "second")
    (check,) = await store.checks_of(till.db, till.merchant_id)
    assert check.connector == "second"
    assert (asked(till.bank), asked(second)) == (1, 1)
    assert await till.broken(LATER) == set()


@pytest.mark.parametrize(
    "answer", [Unknown("pending"), NotRegistered(AccountFault.CLOSED), NAMED], ids=repr
)
async def test_nobody_else_is_asked_where_a_check_may_have_begun(
    till: Till, second: ScriptedAcquirer, answer: RegisteredName | NotRegistered | Unknown
) -> None:
    await till.add_account()
    till.bank.account_answers.extend([answer, NOT_SENT, NAMED])
    for minutes in (0, 1, 60):
        await till.check_accounts(NOW + timedelta(minutes=minutes))
    assert asked(second) == 0
    assert (await newest(till)).state is not BankAccountState.UNVERIFIED
    assert len(await store.checks_of(till.db, till.merchant_id)) == 1
    assert await till.broken(LATER) == set()


async def test_where_nobody_was_reached_all_are_asked_again(
    till: Till, second: ScriptedAcquirer
) -> None:
    await till.add_account()
    till.bank.account_answers.append(NOT_SENT)
    second.account_answers.append(NOT_SENT)
    await till.check_accounts()
    account = await newest(till)
    assert (account.state, account.asked_of) == (BankAccountState.UNVERIFIED, "")
    await till.check_accounts(NOW + timedelta(minutes=1))
    assert (await newest(till)).asked_of == "sandbox"
    assert (asked(till.bank), asked(second)) == (2, 1)


async def test_a_process_that_dies_while_it_asks_leaves_the_check_where_it_may_be(
    till: Till, second: ScriptedAcquirer
) -> None:
    await till.add_account()
    account = await newest(till)
    assert await store.update(till.db, account, replace(account, asked_of="sandbox"))
    till.bank.account_answers.extend([NOT_SENT, NAMED])
    for minutes in (1, 2, 10):
        await till.check_accounts(NOW + timedelta(minutes=minutes))
    assert asked(second) == 0
    assert (await newest(till)).state is BankAccountState.VERIFIED
