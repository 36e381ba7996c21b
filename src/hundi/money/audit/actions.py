"""Doing the audit: reads the bank's books, then checks ours in one snapshot, and says what it found."""

from collections.abc import AsyncIterable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from hundi.infra.database import Connection, Database
from hundi.money.audit import rules, store
from hundi.money.audit.rules import BankBooks, BankEntry, Checked, Difference, Note, Report, Violation

Progress = Callable[[str, int, int], None]
"""Told before each step: its name, how many steps are done, and how many there are."""


class BooksUnreachableError(Exception):
    """The bank's books cannot be read now; the text says why."""


@dataclass(frozen=True, slots=True)
class Bank:
    """A bank whose books can be read.

    connector: whose attempts they are about. schedule: how long its inquiries go on.

    entries: its books, from the first entry to the last; raises BooksUnreachableError.
    """

    connector: str
    schedule: timedelta
    entries: AsyncIterable[BankEntry]


def _unseen(_name: str, _done: int, _steps: int) -> None:
    """Show no progress."""


async def audit(db: Database, bank: Bank | None, now: datetime, progress: Progress = _unseen) -> Report:
    """Check every promise of the books and compare them with the bank's, which are read first.

    Whatever the bank did and we recorded in between is then younger than the inquiry schedule: a note, not a violation.
    """
    steps = len(store.CHECKS) + 2
    progress("reading the bank's books", 0, steps)
    books = await _read(bank)
    checked: list[Checked] = []
    async with db.transaction() as conn:
        await store.begin(conn)
        for violation in store.CHECKS:
            progress(violation, len(checked) + 1, steps)
            checked.append(await store.check(conn, violation))
        progress("comparing with the bank", steps - 1, steps)
        notes = await store.notes(conn, now)
        figures = await store.figures(conn)
        if bank is None or books is None:
            notes[Note.BANK_NOT_COMPARED] = 1
        else:
            differences = await _compare(conn, bank, books)
            violations, behind = rules.graded(differences, now)
            checked.extend(violations)
            figures["bank_entries"] = len(books)
            if behind:
                notes[Note.BANK_BEHIND] = behind
    progress("done", steps, steps)
    return Report(now, tuple(checked), notes, figures)


async def _read(bank: Bank | None) -> BankBooks | None:
    if bank is None:
        return None
    books = BankBooks()
    try:
        async for entry in bank.entries:
            books.add(entry)
    except BooksUnreachableError:
        return None
    return books


async def _compare(conn: Connection, bank: Bank, books: BankBooks) -> list[Difference]:
    """Walk once over our attempts; what the bank moved and none of them claimed is left over."""
    theirs, voided = books.moved(), books.voided()
    patience = bank.schedule + rules.SLACK
    differences: list[Difference] = []
    async for attempts in store.attempts_of(conn, bank.connector):
        for ours in attempts:
            held = theirs.pop(ours.reference, None)
            if rules.released(ours, held, voided.get(ours.reference)):
                del voided[ours.reference]
            elif difference := rules.compare(ours, held, patience):
                differences.append(difference)
    refunded = await store.refunded_by(conn, bank.connector)
    differences += rules.compare_totals(
        Violation.BANK_REFUNDS_DIFFER, "refunded", refunded, books.given_back(), patience
    )
    for state, there in (("captured", books.captured()), ("voided", voided)):
        here = await store.ended_by(conn, bank.connector, state)
        differences += rules.compare_totals(Violation.BANK_ENDINGS_DIFFER, state, here, there, patience)
    differences += [rules.unknown_reference(reference, total, patience) for reference, total in theirs.items()]
    return differences
