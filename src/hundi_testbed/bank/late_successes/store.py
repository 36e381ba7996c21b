"""All SQL of late successes."""

from datetime import datetime

from hundi_testbed.bank.database import BankDatabase

_MAKE_DUE = (
    "UPDATE payments SET due_at = $1 WHERE due = 'settle' AND due_at > $1 RETURNING reference"
)


async def make_due(db: BankDatabase, now: datetime) -> int:
    """Make every late success due now; return how many were not."""
    return len(await db.fetch(_MAKE_DUE, now))
