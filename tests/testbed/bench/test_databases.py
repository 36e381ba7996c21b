"""The baselines run on the real schema.

Who changes a statement of a payment sees here that pgbench must follow.
"""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from hundi.infra.postgres.database import Database
from hundi_testbed.bench import databases


def test_parameters_become_variables_and_constants():
    statement = "\nUPDATE t SET a = $2, b = $10::jsonb WHERE c = $1\n"
    values = [":merchant", "'paid'", *("-" for _ in range(7)), ":facts"]
    assert (
        databases.filled(statement, values)
        == "UPDATE t SET a = 'paid', b = :facts::jsonb WHERE c = :merchant;\n"
    )


async def test_the_baseline_of_a_payment_writes_a_whole_payment(
    db: Database, fresh_url: str, tmp_path: Path
):
    if "host" not in parse_qs(urlsplit(fresh_url).query):
        pytest.skip("pgbench of the wheel reaches the embedded server only")
    rate = await databases.run(fresh_url, databases.payment_writes(), 1, tmp_path)
    assert rate > 0
    counts = await db.fetchrow("""
        SELECT (SELECT count(*) FROM payments WHERE state = 'paid') AS payments,
            (SELECT count(*) FROM attempts) AS attempts,
            (SELECT count(*) FROM ledger_postings) AS postings,
            (SELECT count(*) FROM payment_events) AS events,
            (SELECT count(*) FROM deliveries WHERE state = 'delivered') AS delivered,
            (SELECT count(*) FROM delivery_attempts) AS tries
    """)
    assert counts is not None
    payments = counts["payments"]
    assert payments > 0
    assert dict(counts) == {
        "payments": payments,
        "attempts": payments,
        "postings": payments,
        "events": 2 * payments,
        "delivered": payments,
        "tries": payments,
    }


async def test_a_script_that_fails_says_why(fresh_url: str, tmp_path: Path):
    broken = databases.Baseline("broken", "SELECT nothing_of_that_name;\n", {})
    with pytest.raises(databases.BaselineError, match="nothing_of_that_name"):
        await databases.run(fresh_url, broken, 1, tmp_path)
