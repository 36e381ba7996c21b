"""All SQL of monitoring: how long work has been due, and what waits for people."""

from dataclasses import dataclass
from datetime import datetime

from hundi.infra.postgres.database import Database, Rows
from hundi.infra.postgres.looks import look

SELECT_OVERDUE_S = """
SELECT work, greatest(extract(epoch FROM $1 - oldest)::float8, 0) AS seconds FROM (
    SELECT 'inquiries' AS work, min(inquire_at) AS oldest FROM attempts WHERE inquire_at IS NOT NULL
    UNION ALL SELECT 'refunds', min(due_at) FROM refunds WHERE due_at IS NOT NULL
    UNION ALL SELECT 'payouts', min(due_at) FROM payouts WHERE due_at IS NOT NULL
    UNION ALL SELECT 'direct shares', min(due_at) FROM direct_shares WHERE due_at IS NOT NULL
    UNION ALL SELECT 'completions', min(due_at) FROM completions WHERE due_at IS NOT NULL
    UNION ALL SELECT 'subscriptions', min(due_at) FROM subscriptions WHERE due_at IS NOT NULL
    UNION ALL SELECT 'subscription_debits', min(due_at) FROM subscription_debits
        WHERE due_at IS NOT NULL
    UNION ALL SELECT 'disputes', min(due_at) FROM dispute_stages WHERE due_at IS NOT NULL
    UNION ALL SELECT 'payment_links', min(due_at) FROM payment_link_orders WHERE due_at IS NOT NULL
    UNION ALL SELECT 'payment_link_reminders', min(due_at) FROM payment_link_reminders
        WHERE due_at IS NOT NULL
    UNION ALL SELECT 'bank account checks', min(due_at) FROM bank_accounts WHERE due_at IS NOT NULL
    UNION ALL SELECT 'deliveries', min(d.due_at) FROM deliveries d
        WHERE d.state IN ('waiting', 'sending')
        AND NOT EXISTS (SELECT FROM failing_endpoints f WHERE f.merchant_id = d.merchant_id)
        AND NOT EXISTS (SELECT FROM deliveries t WHERE t.merchant_id = d.merchant_id
            AND t.state = 'waiting' AND t.tries > t.tries_before AND t.due_at > $1)
    UNION ALL SELECT 'endpoint deliveries', min(greatest(d.due_at, e.probe_at))
        FROM endpoint_deliveries d JOIN webhook_endpoints e
            ON e.merchant_id = d.merchant_id AND e.endpoint_no = d.endpoint_no
        WHERE d.state IN ('waiting', 'sending') AND e.state = 'enabled'
        AND NOT EXISTS (SELECT FROM endpoint_deliveries t WHERE t.merchant_id = d.merchant_id
            AND t.endpoint_no = d.endpoint_no AND t.state = 'waiting'
            AND t.tries > t.tries_before AND t.due_at > $1)
    UNION ALL SELECT 'reports', min(due_at) FROM report_files WHERE due_at IS NOT NULL
    UNION ALL SELECT 'report schedules', min(due_at) FROM report_schedules WHERE due_at IS NOT NULL
    UNION ALL SELECT 'letters', min(due_at) FROM letters WHERE state = 'waiting'
    UNION ALL SELECT 'turn-around times', min(coalesce(charged_at, created_at)) + interval '4 days'
        FROM attempts
        WHERE inquire_at IS NOT NULL AND state IN ('sent', 'authorising', 'pending')
    UNION ALL SELECT 'probes of failing endpoints', min(probe_at) FROM failing_endpoints
) AS kinds
"""
"""Across merchants; 0 if nothing is due. Turn-around times count from a day before they end.

Deliveries to a failing endpoint wait for its probe. Those of a merchant, or of a further endpoint,
of which one failed and waits for its next try are behind the merchant's own server.
"""
COUNT_UNANSWERED = """
SELECT connector, count(*) AS attempts FROM attempts
WHERE inquire_at IS NOT NULL AND state IN ('sent', 'authorising', 'pending')
    AND coalesce(charged_at, created_at) < $1::timestamptz - interval '30 minutes'
GROUP BY connector
"""
"""Across merchants: attempts that an acquirer has and says nothing about, by acquirer."""
COUNT_RETURNED = "SELECT count(*) AS shares FROM shares_to_pay WHERE account_no > 0"
"""Across merchants: shares whose payout came to nothing, and that wait for another account."""
COUNT_ODD_PAYOUTS = """
SELECT state::text AS state, count(*) AS payouts FROM payouts p
WHERE state IN ('awaiting_balance', 'awaiting_provider', 'paid_twice')
    AND NOT EXISTS (SELECT FROM settlement_items i
        WHERE i.merchant_id = p.merchant_id AND i.cause_id = p.payout_id
            AND i.kind = 'payout_recovered' AND i.settlement_id IS NOT NULL)
GROUP BY 1
"""
"""Across merchants: payouts that wait for a balance or a provider, and those that paid twice.

What a settlement took off is recovered.
"""
COUNT_LETTERS_LATE = """
SELECT count(*) AS letters FROM letters
WHERE state = 'waiting' AND created_at < $1::timestamptz - interval '30 minutes'
    AND (due_at <= $1 OR tries > 0 AND kind <> 'link_reminder')
"""
"""Across merchants: letters to people that no relay took in half an hour.

A reminder that is due later waits for the end of the quiet hours, as it should.
"""
COUNT_REVERSALS_OWED = """
SELECT count(*) AS reversals FROM share_reversals
WHERE state NOT IN ('done', 'cancelled') AND created_at < $1::timestamptz - interval '7 days'
"""
"""Across merchants: parts of direct shares that an acquirer has not taken back for a week."""
COUNT_SHARES_UNANSWERED = """
SELECT count(*) AS shares FROM direct_shares
WHERE state IN ('sent', 'unknown') AND sent_at < $1::timestamptz - interval '2 days'
"""
"""Across merchants: direct shares that an acquirer has had for two days and says nothing about."""
SELECT_BALANCES = """
SELECT connector, left_paise, extract(epoch FROM read_at)::float8 AS read_s FROM payout_balances
ORDER BY connector
"""
COUNT_DISPUTES_DUE = """
SELECT connector, count(*) AS stages FROM dispute_stages
WHERE due_at IS NOT NULL AND state = 'open' AND respond_by > $1
    AND respond_by < $1::timestamptz + interval '2 days'
GROUP BY connector
"""
"""Across merchants: open disputes that nobody may answer any more in two days, by acquirer."""
# A position in the log as a number of bytes, so that two can be compared here.
WRITTEN_BYTES = "SELECT (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint"
REPLAYED_BYTES = "SELECT coalesce(pg_last_wal_replay_lsn() - '0/0'::pg_lsn, 0)::bigint"
SELECT_STANDBYS = """
WITH senders AS (
    SELECT pid, coalesce(nullif(application_name, ''), 'walreceiver')::text AS name
    FROM pg_stat_replication
    WHERE coalesce(application_name, '') NOT IN ('pg_basebackup', 'pg_receivewal')
)
SELECT slot_name::text AS standby, active AS follows,
    greatest(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
        ELSE pg_current_wal_flush_lsn() END - restart_lsn, 0)::bigint AS kept_bytes
FROM pg_replication_slots WHERE slot_type = 'physical' AND NOT temporary
UNION ALL
SELECT DISTINCT name, true, 0 FROM senders
WHERE NOT EXISTS (SELECT FROM pg_replication_slots WHERE active_pid = senders.pid)
"""
"""Each standby that has a slot or is connected. A role needs no right to see this much."""
COUNT_SYNCHRONOUS = """
SELECT (SELECT count(*) FROM pg_stat_replication
    WHERE coalesce(application_name, '') NOT IN ('pg_basebackup', 'pg_receivewal')
    AND (names LIKE '%*%' OR position(lower(application_name) IN lower(names)) > 0)) AS standbys
FROM current_setting('synchronous_standby_names') AS names WHERE names <> ''
"""
"""How many are connected of the standbys that commits wait for; no row where they wait for none."""


