"""A certification names what a provider of payouts and checks does wrong."""

from typing import Any

from hundi.acquirers.razorpayx.validations import RazorpayxChecks
from tests.acquirers.certifying import certified
from tests.acquirers.razorpayx.standin import RazorpayX
from tests.acquirers.razorpayx.test_contract import given

__all__ = ["given"]


async def test_a_payout_to_a_bad_account_that_is_called_paid_is_not_ready(
    connector: RazorpayxChecks, given: Any, x: RazorpayX
) -> None:
    x.books.rejects.clear()
    found = await certified(connector, given)
    assert list(found.failed()) == ["payout-bad"]
    assert found.not_ready() == ["PaysOut"]


async def test_a_bank_that_repeats_the_name_it_was_sent_is_not_ready(
    connector: RazorpayxChecks, given: Any, x: RazorpayX
) -> None:
    x.checks.default = type(x.checks.default)("Somebody Else Entirely")
    found = await certified(connector, given)
    assert list(found.failed()) == ["check-other-name"]
    assert found.not_ready() == ["ChecksAccounts"]
