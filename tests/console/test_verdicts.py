"""What a refund, a payout and a dispute come to, in one sentence."""

import pytest

from hundi.console.verdicts import of_refund
from hundi.kernel.states import RefundState
from hundi.payments.story.verdicts.rules import NOTHING_TO_DO


@pytest.mark.parametrize("state", RefundState)
def test_every_state_of_a_refund_has_words(state: RefundState) -> None:
    verdict = of_refund(state, "₹500.00", "It is there.", "", "")
    assert verdict.happened.startswith("A refund of ₹500.00 was ")
    assert (verdict.money, verdict.todo) == ("It is there", NOTHING_TO_DO)


def test_a_refund_that_was_made_is_proved_by_its_rrn() -> None:
    verdict = of_refund(RefundState.DONE, "₹500.00", "The bank gave it back.", "6331", "")
    assert verdict.todo == "If the customer misses it after that day, tell them its RRN 6331"
    assert verdict.tone == "paid"


def test_a_refund_that_came_to_nothing_says_what_to_do() -> None:
    verdict = of_refund(RefundState.FAILED, "₹5.00", "It is yours.", "6331", "Refund again")
    assert (verdict.todo, verdict.tone) == ("Refund again", "failed")
