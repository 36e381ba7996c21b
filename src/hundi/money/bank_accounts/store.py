"""All SQL of bank accounts for payouts."""

from collections.abc import Sequence
from datetime import datetime

from asyncpg import Record

from hundi.infra.background.due_rows import Due, DueQuery
from hundi.infra.postgres.columns import Field, Table
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.money.bank_accounts.rules import AccountCheckRecord, BankAccountState, PayoutAccount

ACCOUNT = Table(PayoutAccount, {"state": Field(BankAccountState)})
_CHANGED = ACCOUNT.only(
    "state",
    "check_id",
    "registered_name",
    "checked_at",
    "accepted_by",
    "due_at",
    "inquiries",
    "asked_of",
)

CHECK = Table(AccountCheckRecord, {})
INSERT_CHECK = f"""
INSERT INTO account_checks ({CHECK.listed()}) VALUES ({CHECK.numbered(1)})
ON CONFLICT DO NOTHING RETURNING check_id
"""
INSERT_COST = """
INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at)
VALUES ($1, $2, $3, $4, $5, $6, 'INR', $7)
"""
SELECT_CHECKS = f"SELECT {CHECK.listed()} FROM account_checks WHERE merchant_id = $1 ORDER BY at"
SELECT_VERSION_CHECKS = f"""
SELECT {CHECK.listed()} FROM account_checks
WHERE merchant_id = $1 AND beneficiary = $2 AND account_no = $3 ORDER BY at
"""
INSERT = f"INSERT INTO bank_accounts ({ACCOUNT.listed()}) VALUES ({ACCOUNT.numbered(1)})"
SELECT_NEWEST = f"""
SELECT {ACCOUNT.listed()} FROM bank_accounts WHERE merchant_id = $1 AND beneficiary = $2
    AND replaced_at IS NULL
"""
LOCK_NEWEST = f"{SELECT_NEWEST} FOR UPDATE"
"""Holds up a worker that is about to ask a provider, and whoever adds or accepts papers."""
KEEP = """
SELECT account_no FROM bank_accounts
WHERE merchant_id = $1 AND beneficiary = $2 AND account_no = $3 AND state = 'verified'
    AND replaced_at IS NULL FOR SHARE
"""
SELECT_ONE = f"""
SELECT {ACCOUNT.listed()} FROM bank_accounts WHERE merchant_id = $1 AND beneficiary = $2
    AND account_no = $3
"""
SELECT_OF_MERCHANT = f"""
SELECT {ACCOUNT.listed()} FROM bank_accounts WHERE merchant_id = $1 ORDER BY beneficiary, account_no
"""
REPLACE = """
UPDATE bank_accounts SET replaced_at = $3, due_at = NULL
WHERE merchant_id = $1 AND beneficiary = $2 AND replaced_at IS NULL RETURNING account_no
"""
"""Waits for a payout that is being sent to the account, because its row is locked."""
UPDATE = f"""
UPDATE bank_accounts SET {_CHANGED.assigned(5)}
WHERE merchant_id = $1 AND beneficiary = $2 AND account_no = $3 AND state = $4
    AND replaced_at IS NULL
RETURNING account_no
"""
INSERT_ACCEPTED = """
INSERT INTO accepted_names (merchant_id, beneficiary, account_no, person, at, papers)
    VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT DO NOTHING
"""
SELECT_DUE = """
SELECT merchant_id, check_id, '' AS peer, due_at FROM bank_accounts
WHERE due_at <= $1 AND '' <> ALL ($2::text[]) ORDER BY due_at LIMIT $3
"""
"""Across merchants: the accounts to check now."""
CLAIM = f"""
UPDATE bank_accounts SET due_at = $4, inquiries = inquiries + 1
WHERE merchant_id = $1 AND check_id = ANY ($2::bigint[]) AND due_at <= $3 AND replaced_at IS NULL
RETURNING {ACCOUNT.listed()}
"""
HASTEN = "SELECT hasten_check($1, $2, $3, $4)"
PUT_BACK = """
UPDATE bank_accounts SET due_at = $4, inquiries = greatest(inquiries - 1, 0)
WHERE merchant_id = $1 AND check_id = $2 AND due_at = $3
"""
SELECT_LINKED = """
SELECT identifier, name, sealed_number, ifsc FROM linked_accounts
WHERE merchant_id = $1 AND identifier = $2 AND closed_at IS NULL
"""
SELECT_SEALED = "SELECT merchant_id, beneficiary, account_no, sealed_number FROM bank_accounts"
"""Across merchants: every number, to be sealed with the newest key."""
RESEAL = """
UPDATE bank_accounts SET sealed_number = $5
WHERE merchant_id = $1 AND beneficiary = $2 AND account_no = $3 AND sealed_number = $4
"""


SELECT_ALL = (
    f"SELECT {ACCOUNT.listed()} FROM bank_accounts ORDER BY merchant_id, beneficiary, account_no"
)
"""Across merchants, replaced versions included: the operator reviews these after an upgrade."""


async def select_all(source: Queries) -> list[PayoutAccount]:
    """Return every version of every account, of all merchants."""
    return [ACCOUNT.read(row) for row in await source.fetch(SELECT_ALL)]


async def insert(conn: Connection, new: PayoutAccount) -> None:
    """Write another version of an account; the caller has replaced the one before."""
    await conn.execute(INSERT, *ACCOUNT.values(new))


