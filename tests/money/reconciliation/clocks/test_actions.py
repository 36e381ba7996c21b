"""What hangs is found, by its clock and its day."""

from datetime import timedelta

from hundi.infra.postgres.database import Database
from hundi.money.audit import actions as auditing
from hundi.money.audit.rules import Note
from hundi.money.reconciliation.clocks.actions import read_clocks
from tests.money.audit import books
from tests.money.audit.books import AT


async def test_what_hangs_is_counted_by_its_clock(db: Database) -> None:
    await books.write(db)
    counted = {}
    for days in (0, 5, 9):
        told = await read_clocks(db, AT + timedelta(days=days))
        counted[days] = {
            name: (clock["running"], clock["soon"], clock["over"], clock["compensation_paise"])
            for name, clock in told["clocks"].items()
            if clock["running"] or clock["soon"] or clock["over"]
        }
    assert counted == {
        0: {"upi": (1, 0, 0, 0), "excess": (1, 0, 0, 0), "refund": (3, 0, 0, 0)},
        5: {"upi": (0, 1, 0, 0), "excess": (0, 1, 0, 0), "refund": (3, 0, 0, 0)},
        9: {"upi": (0, 0, 1, 40_000), "excess": (0, 0, 1, 40_000), "refund": (0, 0, 3, 0)},
    }
    assert [each["stage"] for each in told["items"]] == ["over"] * 5


async def test_the_audit_notes_what_ends_within_a_day(db: Database) -> None:
    await books.write(db)
    noted = [
        (await auditing.audit(db, [], AT + timedelta(days=days, hours=1))).notes.get(
            Note.TURNAROUND_DUE, 0
        )
        for days in (3, 4, 6)
    ]
    assert noted == [0, 2, 5]
