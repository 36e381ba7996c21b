"""A provider of payouts is asked what moves nothing, and a wrong key is found out."""

import pytest

from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.probes import probe
from hundi.acquirers.razorpayx.api import RazorpayxAccount
from hundi.acquirers.razorpayx.connector import RazorpayxConnector
from tests.acquirers.razorpayx.standin import ACCOUNT_NUMBER, KEY_ID, KEY_SECRET, RazorpayX


@pytest.mark.parametrize(
    ("secret", "passed"), [(KEY_SECRET, [True, True, True]), ("wrong", [False, False, True])]
)
async def test_a_payout_and_the_balance_are_asked_about(secret: str, passed: list[bool]) -> None:
    async with RazorpayX.running() as x:
        x.new_account()
        account = RazorpayxAccount(
            key_id=KEY_ID, key_secret=secret, number=ACCOUNT_NUMBER, base_url=x.base
        )
        connector = RazorpayxConnector("razorpayx", account, ShortMemory())
        probes = await probe(connector, 1_764_341_000_000)
        await connector.close()
    assert [each.name for each in probes] == ["payout-inquiry", "balance", "unsigned-webhook"]
    assert "0-P1764341000000" in probes[0].called
    assert [each.passed for each in probes] == passed
    assert not x.books.payouts
