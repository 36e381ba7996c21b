"""All SQL of the signed roots and of the key that signs them."""

from dataclasses import dataclass
from datetime import date, datetime

from hundi.infra.postgres.database import Database, Queries
from hundi.money.chain.rules import Book, Root

NEWEST_ROOT = (
    "SELECT day, root, heads, signature, certificate, made_at FROM chain_roots ORDER BY day DESC"
    " LIMIT 1"
)

ROOTS = "SELECT day, root, heads, signature, certificate, made_at FROM chain_roots ORDER BY day"

HEAD_OF_DAY = """
SELECT block_no, hash FROM chain_blocks WHERE merchant_id = $1 AND book = $2 AND day <= $3
ORDER BY block_no DESC LIMIT 1
"""

INSERT_ROOT = """
INSERT INTO chain_roots (day, root, heads, signature, certificate, made_at)
    VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT DO NOTHING RETURNING day
"""

SELECT_KEY = "SELECT sealed_key, certificate FROM signing_keys WHERE purpose = $1"

INSERT_KEY = """
INSERT INTO signing_keys (purpose, sealed_key, certificate, created_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING
"""


@dataclass(frozen=True, slots=True)
class StoredKey:
    """The key that signs roots, sealed, and its certificate (X.509, DER)."""

    sealed_key: bytes
    certificate: bytes


async def newest_root(db: Database) -> Root | None:
    """Return the newest root."""
    row = await db.fetchrow(NEWEST_ROOT)
    return Root(*row) if row else None


async def roots(db: Database) -> list[Root]:
    """Return every root, oldest first."""
    return [Root(*row) for row in await db.fetch(ROOTS)]


async def head_of_day(
    db: Database, merchant_id: int, book: Book, day: date
) -> tuple[int, bytes] | None:
    """Return number and hash of a book's newest block at the end of a day."""
    row = await db.fetchrow(HEAD_OF_DAY, merchant_id, book, day)
    return (row["block_no"], row["hash"]) if row else None


async def insert_root(db: Queries, root: Root) -> bool:
    """Write a day's root; return False if there is one, which stays."""
    values = (root.day, root.root, root.heads, root.signature, root.certificate, root.made_at)
    return await db.fetchval(INSERT_ROOT, *values) is not None


async def signing_key(db: Database, purpose: str) -> StoredKey | None:
    """Return the stored key that signs roots."""
    row = await db.fetchrow(SELECT_KEY, purpose)
    return StoredKey(*row) if row else None


async def insert_key(db: Database, purpose: str, key: StoredKey, now: datetime) -> None:
    """Write a key, unless there is one."""
    await db.execute(INSERT_KEY, purpose, key.sealed_key, key.certificate, now)