@dataclass(frozen=True, slots=True)
class StandbyState:
    """A standby by its slot's name, or by its own. kept_bytes: of the log that it lacks."""

    name: str
    follows: bool
    kept_bytes: int


async def select_standbys(db: Rows) -> list[StandbyState]:
    """Return each standby that the server knows."""
    rows = await db.fetch(SELECT_STANDBYS)
    return [StandbyState(row["standby"], row["follows"], row["kept_bytes"] or 0) for row in rows]


async def count_synchronous(db: Rows) -> int | None:
    """Return how many standbys are there of those that commits wait for; None without any."""
    rows = await db.fetch(COUNT_SYNCHRONOUS)
    return rows[0]["standbys"] if rows else None


async def select_overdue_s(db: Database, now: datetime) -> list[tuple[str, float]]:
    """Return each kind of background work, and how many seconds its oldest item has been due."""
    return [(row["work"], row["seconds"] or 0.0) for row in await look(db, SELECT_OVERDUE_S, now)]


async def count_unanswered(db: Database, now: datetime) -> list[tuple[str, float]]:
    """Return each acquirer with attempts that it should have answered, and their number."""
    rows = await look(db, COUNT_UNANSWERED, now)
    return [(row["connector"], float(row["attempts"])) for row in rows]


async def count_returned(db: Database) -> float:
    """Return how many payouts came to nothing and wait for another account."""
    (row,) = await look(db, COUNT_RETURNED)
    return float(row["shares"])


async def count_letters_late(db: Database, now: datetime) -> float:
    """Return how many letters have waited for half an hour."""
    (row,) = await look(db, COUNT_LETTERS_LATE, now)
    return float(row["letters"])


async def count_reversals_owed(db: Database, now: datetime) -> float:
    """Return how many parts of direct shares have been owed for a week."""
    (row,) = await look(db, COUNT_REVERSALS_OWED, now)
    return float(row["reversals"])


async def count_shares_unanswered(db: Database, now: datetime) -> float:
    """Return how many direct shares have been without an answer for two days."""
    (row,) = await look(db, COUNT_SHARES_UNANSWERED, now)
    return float(row["shares"])


async def count_odd_payouts(db: Database) -> dict[str, float]:
    """Return by state how many payouts wait, and how many paid twice and are not recovered."""
    rows = await look(db, COUNT_ODD_PAYOUTS)
    return {row["state"]: float(row["payouts"]) for row in rows}


async def select_balances(db: Database) -> list[tuple[str, float, float]]:
    """Return each provider, the paise left of its balance, and when it told that (epoch)."""
    return [tuple(row) for row in await db.fetch(SELECT_BALANCES)]


async def count_disputes_due(db: Database, now: datetime) -> list[tuple[str, float]]:
    """Return each acquirer with disputes that must be answered soon, and their number."""
    rows = await look(db, COUNT_DISPUTES_DUE, now)
    return [(row["connector"], float(row["stages"])) for row in rows]


async def written_bytes(primary: Database) -> int:
    """Return how far the primary's log is on its disk."""
    return await primary.fetchval(WRITTEN_BYTES)


async def replayed_bytes(replica: Database) -> int:
    """Return how far a replica has replayed the log; 0 for a server that follows none."""
    return await replica.fetchval(REPLAYED_BYTES)
