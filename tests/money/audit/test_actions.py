"""The audit finds nothing in sound books, and each single fault under its own name."""

from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.books import BookEntry, BookPage
from hundi.acquirers.port.payments import InquirySchedule
from hundi.infra.postgres.database import Database
from hundi.money.audit import actions
from hundi.money.audit.direct_shares import store as direct_shares
from hundi.money.audit.parts.rules import BEGINNING, Days
from hundi.money.audit.payouts import store as payouts
from hundi.money.audit.rules import BANK_VIOLATIONS, BankComparison, Note, Report, Violation
from hundi.money.audit.since.scopes.store import SCOPES
from hundi.money.audit.trail import store as trail
from tests.acquirer import ScriptedAcquirer
from tests.money.audit import books
from tests.money.audit.books import AT, MERCHANT
from tests.money.audit.breakages import BREAKAGES

LATER = AT + timedelta(days=1)
MOVED = {
    "11": 49_900,
    "21": 49_900,
    "51": 49_900,
    "52": 100,
    "61": 49_900,
    "81": 49_900,
    "91": 49_900,
    "101": 49_900,
}
ENDED = {"capture": {"81": 40_000}, "void": {"91": 49_900}}


PARTS = (
    Days(BEGINNING, AT.date()),
    Days(AT.date(), LATER.date()),
    Days(LATER.date()),
)
"""All days: before anything was sealed, when it was, and since."""
PAYOUTS = {**payouts.CHECKS, **direct_shares.CHECKS, **trail.CHECKS}
"""Broken in tests of their own.

They are tests/money/payouts/test_bent.py, tests/payments/direct_shares/test_audit.py and
tests/staff/test_trail.py.
"""
OF_TRAIL = {Violation.TRAIL_FORGED}
"""Broken in tests/staff/test_trail.py."""
OF_ROOTS = {Violation.ROOT_DIFFERS, Violation.KEPT_ROOT_DIFFERS}
"""Broken in tests of their own (chain/test_actions.py)."""


@dataclass
class ShowsBooks(ScriptedAcquirer):
    """An acquirer whose books lie open, two entries a page, or cannot be read."""

    inquiry_schedule: InquirySchedule = field(default_factory=lambda: InquirySchedule((11 * 60,)))
    entries: list[BookEntry] | None = None

    async def books(self, after: str = "") -> BookPage | Unknown:
        if self.entries is None:
            return Unknown("", "silent")
        begin = int(after or 0)
        shown = self.entries[begin : begin + 2]
        return BookPage(tuple(shown), str(begin + 2) if begin + 2 < len(self.entries) else "")


def bank(
    moved: dict[str, int] | None,
    given_back: dict[str, int] | None = None,
    ended: dict[str, dict[str, int]] | None = None,
    name: str = "sandbox",
) -> list[ScriptedAcquirer]:
    """Return the only acquirer: its paise by attempt, or None where it cannot be read."""
    if moved is None:
        return [ShowsBooks(name)]
    by_kind = {"debit": moved, "refund": given_back or {}, **(ENDED if ended is None else ended)}
    return [
        ShowsBooks(
            name,
            entries=[
                BookEntry(
                    AT, kind, f"{MERCHANT}-{attempt_id}", f"{kind}-{attempt_id}", paise, "done"
                )
                for kind, entries in by_kind.items()
                for attempt_id, paise in entries.items()
            ],
        )
    ]


def broken(report: Report) -> set[Violation]:
    return {each.violation for each in report.checked if each.count}


async def test_sound_books_hold(db: Database) -> None:
    await books.write(db)
    report = await actions.audit(db, bank(MOVED), LATER, vault=books.VAULT)
    assert report.holds, [each for each in report.checked if each.count]
    assert {each.violation for each in report.checked} == set(Violation)
    assert report.notes == {
        Note.IN_FLIGHT: 1,
        Note.NOT_ASKED: 1,
        Note.OWED_BACK: 2,
        Note.REFUNDS_UNDER_WAY: 3,
        Note.UNCAPTURED: 1,
        Note.SHARES_UNPAID: 2,
        Note.DISPUTES_UNDECIDED: 1,
    }
    assert report.figures["owed_back_paise"] == 0
    assert report.figures["payments"] == 10
    assert report.figures["bank_entries"] == 10


