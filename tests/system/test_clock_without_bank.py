"""A demo's clock while the bank cannot be reached.

It moves on, and what waited is done or missed afterwards.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from hundi.acquirers.calls.breaker import OPEN_S
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop
from tests.system.test_subscription_year import DAY_S, advance, begin, states

ANSWERS_WITHIN_S = 180
"""A move of the clock without a bank: 5 s, or 64 where four programs want each core.

Where every try was waited for, it took hours.
"""
MINUTE_S = 60
MONTHS_WITHIN_S = 45
"""Four months of it: 12 s, or 32 on a busy machine.

Where each step waited for what was put back, more than 50, and longer on a busy one, too.
"""


@pytest.fixture(scope="module")
def gateway(new_folder: Callable[[str], Path]) -> Iterator[RunningGateway]:
    """A gateway whose clock nobody else needs."""
    with RunningGateway(new_folder("away")) as running:
        yield running


@pytest.fixture(scope="module")
def shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    yield from open_shop(gateway, server, "away")


@pytest.fixture(scope="module")
def sender(gateway: RunningGateway) -> Iterator[Sender]:
    with httpx.Client(trust_env=False, timeout=30) as http:
        yield Sender(gateway.base_url, http)


@pytest.fixture
def away(gateway: RunningGateway) -> Iterator[Callable[[float], float]]:
    """Move the clock on while no request reaches the bank.

    Return how long the answer took, in seconds.
    """

    def move(seconds: float) -> float:
        gateway.inject_faults(lose_request=1.0)
        began = time.monotonic()
        advance(gateway, seconds)
        return time.monotonic() - began

    yield move
    gateway.inject_faults()


def come_back(gateway: RunningGateway) -> None:
    """Let requests reach the bank again, and wait until the gateway calls it as ever.

    The breaker opens by the world's clock, and lets one call try the bank. What is due beside that
    call is put back for some seconds, over which a leap of days would pass.
    """
    gateway.inject_faults()
    time.sleep(OPEN_S)
    for _ in range(2):
        advance(gateway, MINUTE_S)


def test_a_notice_that_could_not_be_given_is_given_late_and_the_debit_made(
    gateway: RunningGateway, sender: Sender, shop: Shop, away: Callable[[float], float]
) -> None:
    told = begin(sender, shop, sb_recurringcount="2")
    took_s = [away(3 * DAY_S), away(DAY_S)]
    assert states(sender, shop, told) == ["announced"]
    assert shop.bank_debits(f"{told['ap_transactionid']}-1") == []
    come_back(gateway)
    advance(gateway, 3 * DAY_S)
    assert states(sender, shop, told) == ["done"]
    advance(gateway, 40 * DAY_S)
    assert states(sender, shop, told) == ["done", "done"]
    assert max(took_s) < ANSWERS_WITHIN_S
    gateway.audit()


def test_a_debit_under_way_when_the_bank_went_away_is_made_once(
    gateway: RunningGateway, sender: Sender, shop: Shop, away: Callable[[float], float]
) -> None:
    told = begin(sender, shop, sb_recurringcount="1")
    until(
        lambda: advance(gateway, DAY_S / 4) and states(sender, shop, told) == ["announced"],
        "the notice",
    )
    took_s = away(2 * DAY_S)
    assert states(sender, shop, told) == ["sent"]
    come_back(gateway)
    advance(gateway, 3 * DAY_S)
    assert states(sender, shop, told) == ["done"]
    assert shop.bank_debits(f"{told['ap_transactionid']}-1") == [(49_900, "done")]
    assert took_s < ANSWERS_WITHIN_S
    gateway.audit()


def test_periods_that_pass_without_a_bank_are_missed(
    gateway: RunningGateway, sender: Sender, shop: Shop, away: Callable[[float], float]
) -> None:
    told = begin(sender, shop, sb_period="W", sb_recurringcount="4")
    took_s = away(17 * DAY_S)
    come_back(gateway)
    advance(gateway, 20 * DAY_S)
    assert states(sender, shop, told) == ["missed", "missed", "done", "done"]
    assert took_s < ANSWERS_WITHIN_S
    gateway.audit()


def test_months_without_a_bank_wait_for_no_try_that_was_put_back(
    gateway: RunningGateway, sender: Sender, shop: Shop, away: Callable[[float], float]
) -> None:
    told = begin(sender, shop, sb_recurringcount="5")
    took_s = away(120 * DAY_S)
    come_back(gateway)
    advance(gateway, 60 * DAY_S)
    assert {*states(sender, shop, told)} == {"missed", "done"}
    assert took_s < MONTHS_WITHIN_S
    gateway.audit()
