"""What is posted for what happened, as a table a bookkeeper can read."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from hundi.kernel.money import Money
from hundi.money.ledger.rules import (
    Balance,
    Posting,
    PostingKind,
    entries_for_held,
    entries_for_late_refund_due,
    entries_for_overpayment,
    entries_for_success,
)

RECEIVED = Money(49_900)
AT = datetime(2026, 11, 20, 8, 35, tzinfo=UTC)


@dataclass(frozen=True)
class Taken:
    """An attempt that moved ₹499.00."""

    merchant_id: int = 10_001
    attempt_id: int = 217_000_000_000_001
    connector: str = "sandbox"
    settled: Money = RECEIVED
    settled_at: datetime | None = AT


def test_postings_of_every_cause() -> None:
    table = [
        (entries_for_success, PostingKind.PAYMENT, "receivable:sandbox", "payable"),
        (entries_for_overpayment, PostingKind.OVERPAID, "receivable:sandbox", "owed_back"),
        (entries_for_late_refund_due, PostingKind.LATE_REFUND_DUE, "payable", "owed_back"),
        (entries_for_held, PostingKind.REVIEW_HELD, "receivable:sandbox", "held_for_review"),
    ]
    for cause, kind, debit, credit in table:
        (posting,) = cause(Taken())
        expected = Posting(10_001, 217_000_000_000_001, kind, debit, credit, RECEIVED, AT)
        assert posting == expected


def test_nothing_is_posted_before_the_money_moved() -> None:
    with pytest.raises(ValueError, match="not settled"):
        entries_for_success(Taken(settled_at=None))
    with pytest.raises(ValueError, match="more than nothing"):
        entries_for_success(Taken(settled=Money(0)))


def test_a_posting_that_the_database_would_refuse_is_not_made() -> None:
    with pytest.raises(ValueError, match="two accounts"):
        Posting(1, 1, PostingKind.PAYMENT, "payable", "payable", Money(1), AT)
    with pytest.raises(ValueError, match="more than nothing"):
        Posting(1, 1, PostingKind.PAYMENT, "payable", "owed_back", Money(-1), AT)
    with pytest.raises(KeyError):
        Posting(1, 1, PostingKind.PAYMENT, "cash", "payable", Money(1), AT)


def test_a_balance_grows_on_the_side_of_its_account() -> None:
    assert Balance("receivable:sandbox", "INR", debit_paise=700, credit_paise=200).paise == 500
    assert Balance("payable", "INR", debit_paise=200, credit_paise=700).paise == 500
    assert Balance("fee_income", "INR", debit_paise=0, credit_paise=700).paise == 700
    assert Balance("acquirer_cost", "INR", debit_paise=700, credit_paise=200).paise == 500
