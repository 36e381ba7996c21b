"""What checks of accounts say and cost, and webhooks that ask about one now."""

from datetime import timedelta

import pytest

from hundi.acquirers.port.answers import AccountFault, NotRegistered, RegisteredName, Unknown
from hundi.kernel.money import Money
from hundi.money.bank_accounts import actions as accounts
from hundi.money.bank_accounts import store as account_store
from hundi.money.bank_accounts.rules import PRIMARY, BankAccountState
from tests.money.payouts.till import LATER, SOON, Till
from tests.shop import NOW


@pytest.fixture
async def till(till: Till) -> Till:
    """A merchant with an account that is to be checked."""
    await till.settle()
    await till.add_account()
    return till


@pytest.mark.parametrize(
    ("answer", "kept", "state"),
    [
        (RegisteredName("ASHA STORES", 97, Money(3_54)), ("name", 97, 354), "verified"),
        (RegisteredName("ASHA STORE", 91), ("name", 91, 100), "name_differs"),
        (NotRegistered(AccountFault.FROZEN, "AC06"), ("frozen", None, 100), "refused"),
        (NotRegistered(AccountFault.CLOSED, cost=Money(0)), ("closed", None, 0), "refused"),
    ],
)
async def test_what_a_check_says_and_costs_is_kept_and_booked(
    till: Till, answer: RegisteredName, kept: tuple[str, int, int], state: str
) -> None:
    till.bank.account_answers.extend([Unknown("RECEIVED"), answer])
    await till.check_accounts(NOW)
    assert await account_store.checks_of(till.db, till.merchant_id) == []
    await till.check_accounts(SOON)
    account = await accounts.newest(till.db, till.merchant_id, PRIMARY)
    assert account.state == state
    (check,) = await account_store.checks_of(till.db, till.merchant_id)
    assert (check.outcome, check.score, check.cost_paise) == kept
    assert len({reference for _, reference in till.bank.calls}) == 1, "one check, one reference"
    rows = await till.db.fetch(
        "SELECT debit, credit, amount_paise FROM ledger_postings WHERE kind = 'check_cost'"
    )
    cost = kept[2]
    assert [tuple(row) for row in rows] == (
        [("acquirer_cost", "provider_due", cost)] if cost else []
    )
    assert await till.broken(LATER) == set()


async def test_a_webhook_that_is_replayed_asks_about_a_check_once_in_five_seconds(
    till: Till,
) -> None:
    till.bank.account_answers.extend([Unknown("RECEIVED")] * 20)
    for days in range(5):  # the schedule's own calls are far apart from now on
        await till.check_accounts(NOW + timedelta(days=days))
    account = await accounts.newest(till.db, till.merchant_id, PRIMARY)
    asked = 0
    for second in range(20):
        at = NOW + timedelta(days=4, seconds=second)
        for _ in range(3):
            await accounts.ask_now(till.db, "sandbox", account.reference, at)
            asked += await till.check_accounts(at)
    assert asked == 4


async def test_a_webhook_asks_about_a_check_now(till: Till) -> None:
    till.bank.account_answers.append(Unknown("RECEIVED"))
    await till.check_accounts(NOW)
    account = await accounts.newest(till.db, till.merchant_id, PRIMARY)
    await accounts.ask_now(till.db, "sandbox", f"{till.merchant_id + 1}-V{account.check_id}", NOW)
    await accounts.ask_now(till.db, "sandbox", "nonsense", NOW)
    await accounts.ask_now(till.db, "another", account.reference, NOW)
    assert await till.check_accounts(NOW) == 0
    await accounts.ask_now(till.db, "sandbox", account.reference, NOW)
    assert await till.check_accounts(NOW) == 1
    account = await accounts.newest(till.db, till.merchant_id, PRIMARY)
    assert account.state is BankAccountState.VERIFIED
