"""All SQL about offers."""

from datetime import datetime

from asyncpg import Record

from hundi.infra.database import Connection, Database
from hundi.infra.vault import Vault
from hundi.offers.rules import Offer

_SEAL_PURPOSE = "offer-customer"
_COLUMNS = "sealed_customer, amount_paise, transaction_at, coupons, expires_at, closes_at"

SELECT = f"SELECT {_COLUMNS} FROM offers WHERE affiliate = $1 AND unique_id = $2"  # noqa: S608 (constants only)
INSERT = f"""
INSERT INTO offers (affiliate, unique_id, {_COLUMNS}, opened_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT DO NOTHING
"""  # noqa: S608 (constants only)
SWEEP = "DELETE FROM offers WHERE closes_at < $1"


def _offer(row: Record, vault: Vault) -> Offer:
    return Offer(
        customer=vault.open(row["sealed_customer"], _SEAL_PURPOSE).decode(),
        amount_paise=row["amount_paise"],
        transaction_at=row["transaction_at"],
        coupons=tuple(row["coupons"]),
        expires_at=row["expires_at"],
        closes_at=row["closes_at"],
    )


async def select(source: Database | Connection, vault: Vault, affiliate: str, unique_id: str) -> Offer | None:
    """Return an offer that was opened before."""
    row = await source.fetchrow(SELECT, affiliate, unique_id)
    return _offer(row, vault) if row else None


async def insert(  # noqa: PLR0913 (which, and what it is)
    conn: Connection, vault: Vault, affiliate: str, unique_id: str, offer: Offer, now: datetime
) -> Offer | None:
    """Write an offer at its first opening, and return the one that stands: of two openings at once, the first."""
    await conn.execute(
        INSERT,
        affiliate,
        unique_id,
        vault.seal(offer.customer.encode(), _SEAL_PURPOSE),
        offer.amount_paise,
        offer.transaction_at,
        list(offer.coupons),
        offer.expires_at,
        offer.closes_at,
        now,
    )
    return await select(conn, vault, affiliate, unique_id)


async def sweep(db: Database, closed_before: datetime) -> None:
    """Delete offers that were closed long enough ago."""
    await db.execute(SWEEP, closed_before)
