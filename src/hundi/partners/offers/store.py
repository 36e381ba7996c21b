"""All SQL about offers."""

from datetime import datetime

import msgspec
from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database
from hundi.infra.secrets.vault import Vault
from hundi.partners.offers.rules import CouponOffer

_SEAL_PURPOSE = "offer-grant"
_COLUMNS = "sealed_grant, amount_paise, transaction_at, expires_at, closes_at"

SELECT = (
    f"SELECT affiliate, unique_id, {_COLUMNS} FROM offers WHERE affiliate = $1 AND unique_id = $2"
)
INSERT = f"""
INSERT INTO offers (affiliate, unique_id, {_COLUMNS}, opened_at) VALUES ($1, $2, $3, $4, $5, $6, $7,
    $8)
ON CONFLICT DO NOTHING
"""
SEALED_AFTER = """
SELECT affiliate, unique_id, sealed_grant FROM offers WHERE (affiliate, unique_id) > ($1, $2)
ORDER BY affiliate, unique_id LIMIT 500
"""
RESEAL = "UPDATE offers SET sealed_grant = $3 WHERE affiliate = $1 AND unique_id = $2"
SWEEP = "DELETE FROM offers WHERE closes_at < $1"


class _Grant(msgspec.Struct, frozen=True):
    """The sealed part of an offer.

    It says whom it is for, and has codes that are worth something to anybody.
    """

    customer: str
    coupons: tuple[str, ...]


def _key(row: Record) -> tuple[str, str]:
    return row["affiliate"], row["unique_id"]


def _offer(row: Record, vault: Vault) -> CouponOffer:
    grant = msgspec.json.decode(
        vault.open(row["sealed_grant"], _SEAL_PURPOSE, *_key(row)), type=_Grant
    )
    return CouponOffer(
        customer=grant.customer,
        amount_paise=row["amount_paise"],
        transaction_at=row["transaction_at"],
        coupons=grant.coupons,
        expires_at=row["expires_at"],
        closes_at=row["closes_at"],
    )


async def select(
    source: Database | Connection, vault: Vault, affiliate: str, unique_id: str
) -> CouponOffer | None:
    """Return an offer that was opened before."""
    row = await source.fetchrow(SELECT, affiliate, unique_id)
    return _offer(row, vault) if row else None


async def insert(
    conn: Connection,
    vault: Vault,
    affiliate: str,
    unique_id: str,
    offer: CouponOffer,
    now: datetime,
) -> CouponOffer | None:
    """Write an offer at its first opening and return the stored one.

    Of two at once, the first stays.
    """
    await conn.execute(
        INSERT,
        affiliate,
        unique_id,
        vault.seal(
            msgspec.json.encode(_Grant(offer.customer, offer.coupons)),
            _SEAL_PURPOSE,
            affiliate,
            unique_id,
        ),
        offer.amount_paise,
        offer.transaction_at,
        offer.expires_at,
        offer.closes_at,
        now,
    )
    return await select(conn, vault, affiliate, unique_id)


async def reseal(db: Database, vault: Vault) -> int:
    """Seal every offer with the newest key; return how many had an older one."""
    done, after = 0, ("", "")
    while page := await db.fetch(SEALED_AFTER, *after):
        for row in page:
            if not vault.is_sealed_with_newest(row["sealed_grant"]):
                opened = vault.open(row["sealed_grant"], _SEAL_PURPOSE, *_key(row))
                anew = vault.seal(opened, _SEAL_PURPOSE, *_key(row))
                await db.execute(RESEAL, row["affiliate"], row["unique_id"], anew)
                done += 1
        after = page[-1]["affiliate"], page[-1]["unique_id"]
    return done


async def sweep(db: Database, closed_before: datetime) -> None:
    """Delete offers that were closed before a time."""
    await db.execute(SWEEP, closed_before)
