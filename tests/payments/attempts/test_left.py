"""What a bank's word does that nobody paid.

Customers who left have tried, links that nobody used were no try.
"""

import pytest

from hundi.acquirers.port.answers import NEVER_SENT_CODE, Declined
from hundi.kernel.records import replace
from hundi.kernel.states import Actor
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentState as P
from hundi.payments.attempts.answers.rules import after_answer, expire
from hundi.payments.orders.endings.rules import leave_page
from hundi.payments.orders.rules import view_after
from tests.payments.attempts.tried import KEEP, LATER, NOW, attempt, view

GONE = Declined("17", "Nobody paid in time", left=True)


@pytest.mark.parametrize("unused", [A.OFFERED, A.UNKNOWN])
def test_a_link_that_ended_unused_is_no_try_though_the_bank_gives_a_code_for_it(unused: A) -> None:
    """A customer who goes back while another link stands ends nothing: nobody has tried to pay."""
    ended, stands = attempt(1, unused, "upi_link"), attempt(2, A.OFFERED, "upi_link")
    before = view(ended, stands)
    step = after_answer(before, ended, GONE, KEEP, NOW)
    assert step is not None
    assert step.attempt is not None
    assert (step.kind, step.attempt.state, step.attempt.bank_code) == ("qr_expired", A.EXPIRED, "")
    assert (step.payment.state, step.announce) == (P.OPEN, None)
    after = view_after(before, step)
    assert leave_page(after, NOW) is None
    over = after_answer(after, stands, GONE, KEEP, LATER)
    assert over is not None
    assert (over.payment.state, over.announce) == (P.EXPIRED, "expired")


def test_a_link_that_its_acquirer_never_had_is_no_try() -> None:
    """It keeps the code, which the acquirer's health is read from.

    The customer was never shown the link.
    """
    turned_away, stands = attempt(1, A.OFFERED, "upi_link"), attempt(2, A.OFFERED, "upi_link")
    before = view(turned_away, stands)
    step = expire(before, replace(turned_away, bank_code=NEVER_SENT_CODE), Actor.INQUIRY, NOW)
    assert (step.kind, step.payment.state, step.announce) == ("qr_expired", P.OPEN, None)
    after = view_after(before, step)
    assert after.attempts[0].bank_code == NEVER_SENT_CODE
    assert leave_page(after, NOW) is None


@pytest.mark.parametrize(
    ("tried", "method"),
    [(A.AUTHENTICATING, "card_page"), (A.PENDING, "upi_link"), (A.AUTHENTICATING, "netbanking")],
)
def test_whoever_left_the_banks_page_has_tried_and_the_banks_word_for_it_stays(
    tried: A, method: str
) -> None:
    left, stands = attempt(1, tried, method), attempt(2, A.OFFERED, "upi_link")
    before = view(left, stands, state=P.IN_PROCESS)
    step = after_answer(before, left, GONE, KEEP, NOW)
    assert step is not None
    assert step.attempt is not None
    assert (step.kind, step.attempt.state, step.attempt.bank_code) == ("abandoned", A.EXPIRED, "17")
    assert (step.payment.state, step.payment.bank_code, step.announce) == (
        P.OPEN,
        "17",
        "attempt_failed",
    )
    back = leave_page(view_after(before, step), NOW)
    assert back is not None
    assert (back.payment.state, back.announce) == (P.ABANDONED, "failed")
