"""What a payer reads of a payment: where the money is, and days that do not move."""

from datetime import date, datetime, timedelta

import pytest

from hundi.kernel.records import replace
from hundi.kernel.states import AttemptState, PaymentState, RefundCause, RefundState
from hundi.page.payer_screens import ComplaintBox, MoneyScreen
from hundi.page.screens import Tone
from hundi.page.whereabouts import MoneyFacts, money_screen, working_days_after
from hundi.payments.orders.rules import PaymentView
from hundi.payments.refunds.rules import Refund
from tests.page import views
from tests.page.test_receipt import refund

PASSED = "That day has passed."


def screen(
    view: PaymentView, now: datetime = views.NOW, refunds: tuple[Refund, ...] = ()
) -> MoneyScreen:
    until = now + timedelta(minutes=15)
    facts = MoneyFacts(
        view, views.merchant(), refunds, until, "/receipt", "/leave", ComplaintBox(())
    )
    return money_screen(facts, views.page(path="/where/payment", now=now))


def told(shown: MoneyScreen) -> str:
    return " ".join((shown.sentence, *shown.lines, *shown.refunds))


def failed(**changes: object) -> PaymentView:
    tried = views.attempt(state=AttemptState.FAILED, bank_code="Z9", **changes)
    return views.view(PaymentState.FAILED, tried)


def test_a_paid_payment_has_its_receipt_and_references() -> None:
    shown = screen(views.paid_by_card())
    assert (shown.tone, shown.title, shown.receipt) == (Tone.PAID, "Paid", "/receipt")
    assert "632512345678" in [each.value for each in shown.references]


@pytest.mark.parametrize("days", [0, 3, 5])
def test_the_day_of_a_banks_return_is_counted_from_the_payment(days: int) -> None:
    shown = screen(failed(), views.NOW + timedelta(days=days))
    assert (shown.tone, shown.title) == (Tone.REFUSED, "Nothing was paid")
    assert "There was not enough money in the account." in shown.lines
    assert "your bank returns the money by 25 Nov 2026" in told(shown)
    assert PASSED not in told(shown)
    assert shown.receipt == ""


def test_after_that_day_the_page_says_what_to_do() -> None:
    assert PASSED in told(screen(failed(), views.NOW + timedelta(days=6)))


def test_a_card_that_we_charge_names_no_day_of_a_banks_return() -> None:
    tried = views.attempt("card", AttemptState.FAILED, bank_code="51")
    shown = screen(views.view(PaymentState.FAILED, tried), views.NOW + timedelta(days=30))
    assert "No money has left your account." in told(shown)
    assert "returns the money" not in told(shown)
    assert PASSED not in told(shown)


def test_a_bank_that_says_nothing_has_a_day_too() -> None:
    tried = views.attempt(state=AttemptState.UNKNOWN)
    shown = screen(views.view(PaymentState.UNKNOWN, tried), views.NOW + timedelta(days=9))
    assert shown.tone is Tone.WAITING
    assert "returns it by 25 Nov 2026" in told(shown)
    assert PASSED in told(shown)


def test_each_refund_says_how_far_it_is() -> None:
    refunds = (
        refund(50_000),
        refund(20_000, RefundState.SENT, settled_at=None),
        refund(10_000, RefundState.FAILED),
    )
    done, begun, nothing = screen(views.paid_by_card(), refunds=refunds).refunds
    assert done.startswith("₹500.00 was given back on 20 Nov 2026")
    assert "by 1 Dec 2026. Bank reference: 632500001111" in done
    assert begun.startswith("₹200.00 is on its way back to you since 20 Nov 2026")
    assert nothing.startswith("A refund of ₹100.00 did not reach you.")


def test_money_that_the_order_could_not_keep_is_on_its_way_also_after_a_failed_try() -> None:
    again = replace(refund(10_000, RefundState.FAILED), cause=RefundCause.OVERPAID)
    (line,) = screen(views.paid_by_card(), refunds=(again,)).refunds
    assert line.startswith("₹100.00 is on its way back to you")


@pytest.mark.parametrize(
    ("day", "days", "after"),
    [
        (date(2026, 11, 20), 1, date(2026, 11, 23)),
        (date(2026, 11, 20), 7, date(2026, 12, 1)),
        (date(2026, 11, 21), 1, date(2026, 11, 23)),
    ],
)
def test_working_days_leave_out_saturdays_and_sundays(day: date, days: int, after: date) -> None:
    assert working_days_after(day, days) == after
