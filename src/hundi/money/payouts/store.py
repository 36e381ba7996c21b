"""All SQL of payouts: the shares to pay out, and each try."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from asyncpg import Record

from hundi.infra.background.due_rows import Due, DueQuery
from hundi.infra.postgres.columns import Field, Table
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.kernel.names import person_key
from hundi.money.payouts.rails.rules import PayoutChannel, Rail
from hundi.money.payouts.rules import (
    CAME_TO_NOTHING,
    NOTE_LENGTH_MAX,
    STANDS_NOT,
    TO_SEND,
    WAITING,
    PayoutChange,
    PayoutState,
    PayoutTry,
)

PAYOUT = Table(
    PayoutTry, {"state": Field(PayoutState), "channel": Field(PayoutChannel), "rail": Field(Rail)}
)
_CHANGED = PAYOUT.only(
    "state",
    "channel",
    "rail",
    "maker",
    "checker",
    "batch_id",
    "utr",
    "bank_code",
    "bank_message",
    "sent_at",
    "settled_at",
    "due_at",
    "inquiries",
    "sent_by",
    "sent_rail",
    "late_utr",
    "late_at",
    "wait_reason",
)


def _listed(states: Collection[PayoutState]) -> str:
    return str(tuple(map(str, sorted(states))))


_STANDS_NOT = _listed(STANDS_NOT)
"""The states beside which another payout of the share may stand."""
_PAYS = f"""(o.state NOT IN {_STANDS_NOT}
    OR o.state = 'paid_twice' AND o.source <> 'settlement_due')"""
"""Whether a payout pays its share, or may.

