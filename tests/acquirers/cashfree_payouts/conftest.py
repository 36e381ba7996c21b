"""A connector at the stand-in of Cashfree Payouts, with its clock and a memory of its own."""

from collections.abc import AsyncIterator

import pytest

from hundi.acquirers.cashfree_payouts.account import CashfreeKeys, CashfreePayoutsAccount
from hundi.acquirers.cashfree_payouts.connector import CashfreePayoutsChecks
from hundi.acquirers.port.memory import ShortMemory
from hundi.kernel.money import Money
from tests.acquirers.cashfree_payouts.standin import CLIENT_ID, CLIENT_SECRET, CashfreePayouts
from tests.acquirers.cashfree_payouts.standin_checks import INVALID, Held
from tests.acquirers.paid_out import CLOSED

KEYS = CashfreeKeys(client_id=CLIENT_ID, secrets=(CLIENT_SECRET, "the oldest secret"))


@pytest.fixture
async def cashfree() -> AsyncIterator[CashfreePayouts]:
    async with CashfreePayouts.running(paise=100_000_000) as standin:
        standin.books.fates[CLOSED.number] = [("FAILED", "INVALID_ACCOUNT_FAIL")]
        standin.checks.bank[CLOSED.number] = INVALID
        standin.checks.default = Held("CHAI HOUSE")
        yield standin


@pytest.fixture
def account(cashfree: CashfreePayouts) -> CashfreePayoutsAccount:
    return CashfreePayoutsAccount(
        keys=KEYS,
        checks=KEYS,
        base_url=cashfree.payouts_url,
        checks_url=cashfree.verification_url,
        balance_url=cashfree.url,
    )


def opened(
    cashfree: CashfreePayouts, account: CashfreePayoutsAccount, memory: ShortMemory
) -> CashfreePayoutsChecks:
    return CashfreePayoutsChecks(
        "cashfree_payouts", account, memory, check_cost=Money(236), now=lambda: cashfree.clock
    )


@pytest.fixture
async def connector(
    cashfree: CashfreePayouts, account: CashfreePayoutsAccount, memory: ShortMemory
) -> AsyncIterator[CashfreePayoutsChecks]:
    made = opened(cashfree, account, memory)
    yield made
    await made.close()
