"""When a difference with the bank may still settle, and how an entry that changes is read."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from hundi.acquirers.port.books import BookEntry
from hundi.kernel.states import AttemptState
from hundi.money.audit.bank.rules import BankBooks, BankTotal, OurAttempt, compare
from hundi.money.audit.rules import Violation

AT = datetime(2026, 11, 20, 8, 35, tzinfo=UTC)
PATIENCE = timedelta(minutes=10)


def ours(state: AttemptState, paise: int = 0, *, asked_at: datetime | None = None) -> OurAttempt:
    settled_at = None if asked_at else AT
    return OurAttempt("1-2", state, paise, AT + timedelta(minutes=8), settled_at, asked_at)


def entry(rrn: str, state: str, *, kind: str = "debit", paise: int = 100) -> BookEntry:
    return BookEntry(AT, kind, "1-2", rrn, paise, state)


@given(state=st.sampled_from(list(AttemptState)), paise=st.integers(1, 10**12))
def test_equal_books_never_differ(state: AttemptState, paise: int) -> None:
    moved = state in {AttemptState.PAID, AttemptState.AUTHORISED, AttemptState.OVERPAID}
    attempt = ours(state, paise if moved else 0)
    assert compare(attempt, BankTotal(paise, AT, rrns={""}) if moved else None, PATIENCE) is None


def test_a_qr_that_was_paid_unheard_is_asked_about_at_its_end() -> None:
    found = compare(ours(AttemptState.OFFERED, asked_at=AT), BankTotal(100, AT), PATIENCE)
    assert found is not None
    assert (found.violation, found.settled_by) == (
        Violation.BANK_MOVED_MORE,
        AT + timedelta(minutes=18),
    )


def test_an_entry_that_changed_counts_as_it_was_listed_last() -> None:
    books = BankBooks()
    for each in (
        entry("1", "pending"),
        entry("2", "done", paise=7),
        entry("1", "done"),
        entry("3", "declined"),
        entry("2", "reversed"),
    ):
        books.add(each)
    assert len(books) == 3
    assert {name: total.paise for name, total in books.moved().items()} == {"1-2": 100}


def test_only_debits_and_holds_are_compared_with_attempts() -> None:
    books = BankBooks()
    for rrn, kind in enumerate(("authorise", "capture", "refund", "void", "payout")):
        books.add(entry(str(rrn), "done", kind=kind))
    assert books.moved()["1-2"].paise == 100