What a merchant was paid twice is taken off its next settlement, so it pays no share. Nothing is
taken off a linked account: it has the money.
"""

INSERT = (
    f"INSERT INTO payouts ({PAYOUT.listed()}) VALUES ({PAYOUT.numbered(1)}) ON CONFLICT DO NOTHING"
    " RETURNING 1"
)
UPDATE = f"""
UPDATE payouts SET revision = revision + $5, {_CHANGED.assigned(6)}
WHERE merchant_id = $1 AND payout_id = $2 AND state = $3 AND revision = $4
RETURNING revision
"""
INSERT_EVENT = """
INSERT INTO payout_events (merchant_id, payout_id, event_no, at, state, actor, note)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
"""
INSERT_POSTING = """
INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""
INSERT_APPROVAL = """
INSERT INTO payout_approvals (merchant_id, payout_id, person_key, person, amount_paise, account_no,
    at)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING 1
"""
SELECT_ONE = f"SELECT {PAYOUT.listed()} FROM payouts WHERE merchant_id = $1 AND payout_id = $2"
LOCK = f"{SELECT_ONE} FOR UPDATE"
SELECT_OF_MERCHANT = f"""
SELECT {PAYOUT.listed()} FROM payouts WHERE merchant_id = $1 AND (state = ANY ($2::text[])
    OR cardinality($2) = 0)
ORDER BY created_at, payout_id LIMIT $3
"""
SELECT_ALL = f"""
SELECT {PAYOUT.listed()} FROM payouts WHERE state = ANY ($1::text[]) OR cardinality($1) = 0
ORDER BY created_at DESC, merchant_id, payout_id LIMIT $2
"""
"""Across merchants: the operator's list of payouts."""
SELECT_WAITING = f"""
SELECT {PAYOUT.listed()} FROM payouts
WHERE merchant_id = $1 AND beneficiary = $2
    AND state IN {_listed(WAITING)} FOR UPDATE
"""
LOCK_OTHERS = f"""
SELECT {PAYOUT.listed()} FROM payouts
WHERE merchant_id = $1 AND share_id = $2 AND payout_id <> $3 AND state NOT IN {_STANDS_NOT}
ORDER BY try_no FOR UPDATE
"""
"""The other payouts of a share that stand: at most one."""
SELECT_PAGE = """
SELECT p.payout_id, s.settlement_id, p.beneficiary, p.amount_paise, p.state,
    coalesce(nullif(p.sent_rail, ''), p.rail) AS rail, a.last4,
    coalesce(nullif(p.late_utr, ''), p.utr) AS utr, p.bank_message, p.created_at, p.sent_at,
    coalesce(p.late_at, p.settled_at) AS settled_at
FROM payouts p JOIN settlement_shares s ON s.merchant_id = $1 AND s.share_id = p.share_id
    JOIN bank_accounts a ON a.merchant_id = $1 AND a.beneficiary = p.beneficiary
        AND a.account_no = p.account_no
WHERE p.merchant_id = $1 AND ($2::bigint = 0 OR p.payout_id < $2)
    AND (p.state = ANY ($3::text[]) OR cardinality($3) = 0)
ORDER BY p.payout_id DESC LIMIT $4
"""
SELECT_EVENTS = """
SELECT event_no, at, state, actor, note FROM payout_events
WHERE merchant_id = $1 AND payout_id = $2 ORDER BY event_no
"""
_PEER = """CASE WHEN sent_at IS NULL THEN '' WHEN sent_by = '' THEN connector ELSE sent_by END"""
SELECT_DUE = f"""
SELECT merchant_id, payout_id, {_PEER} AS peer, due_at FROM payouts
WHERE due_at <= $1 AND {_PEER} <> ALL ($2::text[]) ORDER BY due_at LIMIT $3
"""
"""Across merchants: the payouts to send or ask about now.

The plan chooses the provider of one that was not sent.
"""
CLAIM = f"""
UPDATE payouts SET due_at = $4, inquiries = inquiries + 1
WHERE merchant_id = $1 AND payout_id = ANY ($2::bigint[]) AND due_at <= $3
RETURNING {PAYOUT.listed()}
"""
"""The guard on due_at lets one of two workers claim a row."""
PUT_BACK = """
UPDATE payouts SET due_at = $4, inquiries = greatest(inquiries - 1, 0)
WHERE merchant_id = $1 AND payout_id = $2 AND due_at = $3
"""
SELECT_TO_PREPARE = """
SELECT o.merchant_id, o.share_id, o.beneficiary, s.amount_paise, a.account_no, g.credit AS source,
    (SELECT count(*) FROM payouts p WHERE p.merchant_id = o.merchant_id
        AND p.share_id = o.share_id)::int AS tries
FROM shares_to_pay o
    JOIN bank_accounts a ON a.merchant_id = o.merchant_id AND a.beneficiary = o.beneficiary
        AND a.replaced_at IS NULL AND a.state = 'verified' AND a.account_no > o.account_no
    JOIN settlement_shares s ON s.merchant_id = o.merchant_id AND s.share_id = o.share_id
        AND s.beneficiary = o.beneficiary
    JOIN ledger_postings g ON g.merchant_id = o.merchant_id AND g.cause_id = o.share_id
        AND g.kind = 'share_due'
ORDER BY s.created_at, o.share_id LIMIT $1
"""
"""Across merchants: shares without a payout, or with a failed one and a changed account."""
IS_OWED = f"""
SELECT NOT EXISTS (SELECT FROM payouts o
    WHERE o.merchant_id = $1 AND o.share_id = $2 AND {_PAYS})
"""
"""Whether no payout pays a share."""
SELECT_NEWEST_ACCOUNT = """
SELECT max(account_no) FROM payouts WHERE merchant_id = $1 AND share_id = $2
"""
INSERT_OPEN = """
INSERT INTO shares_to_pay (merchant_id, share_id, beneficiary, account_no) VALUES ($1, $2, $3, $4)
ON CONFLICT (merchant_id, share_id) DO UPDATE SET account_no = excluded.account_no
"""
"""An earlier payout may come to nothing after a later one to a newer account."""
DELETE_OPEN = "DELETE FROM shares_to_pay WHERE merchant_id = $1 AND share_id = $2"
COUNT_TRIES = "SELECT count(*) FROM payouts WHERE merchant_id = $1 AND share_id = $2"
# The audit's conditions for a payout, checked again in the transaction that sends it. The account's
# row is locked: a change of the account waits, and then holds back unsent payouts.
LOCK_CAUSE = f"""
SELECT a.account_no FROM payouts p
    JOIN settlement_shares s ON s.merchant_id = p.merchant_id AND s.share_id = p.share_id
        AND s.beneficiary = p.beneficiary AND s.amount_paise = p.amount_paise
    JOIN ledger_postings g ON g.merchant_id = p.merchant_id AND g.cause_id = p.share_id
        AND g.kind = 'share_due'
        AND g.debit = 'payable' AND g.credit = p.source AND g.amount_paise = p.amount_paise
            AND g.currency = 'INR'
        AND (p.beneficiary = 'primary') = (g.credit = 'settlement_due')
        AND (g.credit = 'settlement_due' OR g.credit = 'payable_linked'
            OR g.credit LIKE 'payable_linked:%')
    JOIN settlements t ON t.merchant_id = p.merchant_id AND t.settlement_id = s.settlement_id
    JOIN merchants m ON m.merchant_id = p.merchant_id AND m.state = 'active'
    JOIN bank_accounts a ON a.merchant_id = p.merchant_id AND a.beneficiary = p.beneficiary
        AND a.account_no = p.account_no AND a.state = 'verified' AND a.replaced_at IS NULL
WHERE p.merchant_id = $1 AND p.payout_id = $2
    AND p.maker <> '' AND p.checker <> '' AND p.maker <> p.checker
    AND 2 = (SELECT count(DISTINCT o.person_key) FROM payout_approvals o
        WHERE o.merchant_id = $1 AND o.payout_id = p.payout_id AND o.person IN (p.maker, p.checker)
            AND o.amount_paise = p.amount_paise AND o.account_no = p.account_no)
    AND t.net_paise + t.splits_paise = (
        SELECT sum(amount_paise) FROM settlement_shares o
        WHERE o.merchant_id = $1 AND o.settlement_id = t.settlement_id)
    AND (t.gross_paise - t.refunds_paise + t.other_paise, t.fee_paise, t.tax_paise) = (
        SELECT coalesce(sum(gross_paise), 0)::bigint, coalesce(sum(fee_paise), 0)::bigint,
            coalesce(sum(tax_paise), 0)::bigint
        FROM settlement_items i WHERE i.merchant_id = $1 AND i.settlement_id = t.settlement_id)
    AND NOT EXISTS (SELECT FROM payouts o WHERE o.merchant_id = $1 AND o.share_id = p.share_id
        AND o.payout_id <> p.payout_id AND {_PAYS})
    AND NOT EXISTS (SELECT FROM ledger_postings o
        WHERE o.merchant_id = $1 AND o.cause_id = p.payout_id AND o.kind <> 'payout_sent')
    AND (p.state IN {_listed(TO_SEND)}) <> EXISTS (SELECT FROM ledger_postings o
        WHERE o.merchant_id = $1 AND o.cause_id = p.payout_id AND o.kind = 'payout_sent')
FOR SHARE OF a
"""
HASTEN = "SELECT hasten_payout($1, $2, $3, $4, $5)"