@pytest.mark.parametrize("attempt_id", [11, 21, 31, 51, 61, 81])
async def test_a_refund_may_have_the_number_of_an_attempt(db: Database, attempt_id: int) -> None:
    await books.write(db, refund_id=attempt_id)
    report = await actions.audit(db, bank(MOVED), LATER, vault=books.VAULT)
    assert report.holds, [each for each in report.checked if each.count]
    await db.execute("ALTER TABLE payment_events DISABLE TRIGGER USER")
    await db.execute("DELETE FROM payment_events WHERE payment_id = 7 AND kind = 'refund_begun'")
    assert Violation.CAUSE_MISSING in broken(await actions.audit(db, bank(MOVED), LATER)), (
        "it is looked at all the same"
    )


class GoesInCircles(ScriptedAcquirer):
    """An acquirer whose books have a page that leads to itself."""

    async def books(self, after: str = "") -> BookPage:
        return BookPage((), "again")


async def test_books_that_go_in_circles_are_not_read_for_ever(db: Database) -> None:
    await books.write(db)
    report = await actions.audit(db, [GoesInCircles("sandbox")], LATER)
    assert report.acquirers == {"sandbox": BankComparison.UNREACHABLE}


async def test_empty_books_hold(db: Database) -> None:
    assert (await actions.audit(db, bank({}, ended={}), LATER)).holds


GUARDED = (
    "ledger_postings",
    "payment_events",
    "payments",
    "chain_blocks",
    "settlements",
    "settlement_items",
    "settlement_shares",
    "settlement_parts",
)
"""Tables whose triggers refuse a breakage."""


async def test_every_check_is_broken_once_below() -> None:
    assert set(BREAKAGES) | set(PAYOUTS) == set(actions.CHECKS)
    assert set(BREAKAGES) | set(PAYOUTS) | BANK_VIOLATIONS | OF_ROOTS | OF_TRAIL == set(Violation)


@pytest.mark.parametrize("violation", BREAKAGES)
async def test_what_is_broken_is_found_and_named(db: Database, violation: Violation) -> None:
    await books.write(db)
    for table in GUARDED:
        await db.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    for change in BREAKAGES[violation].split(";"):
        await db.execute(change)
    report = await actions.audit(db, [], LATER)
    assert violation in broken(report)
    assert not report.holds
    (found,) = (each for each in report.checked if each.violation is violation)
    assert found.count == len(found.samples) == 1
    of_all = {Violation.HANDOVER_UNFOUNDED, Violation.STATEMENT_DIFFERS}
    assert str(MERCHANT) in found.samples[0].subject or violation in of_all, (
        "statements are of all merchants"
    )
    since = await actions.audit(db, [], LATER, days=Days(AT.date()))
    assert {each.violation: each.count for each in since.checked} == {
        each.violation: each.count for each in report.checked
    }
    assert since.since == AT.date()
    if violation in SCOPES:
        parts = [await actions.check_part(db, days, LATER) for days in PARTS]
        counts = [each.count for part in parts for each in part.checked if each.count]
        assert violation in {
            each.violation for part in parts for each in part.checked if each.count
        }
        assert sum(counts) >= found.count


async def test_a_row_that_cannot_be_read_hides_nothing_else(db: Database) -> None:
    await books.write(db)
    await db.execute("ALTER TABLE trail_entries DISABLE TRIGGER USER")
    await db.execute(
        "INSERT INTO trail_entries (merchant_id, entry_no, at, person_id, person, act, about,"
        " detail, network, digest,"
        " mark) VALUES ($1, 99, $2, 1, 'x', 'a.b', '', '{}', '', sha256('x'), sha256('x'))",
        MERCHANT,
        LATER,
    )
    await db.execute("ALTER TABLE trail_entries DROP CONSTRAINT IF EXISTS trail_entries_at")
    await db.execute("UPDATE trail_entries SET at = 'infinity'")
    await db.execute("ALTER TABLE ledger_postings DISABLE TRIGGER USER")
    for change in BREAKAGES[Violation.PAID_AMOUNT_DIFFERS].split(";"):
        await db.execute(change)
    assert {Violation.TRAIL_BROKEN, Violation.PAID_AMOUNT_DIFFERS} <= set(
        broken(await actions.audit(db, [], LATER))
    )


@pytest.mark.parametrize(
    ("moved", "violation", "soon_min", "late_min"),
    [
        (MOVED | {"11": 49_800}, Violation.BANK_AMOUNT_DIFFERS, 5, 14),
        (MOVED | {"31": 49_900}, Violation.BANK_MOVED_MORE, 5, 14),
        (
            {name: paise for name, paise in MOVED.items() if name != "51"},
            Violation.BANK_KNOWS_NOTHING,
            5,
            14,
        ),
        # It may have come to an account or for a voucher, which are asked about every half an hour.
        (MOVED | {"99": 5}, Violation.BANK_REFERENCE_UNKNOWN, 31, 33),
    ],
)
async def test_a_difference_with_the_bank_is_a_note_until_the_inquiries_are_over(
    db: Database, moved: dict[str, int], violation: Violation, soon_min: int, late_min: int
) -> None:
    await books.write(db)
    soon = await actions.audit(db, bank(moved), AT + timedelta(minutes=soon_min))
    assert soon.holds
    assert soon.notes[Note.BANK_BEHIND] == 1
    late = await actions.audit(db, bank(moved), AT + timedelta(minutes=late_min))
    assert broken(late) == {violation}
    assert Note.BANK_BEHIND not in late.notes


