"""A connector at the stand-in of Razorpay, with a clock and a memory of its own."""

import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import pytest

from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.razorpay.api import Account
from hundi.acquirers.razorpay.connector import RazorpayCardConnector, RazorpayConnector
from tests.acquirers.razorpay.standin import KEY_ID, KEY_SECRET, WEBHOOK_SECRET
from tests.acquirers.razorpay.standin_answers import Fault
from tests.acquirers.razorpay.standin_splits import RouteStandin


@dataclass
class Clock:
    """The connector's own clock, which tests move."""

    ahead_s: float = 0

    def __call__(self) -> float:
        return time.time() + self.ahead_s


@pytest.fixture
async def bank() -> AsyncIterator[RouteStandin]:
    async with RouteStandin.running() as standin:
        yield standin


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def account(bank: RouteStandin) -> Account:
    return Account(
        key_id=KEY_ID,
        key_secret=KEY_SECRET,
        webhook_secrets=(WEBHOOK_SECRET,),
        email="shop@example.in",
        phone="9000090000",
        base_url=bank.url,
    )


@pytest.fixture
async def connector(
    account: Account, memory: ShortMemory, clock: Clock
) -> AsyncIterator[RazorpayConnector]:
    made = RazorpayCardConnector("razorpay", account, memory, now=clock)
    yield made
    await made.close()


@pytest.fixture
def play(bank: RouteStandin) -> Callable[[str, Fault], None]:
    """Return what lets the next calls of a path that ends so go wrong.

    A question is asked twice.
    """

    def play(path: str, fault: Fault) -> None:
        bank.faults[path] = deque([fault, fault])

    return play