@dataclass(frozen=True, slots=True)
class ToPrepare:
    """A share to be paid out. tries: its failed payouts."""

    merchant_id: int
    share_id: int
    beneficiary: str
    amount_paise: int
    account_no: int
    source: str
    tries: int


async def insert(conn: Connection, new: PayoutTry, actor: str, note: str = "") -> bool:
    """Write a new payout with its first event; return False if its share has a standing payout."""
    if await conn.fetchval(INSERT, *PAYOUT.values(new)) is None:
        return False
    await conn.execute(DELETE_OPEN, new.merchant_id, new.share_id)
    await conn.execute(
        INSERT_EVENT,
        new.merchant_id,
        new.payout_id,
        new.revision,
        new.created_at,
        new.state,
        actor,
        note,
    )
    return True


async def write(conn: Connection, before: PayoutTry, change: PayoutChange, now: datetime) -> bool:
    """Write a payout's change, and its event if the state changed.

    First writes the approval of the person who released it. Returns False if the payout is not as
    it was when decided, or the same person has approved it already.
    """
    after = change.after
    for person in sorted({after.maker, after.checker} - {before.maker, before.checker}):
        covered = (after.amount_paise, after.account_no, now)
        key = (before.merchant_id, before.payout_id, person_key(person))
        if await conn.fetchval(INSERT_APPROVAL, *key, person, *covered) is None:
            return False
    is_event = after.state is not before.state
    guard = (before.merchant_id, before.payout_id, before.state, before.revision, int(is_event))
    revision = await conn.fetchval(UPDATE, *guard, *_CHANGED.values(after))
    if revision is None:
        return False
    if is_event:
        event = (revision, now, after.state, change.actor, change.note[:NOTE_LENGTH_MAX])
        await conn.execute(INSERT_EVENT, before.merchant_id, before.payout_id, *event)
        share = (before.merchant_id, before.share_id)
        if after.state in CAME_TO_NOTHING and await is_owed(conn, *share):
            newest = await conn.fetchval(SELECT_NEWEST_ACCOUNT, *share)
            await conn.execute(INSERT_OPEN, *share, before.beneficiary, newest)
    for each in change.postings:
        amount = (each.amount.paise, each.amount.currency, each.at)
        await conn.execute(
            INSERT_POSTING,
            each.merchant_id,
            each.cause_id,
            each.kind,
            each.debit,
            each.credit,
            *amount,
        )
    return True


