"""All SQL that compares our books, archive included, with an acquirer's."""

from collections.abc import AsyncIterator

from hundi.infra.postgres.database import Connection
from hundi.kernel.states import AttemptState
from hundi.money.audit.archive.store import whole
from hundi.money.audit.bank.rules import BankTotal, OurAttempt

STATEMENT_S_MAX = 600
_ROWS_AT_ONCE = 5_000

# The bank knows these by their UTR or receipt.
_PAID_THERE = "'virtual_account', 'rtgs_account', 'remittance', 'cash_voucher'"
_AT_BANK = (
    f"CASE WHEN a.method IN ({_PAID_THERE}) AND a.rrn <> '' THEN a.rrn ELSE"
    " a.merchant_id||'-'||a.attempt_id END"
)
_OURS = f"""
    SELECT {_AT_BANK} AS reference, state, received_paise, expires_at, settled_at, inquire_at,
        currency,
        CASE WHEN currency = 'INR' THEN 0 ELSE settled_paise END AS settled_paise, rrn
    FROM attempts a WHERE connector = $1
"""

_CONNECTORS = "SELECT DISTINCT connector FROM attempts ORDER BY connector"
_OUR_REFUNDS = f"""
    SELECT {_AT_BANK} AS reference,
        coalesce(sum(r.amount_paise) FILTER (WHERE r.state = 'done'), 0)::bigint AS paise,
        max(coalesce(r.due_at, r.settled_at, r.created_at)) AS at, min(r.currency) AS currency,
        coalesce(sum(r.settled_paise) FILTER (WHERE r.state = 'done' AND r.currency <> 'INR'),
        0)::bigint AS settled, coalesce(array_agg(r.rrn) FILTER (WHERE r.state = 'done'),
            '{{}}') AS rrns
    FROM refunds r JOIN attempts a USING (merchant_id, attempt_id)
    WHERE r.connector = $1 GROUP BY a.merchant_id, a.attempt_id, a.method, a.rrn
"""

_OUR_PAYOUTS = """
    SELECT merchant_id || '-P' || payout_id AS reference, amount_paise AS paise,
        coalesce(due_at, late_at, settled_at, sent_at) AS at,
        CASE late_utr WHEN '' THEN utr ELSE late_utr END AS utr
    FROM payouts WHERE CASE sent_by WHEN '' THEN connector ELSE sent_by END = $1
        AND state IN ('done', 'paid_late', 'paid_twice')
"""

_OUR_DISPUTES = f"""
    SELECT {_AT_BANK} AS reference, sum(s.taken_paise)::bigint AS paise,
        max(coalesce(s.settled_at, s.opened_at)) AS at, min(s.currency) AS currency,
        coalesce(sum(s.taken_settled_paise) FILTER (WHERE s.currency <> 'INR'),
        0)::bigint AS settled, coalesce(array_agg(s.rrn) FILTER (WHERE s.taken_paise > 0),
            '{{}}') AS rrns
    FROM dispute_stages s JOIN attempts a USING (merchant_id, attempt_id)
    WHERE s.connector = $1 GROUP BY a.merchant_id, a.attempt_id, a.method, a.rrn
"""
_OUR_ENDINGS = """
    SELECT a.merchant_id || '-' || a.attempt_id AS reference,
        CASE p.state WHEN 'captured' THEN p.captured_paise ELSE p.amount_paise END AS paise,
        coalesce(max(c.settled_at), a.created_at) AS at,
        coalesce(array_agg(c.rrn) FILTER (WHERE c.state = 'done'), '{}') AS rrns
    FROM payments p JOIN attempts a USING (merchant_id, payment_id)
        LEFT JOIN completions c USING (merchant_id, payment_id)
    WHERE a.connector = $1 AND a.state = 'authorised' AND p.state = $2
    GROUP BY a.merchant_id, a.attempt_id, p.state, p.captured_paise, p.amount_paise, a.created_at
"""


async def connectors(conn: Connection) -> list[str]:
    """Return the names of the acquirers that have attempts."""
    return [
        row["connector"] for row in await conn.fetch(whole(_CONNECTORS), timeout=STATEMENT_S_MAX)
    ]


async def refunded_by(conn: Connection, connector: str) -> dict[str, BankTotal]:
    """Return what our books count as refunded of each attempt of one connector."""
    rows = await conn.fetch(whole(_OUR_REFUNDS), connector, timeout=STATEMENT_S_MAX)
    return {row["reference"]: BankTotal(*row[1:5], rrns=set(row["rrns"])) for row in rows}


async def paid_out_by(conn: Connection, connector: str) -> dict[str, BankTotal]:
    """Return what our books count as paid out through one connector."""
    rows = await conn.fetch(_OUR_PAYOUTS, connector, timeout=STATEMENT_S_MAX)
    return {row["reference"]: BankTotal(row["paise"], row["at"], rrns={row["utr"]}) for row in rows}


async def taken_by(conn: Connection, connector: str) -> dict[str, BankTotal]:
    """Return what our books count as taken for disputes of each attempt of one connector."""
    rows = await conn.fetch(whole(_OUR_DISPUTES), connector, timeout=STATEMENT_S_MAX)
    return {row["reference"]: BankTotal(*row[1:5], rrns=set(row["rrns"])) for row in rows}


async def ended_by(conn: Connection, connector: str, state: str) -> dict[str, BankTotal]:
    """Return what our books count as captured or voided of each authorisation of one connector."""
    rows = await conn.fetch(whole(_OUR_ENDINGS), connector, state, timeout=STATEMENT_S_MAX)
    return {
        row["reference"]: BankTotal(row["paise"], row["at"], rrns=set(row["rrns"])) for row in rows
    }


async def attempts_of(conn: Connection, connector: str) -> AsyncIterator[list[OurAttempt]]:
    """Yield every attempt of one connector, in batches of some thousand."""
    cursor = await conn.cursor(whole(_OURS), connector, timeout=STATEMENT_S_MAX)
    while rows := await cursor.fetch(_ROWS_AT_ONCE, timeout=STATEMENT_S_MAX):
        yield [OurAttempt(row["reference"], AttemptState(row["state"]), *row[2:]) for row in rows]
