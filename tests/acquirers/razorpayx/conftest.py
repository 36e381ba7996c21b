"""A connector at the stand-in of RazorpayX, with its clock and a memory of its own."""

from collections.abc import AsyncIterator

import pytest

from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.razorpayx.api import RazorpayxAccount
from hundi.acquirers.razorpayx.validations import RazorpayxChecks
from hundi.kernel.money import Money
from tests.acquirers.paid_out import CLOSED
from tests.acquirers.razorpayx.standin import (
    ACCOUNT_NUMBER,
    KEY_ID,
    KEY_SECRET,
    WEBHOOK_SECRET,
    RazorpayX,
)
from tests.acquirers.razorpayx.standin_checks import Held

LITE = "9845399535208460"


@pytest.fixture
async def x() -> AsyncIterator[RazorpayX]:
    async with RazorpayX.running(rejects={CLOSED.number: "bank_account_closed"}) as standin:
        standin.new_account(ACCOUNT_NUMBER, 100_000_000)
        standin.new_account(LITE, 100_000, kind="razorpayx_lite")
        standin.checks.bank[CLOSED.number] = Held(None, "invalid", None, "It is closed.")
        standin.checks.default = Held("CHAI HOUSE")
        yield standin


@pytest.fixture
def account(x: RazorpayX) -> RazorpayxAccount:
    return RazorpayxAccount(
        key_id=KEY_ID,
        key_secret=KEY_SECRET,
        number=ACCOUNT_NUMBER,
        webhook_secrets=(WEBHOOK_SECRET, "the secret before"),
        validation_number=LITE,
        base_url=x.base,
    )


def opened(x: RazorpayX, account: RazorpayxAccount, memory: ShortMemory) -> RazorpayxChecks:
    return RazorpayxChecks("razorpayx", account, memory, check_cost=Money(236), now=lambda: x.clock)


@pytest.fixture
async def connector(
    x: RazorpayX, account: RazorpayxAccount, memory: ShortMemory
) -> AsyncIterator[RazorpayxChecks]:
    made = opened(x, account, memory)
    yield made
    await made.close()