async def is_owed(db: Queries, merchant_id: int, share_id: int) -> bool:
    """Return whether no payout pays a share."""
    return bool(await db.fetchval(IS_OWED, merchant_id, share_id))


async def share_is_paid(conn: Connection, payout: PayoutTry) -> None:
    """Owe a share no more that a payout paid late."""
    await conn.execute(DELETE_OPEN, payout.merchant_id, payout.share_id)


async def select(db: Queries, merchant_id: int, payout_id: int) -> PayoutTry | None:
    """Return one payout."""
    row = await db.fetchrow(SELECT_ONE, merchant_id, payout_id)
    return PAYOUT.read(row) if row else None


async def lock(conn: Connection, merchant_id: int, payout_id: int) -> PayoutTry | None:
    """Return one payout, locked until the caller's transaction ends."""
    row = await conn.fetchrow(LOCK, merchant_id, payout_id)
    return PAYOUT.read(row) if row else None


async def listed(
    db: Queries, merchant_id: int | None, states: Collection[str], limit: int
) -> list[PayoutTry]:
    """Return payouts of one merchant or of all that can be reached. states: empty for all."""
    if merchant_id is None:
        return [PAYOUT.read(row) for row in await look(db, SELECT_ALL, list(states), limit)]
    return [
        PAYOUT.read(row)
        for row in await db.fetch(SELECT_OF_MERCHANT, merchant_id, list(states), limit)
    ]


async def page_of(
    db: Queries, merchant_id: int, before: int, states: Collection[str], limit: int
) -> list[Record]:
    """Return a merchant's payouts with their settlements and accounts, newest first.

    before: an id, 0 for the newest.
    """
    return await db.fetch(SELECT_PAGE, merchant_id, before, list(states), limit)


async def events_of(db: Queries, merchant_id: int, payout_id: int) -> list[Record]:
    """Return the events of a payout, in order."""
    return await db.fetch(SELECT_EVENTS, merchant_id, payout_id)


async def waiting_of(conn: Connection, merchant_id: int, beneficiary: str) -> list[PayoutTry]:
    """Return and lock the unsent payouts to a beneficiary."""
    return [PAYOUT.read(row) for row in await conn.fetch(SELECT_WAITING, merchant_id, beneficiary)]


async def lock_others(conn: Connection, payout: PayoutTry) -> list[PayoutTry]:
    """Return and lock the other payouts of a share that stand."""
    key = (payout.merchant_id, payout.share_id, payout.payout_id)
    return [PAYOUT.read(row) for row in await conn.fetch(LOCK_OTHERS, *key)]


async def hasten(
    db: Queries, merchant_id: int, payout_id: int, provider: str, now: datetime, gap: timedelta
) -> bool:
    """Bring the next inquiry about a payout at a provider forward; return whether it was later."""
    return bool(
        await db.fetchval(HASTEN, merchant_id, payout_id, provider, now, int(gap.total_seconds()))
    )


async def to_prepare(db: Database, limit: int) -> list[ToPrepare]:
    """Return the shares that need a payout."""
    return [ToPrepare(*row) for row in await look(db, SELECT_TO_PREPARE, limit)]


async def count_tries(conn: Connection, merchant_id: int, share_id: int) -> int:
    """Return how many payouts a share had so far."""
    return await conn.fetchval(COUNT_TRIES, merchant_id, share_id) or 0


async def lock_cause(conn: Connection, payout: PayoutTry) -> bool:
    """Return whether the books show a payout's cause, and lock its bank account."""
    return await conn.fetchval(LOCK_CAUSE, payout.merchant_id, payout.payout_id) is not None


async def due(db: Database, query: DueQuery) -> list[Due]:
    """Return the payouts to send or inquire about now, most overdue first.

    Leaves out those at the acquirers that the query excludes.
    """
    rows = await look(db, SELECT_DUE, query.until, query.without, query.limit)
    return [Due(*row) for row in rows]


async def claim(
    db: Database, merchant_id: int, payout_ids: Sequence[int], now: datetime, lease_until: datetime
) -> list[PayoutTry]:
    """Claim those of a merchant's payouts that are still due."""
    return [
        PAYOUT.read(row) for row in await db.fetch(CLAIM, merchant_id, payout_ids, now, lease_until)
    ]


async def put_back(db: Database, claimed: PayoutTry, due_at: datetime) -> None:
    """Return a claimed payout whose bank could not be asked: it is due again."""
    await db.execute(PUT_BACK, claimed.merchant_id, claimed.payout_id, claimed.due_at, due_at)
