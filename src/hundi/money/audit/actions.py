"""The audit: reads the acquirers' books, checks ours in one snapshot, and reports."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from hundi.acquirers.books import BookPage
from hundi.acquirers.port import Connector, KeepsBooks
from hundi.infra.database import Connection, Database
from hundi.money.audit import rules, store
from hundi.money.audit.rules import BankBooks, Checked, Compared, Difference, Note, Report, Violation

Progress = Callable[[str, int, int], None]
"""Told before each step: its name, how many steps are done, and how many there are."""

BOOK_PAGES_MAX = 1_000_000
"""Pages of one acquirer's books that an audit reads."""


def _unseen(_name: str, _done: int, _steps: int) -> None:
    """Show no progress."""


async def audit(db: Database, connectors: Iterable[Connector], now: datetime, progress: Progress = _unseen) -> Report:
    """Check every promise of the books and compare them with the acquirers', which are read first.

    Whatever a bank did and we recorded in between is then younger than the inquiry schedule: a note, not a violation.
    """
    steps = len(store.CHECKS) + 2
    progress("reading the acquirers' books", 0, steps)
    configured = {each.name: each for each in connectors}
    read = {name: await _read(each) for name, each in configured.items()}
    books = {name: found for name, found in read.items() if isinstance(found, BankBooks)}
    checked: list[Checked] = []
    async with db.transaction() as conn:
        await store.begin(conn)
        for violation in store.CHECKS:
            progress(violation, len(checked) + 1, steps)
            checked.append(await store.check(conn, violation))
        progress("comparing with the acquirers", steps - 1, steps)
        notes = await store.notes(conn, now)
        figures = await store.figures(conn)
        acquirers = dict.fromkeys(await store.connectors(conn), Compared.NOT_CONFIGURED) | {
            name: Compared.COMPARED if isinstance(found, BankBooks) else found for name, found in read.items()
        }
        differences = [each for name in books for each in await _compare(conn, configured[name], books[name])]
    if books:
        violations, behind = rules.graded(differences, now)
        checked.extend(violations)
        figures["bank_entries"] = sum(map(len, books.values()))
        if behind:
            notes[Note.BANK_BEHIND] = behind
    left = sum(each is not Compared.COMPARED for each in acquirers.values())
    if left:
        notes[Note.BANK_NOT_COMPARED] = left
    progress("done", steps, steps)
    return Report(now, tuple(checked), notes, figures, acquirers)


async def _read(connector: Connector) -> BankBooks | Compared:
    """Return an acquirer's books, or why there are none to compare with."""
    if not isinstance(connector, KeepsBooks):
        return Compared.NO_BOOKS
    books, after = BankBooks(), ""
    for _ in range(BOOK_PAGES_MAX):
        page = await connector.books(after)
        # A page that leads to itself would be read for ever.
        if not isinstance(page, BookPage) or (page.next and page.next == after):
            return Compared.UNREACHABLE
        for entry in page.entries:
            books.add(entry)
        if not page.next:
            return books
        after = page.next
    return Compared.UNREACHABLE


async def _compare(conn: Connection, connector: Connector, books: BankBooks) -> list[Difference]:
    """Walk once over our attempts; what the bank moved and none of them claimed is left over."""
    theirs, voided = books.moved(), books.voided()
    patience = timedelta(seconds=sum(connector.inquiry_schedule.gaps_s)) + rules.SLACK
    differences: list[Difference] = []
    async for attempts in store.attempts_of(conn, connector.name):
        for ours in attempts:
            held = theirs.pop(ours.reference, None)
            if rules.released(ours, held, voided.get(ours.reference)):
                del voided[ours.reference]
            elif difference := rules.compare(ours, held, patience):
                differences.append(difference)
    refunded = await store.refunded_by(conn, connector.name)
    differences += rules.compare_totals(
        Violation.BANK_REFUNDS_DIFFER, "refunded", refunded, books.given_back(), patience
    )
    for state, there in (("captured", books.captured()), ("voided", voided)):
        here = await store.ended_by(conn, connector.name, state)
        differences += rules.compare_totals(Violation.BANK_ENDINGS_DIFFER, state, here, there, patience)
    differences += [rules.unknown_reference(reference, total, patience) for reference, total in theirs.items()]
    return differences
