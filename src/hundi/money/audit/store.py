"""The snapshot of an audit, its checks and its counts.

The audit reads the tables directly and not through the features' stores, so that it does not repeat
their mistakes.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from asyncpg import DataError, FeatureNotSupportedError

from hundi.infra.postgres.counter import read_counter
from hundi.infra.postgres.database import Connection
from hundi.money.audit.archive import store as archive
from hundi.money.audit.chain.store import RESTORED, UNSEALED
from hundi.money.audit.direct_shares.store import NOTES as SHARE_NOTES
from hundi.money.audit.payouts.store import NOTES as PAYOUT_NOTES
from hundi.money.audit.rules import (
    SAMPLES_MAX,
    SEALED_WITHIN,
    SLACK,
    CheckResult,
    Note,
    Sample,
    Violation,
)
from hundi.money.audit.since.others.store import FIGURES, NOTES, OTHERS
from hundi.money.audit.since.scopes.store import SCOPES, narrowed_to
from hundi.money.audit.since.store import Changes

STATEMENT_S_MAX = 600
"""The longest that one check may run, in seconds; 100,000 payments take seconds in all."""

_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
# A check reads whole tables. The planner has no statistics for keys that a query computes: it would
# expect one row and look up each of a million one by one. Its costs mean nothing then, and code
# that is compiled because of them takes longer than the check.
_ROOM = f"""
SET LOCAL statement_timeout = '{STATEMENT_S_MAX}s';
SET LOCAL work_mem = '64MB';
SET LOCAL enable_nestloop = off;
SET LOCAL jit = off
"""
# The rows of an archived payment are guessed as a hundred times more than there are. A merge of two
# tables by merchant alone, in the order of a sort that is there already, looks cheap then, and
# compares each payment of a merchant with each of its attempts.
_ARCHIVE_ROOM = f"{_ROOM}; SET LOCAL enable_mergejoin = off"

_SAMPLED = (
    "SELECT subject, found, count(*) OVER () AS violations FROM ({}) AS violation LIMIT"
    f" {SAMPLES_MAX}"
)

_NOTES: Mapping[Note, str] = {
    Note.IN_FLIGHT: """
        SELECT count(*) FROM attempts WHERE state IN ('offered', 'sent', 'authenticating',
            'authorising', 'pending')
    """,
    Note.NOT_ASKED: "SELECT count(*) FROM attempts WHERE inquire_at < $1",
    Note.OWED_BACK: "SELECT count(*) FROM ledger_postings WHERE credit = 'owed_back'",
    Note.DEBTS_LEFT: """SELECT count(*) FROM (SELECT FROM refunds
        WHERE cause IN ('overpaid', 'late')
        GROUP BY merchant_id, attempt_id HAVING bool_and(state IN ('failed', 'reversed'))
            AND count(*) >= 7
        ) AS left_to_people""",
    Note.REFUNDS_UNDER_WAY: (
        "SELECT count(*) FROM refunds WHERE state IN ('initiated', 'sent', 'unknown')"
    ),
    **{Note(name): query for name, query in {**PAYOUT_NOTES, **SHARE_NOTES}.items()},
    Note.DISPUTES_OPEN: "SELECT count(*) FROM dispute_stages WHERE state = 'open'",
    Note.DISPUTES_UNDECIDED: (
        "SELECT count(*) FROM dispute_stages WHERE settled_at IS NULL AND state <> 'open'"
    ),
    Note.UNCAPTURED: "SELECT count(*) FROM payments WHERE state = 'authorised'",
    Note.UNDER_REVIEW: "SELECT count(*) FROM payments WHERE state = 'under_review'",
    Note.DELIVERIES_WAITING: (
        "SELECT count(*) FROM deliveries WHERE state IN ('waiting', 'sending')"
    ),
    Note.DELIVERIES_OVERDUE: """SELECT count(*) FROM deliveries
        WHERE state IN ('waiting', 'sending')
        AND due_at < $1 AND merchant_id NOT IN (SELECT merchant_id FROM failing_endpoints)""",
    Note.DELIVERIES_EXHAUSTED: "SELECT count(*) FROM deliveries WHERE state = 'exhausted'",
    Note.DELIVERIES_WITHOUT_ENDPOINT: "SELECT count(*) FROM deliveries WHERE state = 'no_endpoint'",
    Note.ENDPOINTS_FAILING: """SELECT (SELECT count(*) FROM failing_endpoints)
        + (SELECT count(*) FROM webhook_endpoints
            WHERE state = 'enabled' AND failing_since IS NOT NULL)""",
    Note.RECONCILIATION_OPEN: "SELECT count(*) FROM reconciliation_items WHERE state = 'open'",
    Note.TURNAROUND_DUE: """
        SELECT count(*) FROM (
            SELECT 1 FROM attempts WHERE state IN ('sent', 'authorising', 'pending', 'unknown')
                AND coalesce(charged_at, created_at) < $1::timestamptz - CASE
                    WHEN method IN ('virtual_account', 'rtgs_account',
                    'remittance') THEN interval '0 days'
                    ELSE interval '4 days' END
            UNION ALL SELECT 1 FROM attempts a LEFT JOIN refunds r ON r.merchant_id = a.merchant_id
                AND r.attempt_id = a.attempt_id AND r.state = 'done'
            WHERE a.state = 'overpaid' AND a.settled_at < $1::timestamptz - interval '4 days'
                AND r.refund_id IS NULL
            UNION ALL SELECT 1 FROM refunds WHERE state IN ('initiated', 'sent', 'unknown')
                AND created_at < $1::timestamptz - interval '6 days'
        ) AS late
    """,
    Note.UNSEALED: UNSEALED,
    Note.CHAIN_RESTORED: RESTORED,
}

PATIENCE: Mapping[Note, timedelta] = {Note.UNSEALED: SEALED_WITHIN}
"""How long after its time a thing is overdue, where that is not SLACK."""

_FIGURES: Mapping[str, str] = {
    "payments": "SELECT count(*) FROM payments",
    "payments_paid": "SELECT count(*) FROM payments WHERE state IN ('paid', 'captured')",
    "attempts": "SELECT count(*) FROM attempts",
    "postings": "SELECT count(*) FROM ledger_postings",
    "posted_paise": "SELECT coalesce(sum(amount_paise), 0) FROM ledger_postings",
    "owed_back_paise": """
        SELECT coalesce(sum(CASE 'owed_back' WHEN credit THEN amount_paise
            WHEN debit THEN -amount_paise END), 0)
        FROM ledger_postings
    """,
    "refunds": "SELECT count(*) FROM refunds",
    "disputes": "SELECT count(*) FROM dispute_stages",
    "events": "SELECT count(*) FROM payment_events",
    "payouts": "SELECT count(*) FROM payouts",
    "deliveries": "SELECT count(*) FROM deliveries",
    "deliveries_delivered": "SELECT count(*) FROM deliveries WHERE state = 'delivered'",
    "settlements": "SELECT count(*) FROM settlements",
    "settled_paise": "SELECT coalesce(sum(amount_paise), 0) FROM settlement_shares",
    "archived": "SELECT count(*) FROM archived_payments",
}


async def begin(conn: Connection, *, whole: bool = False) -> None:
    """Make the transaction one unchanging snapshot of the books; must be its first statement.

    whole: for queries that read the archive as well.
    """
    await conn.execute(_SNAPSHOT)
    await conn.execute(_ARCHIVE_ROOM if whole else _ROOM)


async def check(
    conn: Connection,
    violation: Violation,
    query: str,
    now: datetime,
    *,
    whole: bool = False,
    since: Changes | None = None,
    is_part: bool = False,
) -> CheckResult:
    """Look for violations of one promise.

    whole: in the archive as well. since: only in what changed, where the check can. is_part: other
    audits check what changed before.
    """
    query = _SAMPLED.format(query)
    values: tuple[object, ...] = (now,) if "$1" in query else ()
    scope = SCOPES.get(violation) or (None if is_part else OTHERS.get(violation))
    if whole:
        query = archive.whole(query)
    elif since is not None and scope is not None:
        query, values = narrowed_to(scope, query), since.values(now)
    try:
        async with conn.transaction():
            rows = await conn.fetch(query, *values, timeout=STATEMENT_S_MAX)
    except (DataError, FeatureNotSupportedError) as error:
        # A row that our code never writes, such as one with an infinite date, must not hide other
        # violations.
        return CheckResult(violation, 1, (Sample("a row that cannot be read", str(error)),))
    samples = tuple(Sample(row["subject"], row["found"]) for row in rows)
    return CheckResult(violation, rows[0]["violations"] if rows else 0, samples)


async def notes(
    conn: Connection, now: datetime, *, whole: bool = False, since: Changes | None = None
) -> dict[Note, int]:
    """Return the counts of all notes that are not 0. since: from a day on, where less will do."""
    counts: dict[Note, int] = {}
    for note, query in _NOTES.items():
        at = now - PATIENCE.get(note, SLACK)
        counts[note] = await _counted(
            conn, query, at, whole=whole, since=since, scope=NOTES.get(note)
        )
    counts[Note.COUNTER_BEHIND] = (await read_counter(conn)).behind
    return {note: count for note, count in counts.items() if count}


async def figures(
    conn: Connection, now: datetime, *, whole: bool = False, since: Changes | None = None
) -> dict[str, int]:
    """Return how many rows of each kind were checked. since: of those that changed."""
    names = _FIGURES if since is None else FIGURES
    return {
        name: await _counted(
            conn, _FIGURES[name], now, whole=whole, since=since, scope=FIGURES.get(name)
        )
        for name in names
    }


async def _counted(
    conn: Connection,
    query: str,
    now: datetime,
    *,
    whole: bool,
    since: Changes | None,
    scope: Mapping[str, str] | None,
) -> int:
    """Return the number that a query counts; of what changed, where it has a scope."""
    values: tuple[object, ...] = (now,) if "$1" in query else ()
    if whole:
        query = archive.whole(query)
    elif since is not None and scope:
        query, values = narrowed_to(scope, query), since.values(now)
    return int(await conn.fetchval(query, *values, timeout=STATEMENT_S_MAX) or 0)
