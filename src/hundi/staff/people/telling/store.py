"""All SQL about who is told what: their places, their choices, and the news across merchants."""

from collections.abc import Sequence
from datetime import datetime

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.kernel.clock import for_people
from hundi.kernel.money import Money, shown
from hundi.letters.rules import LetterKind
from hundi.staff.people.rules import Role
from hundi.staff.people.telling.rules import NewsReader, NewsTimes, StaffNews

SELECT_READERS = "SELECT person_id, email, role FROM people_to_tell($1)"
SELECT_SILENT = """
SELECT person_id FROM letter_choices
WHERE person_id = ANY ($1::bigint[]) AND kind = $2 AND channel = 'mail' AND NOT wanted
"""
SELECT_CHOICES = "SELECT kind FROM letter_choices WHERE person_id = $1 AND NOT wanted"
CHOOSE = """
INSERT INTO letter_choices (person_id, kind, channel, wanted) VALUES ($1, $2, 'mail', $3)
ON CONFLICT (person_id, kind, channel) DO UPDATE SET wanted = excluded.wanted
"""
SELECT_NAME = "SELECT name FROM merchants WHERE merchant_id = $1"
_NOT_TOLD = """NOT EXISTS (SELECT FROM letters l WHERE l.merchant_id = s.merchant_id
    AND l.cause = {} || {})"""
_FAILURE = """CASE WHEN s.endpoint_no > 0 THEN s.endpoint_no || '-' ELSE '' END
    || floor(extract(epoch FROM s.since))::bigint"""
SELECT_DISPUTES_DUE = f"""
SELECT s.merchant_id, s.stage_id, s.dispute_id, s.amount_paise, s.currency, s.respond_by,
    p.order_id, m.name
FROM dispute_stages s JOIN merchants m ON m.merchant_id = s.merchant_id
    LEFT JOIN payments p ON p.merchant_id = s.merchant_id AND p.payment_id = s.payment_id
WHERE s.due_at IS NOT NULL AND s.state = 'open' AND s.respond_by > $1 AND s.respond_by < $2
    AND {_NOT_TOLD.format("'dispute:'", "s.stage_id::text")} ORDER BY s.respond_by LIMIT $3
"""
SELECT_COMPLAINTS = f"""
SELECT s.merchant_id, s.complaint_id, s.payment_id, s.answer_by, m.name
FROM complaints s JOIN merchants m ON m.merchant_id = s.merchant_id
WHERE s.state = 'open' AND s.answer_by > $1
    AND {_NOT_TOLD.format("'complained:'", "s.complaint_id::text")}
ORDER BY s.answer_by DESC LIMIT $2
"""
SELECT_PAYOUTS_RETURNED = f"""
SELECT s.merchant_id, s.payout_id, s.amount_paise, s.bank_message, m.name
FROM payouts s JOIN merchants m ON m.merchant_id = s.merchant_id
WHERE s.state IN ('returned', 'reversed') AND s.settled_at > $1
    AND {_NOT_TOLD.format("'payout:'", "s.payout_id::text")} ORDER BY s.settled_at DESC LIMIT $2
"""
SELECT_FAILING = f"""
SELECT s.merchant_id, s.endpoint_no, s.since, s.problem, m.name
FROM (
    SELECT merchant_id, 0 AS endpoint_no, since, problem FROM failing_endpoints
    UNION ALL SELECT merchant_id, endpoint_no, failing_since, problem FROM webhook_endpoints
    WHERE state = 'enabled' AND failing_since IS NOT NULL
) s JOIN merchants m ON m.merchant_id = s.merchant_id
WHERE s.since < $1 AND {_NOT_TOLD.format("'endpoint:'", _FAILURE)} ORDER BY s.since DESC LIMIT $2
"""


async def readers(source: Queries, place: int) -> list[NewsReader]:
    """Return everybody who works at a place."""
    rows = await source.fetch(SELECT_READERS, place)
    return [NewsReader(row["person_id"], row["email"], Role(row["role"])) for row in rows]


async def silent(source: Queries, person_ids: Sequence[int], kind: LetterKind) -> set[int]:
    """Return who of these people turned a kind off."""
    rows = await source.fetch(SELECT_SILENT, list(person_ids), kind)
    return {row["person_id"] for row in rows}


async def turned_off(source: Queries, person_id: int) -> set[str]:
    """Return the kinds that a person turned off."""
    return {row["kind"] for row in await source.fetch(SELECT_CHOICES, person_id)}


async def choose(conn: Connection, person_id: int, kind: LetterKind, *, wanted: bool) -> None:
    """Write whether a person wants letters of a kind."""
    await conn.execute(CHOOSE, person_id, kind, wanted)


async def name_of(source: Queries, merchant_id: int) -> str:
    """Return a merchant's name; the operator's place has none of its own."""
    return await source.fetchval(SELECT_NAME, merchant_id) or "Hundi"


async def news(db: Database, times: NewsTimes, limit: int) -> list[StaffNews]:
    """Return what happened across merchants and was told to nobody yet."""
    disputes = await look(db, SELECT_DISPUTES_DUE, times.now, times.dispute_before, limit)
    complaints = await look(db, SELECT_COMPLAINTS, times.now, limit)
    payouts = await look(db, SELECT_PAYOUTS_RETURNED, times.payout_after, limit)
    failing = await look(db, SELECT_FAILING, times.failing_since, limit)
    return [
        *(
            StaffNews(
                row["merchant_id"],
                LetterKind.DISPUTE_DUE,
                f"dispute:{row['stage_id']}",
                {
                    "merchant": row["name"],
                    "amount": shown(Money(row["amount_paise"], row["currency"])),
                    "order": row["order_id"] or "",
                    "until": for_people(row["respond_by"]),
                    "path": f"/console/{row['merchant_id']}/disputes/{row['dispute_id']}",
                },
            )
            for row in disputes
        ),
        *(
            StaffNews(
                row["merchant_id"],
                LetterKind.COMPLAINT_WAITING,
                f"complained:{row['complaint_id']}",
                {
                    "merchant": row["name"],
                    "payment": str(row["payment_id"]),
                    "until": for_people(row["answer_by"]),
                    "path": f"/console/{row['merchant_id']}/complaints/{row['complaint_id']}",
                },
            )
            for row in complaints
        ),
        *(
            StaffNews(
                row["merchant_id"],
                LetterKind.PAYOUT_RETURNED,
                f"payout:{row['payout_id']}",
                {
                    "merchant": row["name"],
                    "amount": shown(Money(row["amount_paise"])),
                    "reason": row["bank_message"] or "the bank gave no reason",
                    "path": f"/console/{row['merchant_id']}/payouts",
                },
            )
            for row in payouts
        ),
        *(
            StaffNews(
                row["merchant_id"],
                LetterKind.NOTIFICATIONS_FAILING,
                f"endpoint:{_failure(row['endpoint_no'], row['since'])}",
                {
                    "merchant": row["name"],
                    "since": for_people(row["since"]),
                    "problem": row["problem"],
                    "path": f"/console/{row['merchant_id']}/"
                    + (
                        f"integration/endpoints/{row['endpoint_no']}"
                        if row["endpoint_no"]
                        else "deliveries"
                    ),
                },
            )
            for row in failing
        ),
    ]


def _failure(endpoint_no: int, since: datetime) -> str:
    """Return the name of one failure of an address, as _FAILURE has it."""
    seconds = int(since.timestamp())
    return f"{endpoint_no}-{seconds}" if endpoint_no else f"{seconds}"
