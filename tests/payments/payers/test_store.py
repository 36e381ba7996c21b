"""The limits of payers' questions, counted in a flood of questions."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest

from hundi.infra.postgres.database import Database
from hundi.payments.payers import store
from hundi.payments.payers.rules import DAY, HOUR

pytestmark = pytest.mark.not_on_citus("it plans such a table on another machine")
NOW = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
FLOOD = """
INSERT INTO payer_requests (request_id, token_hash, state, typed, contact_key, asked_at,
    ends_at)
SELECT 217000000000000 + n, digest, 'silent', '{}', digest, $1, $1
FROM generate_series(1, 20000) AS n, sha256(n::text::bytea) AS digest
"""


async def test_a_limit_is_counted_without_reading_everybodys_questions(db: Database) -> None:
    await db.execute(FLOOD, NOW - timedelta(minutes=1))
    await db.execute("ANALYZE payer_requests")
    key = sha256(b"7").digest()
    counted = key, 7, 217_000_000_000_007, NOW - HOUR, NOW - DAY
    plan = await db.fetch(f"EXPLAIN {store.COUNT_BEFORE}", *counted)
    lines = "\n".join(row[0] for row in plan)
    assert "payer_requests_of_payment" in lines
    assert "Seq Scan" not in lines