async def test_a_bank_that_cannot_be_read_is_a_note(db: Database) -> None:
    await books.write(db)
    report = await actions.audit(db, bank(None), LATER)
    assert report.holds
    assert report.notes[Note.BANK_NOT_COMPARED] == 1
    assert report.acquirers == {"sandbox": BankComparison.UNREACHABLE}


async def test_every_acquirer_is_compared_by_name_or_said_not_to_be(db: Database) -> None:
    await books.write(db)
    other = ScriptedAcquirer("without_books")
    report = await actions.audit(
        db, [*bank(MOVED), other, *bank({"11": 49_900}, ended={}, name="second")], LATER
    )
    assert report.acquirers == {
        "sandbox": BankComparison.COMPARED,
        "without_books": BankComparison.NO_BOOKS,
        "second": BankComparison.COMPARED,
    }
    assert broken(report) == {Violation.BANK_REFERENCE_UNKNOWN}
    assert report.notes[Note.BANK_NOT_COMPARED] == 1


async def test_an_acquirer_that_is_configured_no_more_is_named(db: Database) -> None:
    await books.write(db)
    report = await actions.audit(db, [], LATER)
    assert report.acquirers == {"sandbox": BankComparison.NOT_CONFIGURED}
    assert report.notes[Note.BANK_NOT_COMPARED] == 1


async def test_progress_is_told_from_the_first_step_to_the_last(db: Database) -> None:
    told: list[tuple[str, int, int]] = []
    await actions.audit(db, [], LATER, lambda *step: told.append(step))
    done = [each[1] for each in told]
    assert done == sorted(done)
    assert done[0] == 0
    assert done[-1] == told[-1][2]


async def test_a_refund_that_only_the_bank_knows_is_a_note_first_and_then_a_violation(
    db: Database,
) -> None:
    await books.write(db)
    shown = bank(MOVED, {"11": 500})
    assert (await actions.audit(db, shown, AT + timedelta(minutes=1))).notes[Note.BANK_BEHIND] == 1
    late = await actions.audit(db, shown, LATER)
    assert broken(late) == {Violation.BANK_REFUNDS_DIFFER}
    assert (
        "500 paise at the bank"
        in next(each for each in late.checked if each.count).samples[0].found
    )


async def test_refunds_that_both_know_differ_in_nothing(db: Database) -> None:
    await books.write(db)
    await db.execute(
        (
            "UPDATE refunds SET state = 'done', settled_at = $1, due_at = NULL, rrn = 'refund-61'"
            " WHERE refund_id = 71"
        ),
        AT,
    )
    await db.execute(
        "INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise,"
        " currency, at)"
        " VALUES ($1, 71, 'refund_done', 'refunds_in_flight', 'receivable:sandbox', 10000, 'INR',"
        " $2)",
        *(MERCHANT, AT),
    )
    await books.event(db, 7, 7, "refund_done", "paid", told="refund_done", of=61)
    await db.execute("UPDATE payments SET revision = 7 WHERE payment_id = 7")
    shown = bank(MOVED, {"61": 10_000})
    assert broken(await actions.audit(db, shown, LATER)) == set()


@pytest.mark.parametrize(
    "ended",
    [
        {"capture": {"81": 39_999}, "void": {"91": 49_900}},
        {"void": {"91": 49_900}},
        {"capture": {"81": 40_000}},
        {"capture": {"81": 40_000, "101": 49_900}, "void": {"91": 49_900}},
        {"capture": {"81": 40_000}, "void": {"91": 49_900, "101": 49_900}},
    ],
)
async def test_an_ending_that_the_bank_knows_otherwise_is_a_note_first_and_then_a_violation(
    db: Database, ended: dict[str, dict[str, int]]
) -> None:
    await books.write(db)
    shown = bank(MOVED, ended=ended)
    assert (await actions.audit(db, shown, AT + timedelta(minutes=1))).notes[Note.BANK_BEHIND] == 1
    assert broken(await actions.audit(db, shown, LATER)) == {Violation.BANK_ENDINGS_DIFFER}