async def replace(conn: Connection, merchant_id: int, beneficiary: str, now: datetime) -> int:
    """Mark the newest version as replaced, and return its number; 0 if there was none."""
    return await conn.fetchval(REPLACE, merchant_id, beneficiary, now) or 0


async def newest(db: Queries, merchant_id: int, beneficiary: str) -> PayoutAccount | None:
    """Return a beneficiary's current account."""
    row = await db.fetchrow(SELECT_NEWEST, merchant_id, beneficiary)
    return ACCOUNT.read(row) if row else None


async def lock_newest(conn: Connection, merchant_id: int, beneficiary: str) -> PayoutAccount | None:
    """Return a beneficiary's current account, and lock it until the transaction ends."""
    row = await conn.fetchrow(LOCK_NEWEST, merchant_id, beneficiary)
    return ACCOUNT.read(row) if row else None


async def keep(conn: Connection, merchant_id: int, beneficiary: str, account_no: int) -> bool:
    """Return whether payouts to an account are allowed, and lock it until the transaction ends."""
    return await conn.fetchval(KEEP, merchant_id, beneficiary, account_no) is not None


async def select(
    db: Queries, merchant_id: int, beneficiary: str, account_no: int
) -> PayoutAccount | None:
    """Return one version of an account."""
    row = await db.fetchrow(SELECT_ONE, merchant_id, beneficiary, account_no)
    return ACCOUNT.read(row) if row else None


async def is_replaced(db: Queries, merchant_id: int, beneficiary: str, account_no: int) -> bool:
    """Return whether an account has a newer version than this one."""
    account = await select(db, merchant_id, beneficiary, account_no)
    return account is not None and account.replaced_at is not None


async def of_merchant(db: Queries, merchant_id: int) -> list[PayoutAccount]:
    """Return every version of every account of a merchant."""
    return [ACCOUNT.read(row) for row in await db.fetch(SELECT_OF_MERCHANT, merchant_id)]


async def insert_accepted(
    conn: Connection, after: PayoutAccount, now: datetime, papers: Sequence[int] = ()
) -> None:
    """Write who accepts an account's name or its papers, before the account is changed.

    papers: their ids. Workers cannot write this table.
    """
    key = (after.merchant_id, after.beneficiary, after.account_no)
    await conn.execute(INSERT_ACCEPTED, *key, after.accepted_by, now, sorted(papers))


async def update(db: Queries, before: PayoutAccount, after: PayoutAccount) -> bool:
    """Write an account's change if the row is still as it was when decided."""
    key = (before.merchant_id, before.beneficiary, before.account_no, before.state)
    return await db.fetchval(UPDATE, *key, *_CHANGED.values(after)) is not None


async def insert_check(conn: Connection, check: AccountCheckRecord) -> None:
    """Keep what a provider said, with the posting of its cost, once."""
    if await conn.fetchval(INSERT_CHECK, *CHECK.values(check)) is None or check.cost is None:
        return
    cost = check.cost
    accounts = (cost.kind, cost.debit, cost.credit, cost.amount.paise, cost.at)
    await conn.execute(INSERT_COST, cost.merchant_id, cost.cause_id, *accounts)


async def checks_of(db: Queries, merchant_id: int) -> list[AccountCheckRecord]:
    """Return what providers said of a merchant's accounts, oldest first."""
    return [CHECK.read(row) for row in await db.fetch(SELECT_CHECKS, merchant_id)]


async def checks_of_version(conn: Connection, account: PayoutAccount) -> list[AccountCheckRecord]:
    """Return what providers said of one version of an account, oldest first."""
    key = account.merchant_id, account.beneficiary, account.account_no
    return [CHECK.read(row) for row in await conn.fetch(SELECT_VERSION_CHECKS, *key)]


async def due(db: Database, query: DueQuery) -> list[Due]:
    """Return the accounts to check now, most overdue first."""
    rows = await look(db, SELECT_DUE, query.until, query.without, query.limit)
    return [Due(*row) for row in rows]


async def claim(
    db: Database, merchant_id: int, check_ids: Sequence[int], now: datetime, lease_until: datetime
) -> list[PayoutAccount]:
    """Claim those of a merchant's accounts that are still to be checked."""
    return [
        ACCOUNT.read(row) for row in await db.fetch(CLAIM, merchant_id, check_ids, now, lease_until)
    ]


async def hasten(
    db: Queries, merchant_id: int, check_id: int, provider: str, now: datetime
) -> bool:
    """Bring the next call about a check of a provider forward; return whether it was later."""
    return bool(await db.fetchval(HASTEN, merchant_id, check_id, provider, now))


async def put_back(db: Database, claimed: PayoutAccount, due_at: datetime) -> None:
    """Return a claimed account whose bank could not be asked."""
    await db.execute(PUT_BACK, claimed.merchant_id, claimed.check_id, claimed.due_at, due_at)


async def linked(db: Queries, merchant_id: int, identifier: str) -> Record | None:
    """Return name, sealed number and IFSC of an open linked account."""
    return await db.fetchrow(SELECT_LINKED, merchant_id, identifier)


async def sealed_numbers(db: Database) -> list[Record]:
    """Return every sealed number, of all merchants."""
    return await db.fetch(SELECT_SEALED)


async def reseal(db: Database, row: Record, sealed: bytes) -> None:
    """Replace a number's seal, unless another process has replaced it."""
    await db.execute(
        RESEAL,
        row["merchant_id"],
        row["beneficiary"],
        row["account_no"],
        row["sealed_number"],
        sealed,
    )
