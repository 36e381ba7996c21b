"""Read the acquirers' books and compare ours with them."""

from datetime import timedelta

from hundi.acquirers.port.books import BookPage
from hundi.acquirers.port.payments import Connector, KeepsBooks
from hundi.infra.postgres.database import Connection
from hundi.money.audit.bank import rules, store
from hundi.money.audit.bank.rules import BankBooks, BooksDifference
from hundi.money.audit.rules import SLACK, BankComparison, Violation

DISPUTED_WITHIN = timedelta(hours=7)
"""The time after which a dispute's decision is asked for when its callback is lost."""
BOOK_PAGES_MAX = 1_000_000
"""The most pages of one acquirer's books that an audit reads."""


async def read(connector: Connector) -> BankBooks | BankComparison:
    """Return an acquirer's books, or why there are none to compare with."""
    if not isinstance(connector, KeepsBooks):
        return BankComparison.NO_BOOKS
    books, after = BankBooks(), ""
    for _ in range(BOOK_PAGES_MAX):
        page = await connector.books(after)
        # A page that names itself as the next one would be read for ever.
        if not isinstance(page, BookPage) or (page.next and page.next == after):
            return BankComparison.UNREACHABLE
        for entry in page.entries:
            books.add(entry)
        if not page.next:
            return books
        after = page.next
    return BankComparison.UNREACHABLE


async def compare(
    conn: Connection, connector: Connector, books: BankBooks
) -> list[BooksDifference]:
    """Compare all our attempts with the bank's books, and report money that no attempt claims."""
    theirs, voided = books.moved(), books.voided()
    patience = timedelta(seconds=sum(connector.inquiry_schedule.gaps_s)) + SLACK
    differences: list[BooksDifference] = []
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
    paid_out = await store.paid_out_by(conn, connector.name)
    differences += rules.compare_totals(
        Violation.BANK_PAYOUTS_DIFFER, "paid out", paid_out, books.paid_out(), patience
    )
    taken = await store.taken_by(conn, connector.name)
    there = books.disputed()
    differences += rules.compare_totals(
        Violation.BANK_DISPUTES_DIFFER, "taken", taken, there, DISPUTED_WITHIN
    )
    for state, there in (("captured", books.captured()), ("voided", voided)):
        here = await store.ended_by(conn, connector.name, state)
        differences += rules.compare_totals(
            Violation.BANK_ENDINGS_DIFFER, state, here, there, patience
        )
    differences += [
        rules.unknown_reference(reference, total, patience) for reference, total in theirs.items()
    ]
    return differences
