"""An audit of the archive merges no tables: the planner guesses a wrong size of the archive."""

import pytest

from hundi.infra.postgres.database import Database
from hundi.money.audit import actions, store
from hundi.money.audit.archive import store as archive
from hundi.money.audit.rules import Violation


@pytest.mark.parametrize("violation", [Violation.EVENT_DIFFERS, Violation.SEALED_ROW_DIFFERS])
async def test_a_check_that_opens_the_archive_joins_by_hashes(
    db: Database, violation: Violation
) -> None:
    """Of 900,000 payments of 100 merchants a merge compared each with 9,000 attempts."""
    query = archive.whole(actions.CHECKS[violation]).replace("$1", "now()")
    async with db.transaction() as conn:
        await store.begin(conn, whole=True)
        plan = "\n".join(row[0] for row in await conn.fetch(f"EXPLAIN {query}"))
    assert "Merge Cond" not in plan
    assert "Hash Cond" in plan
