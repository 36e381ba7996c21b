"""All SQL about linked accounts and how payments are shared between them."""

from dataclasses import dataclass
from datetime import datetime

from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.kernel.states import SplitKind
from hundi.payments.direct_shares import store as direct_shares
from hundi.payments.splits.rules import LEDGER_ACCOUNT, Shares, SplitOrder

SELECT_REQUEST = """
SELECT content_hash, replaced_at IS NULL AS stands FROM split_configurations WHERE merchant_id = $1
    AND request_id = $2
"""
SELECT_SPLIT = """
SELECT c.request_id, c.kind, c.base_paise, c.primary_paise, c.created_at, c.replaced_at,
    p.identifier, p.amount_paise, p.ledger_account
FROM split_configurations c JOIN split_parts p USING (merchant_id, request_id)
WHERE c.merchant_id = $1 AND c.payment_id = $2 ORDER BY c.created_at, c.request_id, p.place
"""
SELECT_SHARES = """
SELECT c.primary_paise, p.amount_paise FROM split_configurations c
    JOIN split_parts p USING (merchant_id, request_id)
WHERE c.merchant_id = $1 AND c.request_id = $2 ORDER BY p.place
"""
SELECT_OPEN_ACCOUNTS = """
SELECT identifier, ledger_account FROM linked_accounts
WHERE merchant_id = $1 AND identifier = ANY($2) AND closed_at IS NULL
"""
REPLACE = """
UPDATE split_configurations SET replaced_at = $3 WHERE merchant_id = $1 AND payment_id = $2
    AND replaced_at IS NULL
"""
CONFIGURE = """
INSERT INTO split_configurations (merchant_id, payment_id, request_id, content_hash, kind,
    base_paise, primary_value, created_at, primary_paise)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
"""
INSERT_PART = """
INSERT INTO split_parts (merchant_id, request_id, place, identifier, value, amount_paise,
    ledger_account)
VALUES ($1, $2, $3, $4, $5, $6, $7)
"""
COUNT_ACCOUNTS = "SELECT count(*) FROM linked_accounts WHERE merchant_id = $1"
INSERT_ACCOUNT = """
INSERT INTO linked_accounts (merchant_id, identifier, name, sealed_number, last4, ifsc, created_at,
    ledger_account)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""
CLOSE_ACCOUNT = """
UPDATE linked_accounts SET closed_at = $3 WHERE merchant_id = $1 AND identifier = $2
    AND closed_at IS NULL
RETURNING identifier
"""
LOCK_ACCOUNT = "SELECT FROM linked_accounts WHERE merchant_id = $1 AND identifier = $2 FOR UPDATE"
SELECT_SEALED = "SELECT merchant_id, identifier, name, ifsc, sealed_number FROM linked_accounts"
"""Across merchants: every number, to be sealed with a new key."""
RESEAL = """
UPDATE linked_accounts SET sealed_number = $4 WHERE merchant_id = $1 AND identifier = $2
    AND sealed_number = $3
"""
SELECT_ACCOUNTS = """
SELECT identifier, name, last4, ifsc, ledger_account, created_at, closed_at FROM linked_accounts
WHERE merchant_id = $1 ORDER BY created_at, identifier
"""


@dataclass(frozen=True, slots=True)
class EarlierSplit:
    """An earlier request. stands: it was not replaced since."""

    content_hash: bytes
    stands: bool


@dataclass(frozen=True, slots=True)
class NewAccount:
    """An account to link, its number sealed."""

    identifier: str
    name: str
    sealed_number: bytes
    last4: str
    ifsc: str


async def known(conn: Connection, merchant_id: int, request_id: str) -> EarlierSplit | None:
    """Return the earlier request with this id."""
    row = await conn.fetchrow(SELECT_REQUEST, merchant_id, request_id)
    return None if row is None else EarlierSplit(**dict(row))


async def shares_of(conn: Connection, merchant_id: int, request_id: str) -> Shares:
    """Return the shares configured under a request id."""
    rows = await conn.fetch(SELECT_SHARES, merchant_id, request_id)
    return Shares(rows[0]["primary_paise"], tuple(row["amount_paise"] for row in rows))


async def open_accounts(
    conn: Connection, merchant_id: int, identifiers: list[str]
) -> dict[str, str]:
    """Return the ledger accounts of these linked accounts that are open, by identifier."""
    rows = await conn.fetch(SELECT_OPEN_ACCOUNTS, merchant_id, identifiers)
    return {row["identifier"]: row["ledger_account"] for row in rows}


async def configure(
    conn: Connection,
    merchant_id: int,
    request: SplitOrder,
    shares: Shares,
    accounts: dict[str, str],
    now: datetime,
) -> None:
    """Write how a payment is shared, in place of what stood before.

    The caller holds the payment's lock.
    """
    await conn.execute(REPLACE, merchant_id, request.payment_id, now)
    await conn.execute(
        CONFIGURE,
        merchant_id,
        request.payment_id,
        request.request_id,
        request.content_hash,
        SplitKind(request.kind),
        shares.primary_paise + sum(shares.parts_paise),
        request.primary_value,
        now,
        shares.primary_paise,
    )
    for place, (part, paise) in enumerate(
        zip(request.parts, shares.parts_paise, strict=True), start=1
    ):
        values = (place, part.identifier, part.value, paise, accounts[part.identifier])
        await conn.execute(INSERT_PART, merchant_id, request.request_id, *values)


async def splits_of(db: Database, merchant_id: int, payment_id: int) -> list[Record]:
    """Return every part of every split of a payment, oldest first.

    The current one has no replaced_at.
    """
    return await db.fetch(SELECT_SPLIT, merchant_id, payment_id)


async def insert_account(
    conn: Connection, merchant_id: int, new: NewAccount, now: datetime
) -> None:
    """Link an account, within the caller's lock of the merchant.

    Raises UniqueViolationError when the identifier is taken.
    """
    count = await conn.fetchval(COUNT_ACCOUNTS, merchant_id) or 0
    account = f"{LEDGER_ACCOUNT}:{count + 1}"
    values = (new.identifier, new.name, new.sealed_number, new.last4, new.ifsc, now, account)
    await conn.execute(INSERT_ACCOUNT, merchant_id, *values)


async def lock_account(conn: Connection, merchant_id: int, identifier: str) -> str:
    """Return the digest of a linked account, which stays locked until the transaction ends."""
    await conn.execute(LOCK_ACCOUNT, merchant_id, identifier)
    return await direct_shares.digest(conn, merchant_id, identifier)


async def close_account(db: Queries, merchant_id: int, identifier: str, now: datetime) -> bool:
    """Close a linked account; False when there is no open one of this identifier."""
    return await db.fetchval(CLOSE_ACCOUNT, merchant_id, identifier, now) is not None


async def accounts_of(db: Database, merchant_id: int) -> list[Record]:
    """Return a merchant's linked accounts, with the last four digits of their numbers."""
    return await db.fetch(SELECT_ACCOUNTS, merchant_id)


async def sealed_numbers(db: Database) -> list[Record]:
    """Return every sealed number, of all merchants."""
    return await db.fetch(SELECT_SEALED)


async def reseal(conn: Connection, row: Record, sealed: bytes) -> None:
    """Replace a number's seal, unless it was replaced meanwhile."""
    await conn.execute(RESEAL, row["merchant_id"], row["identifier"], row["sealed_number"], sealed)
