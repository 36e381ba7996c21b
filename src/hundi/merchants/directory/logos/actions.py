"""The actions of a merchant's brand: change name, colour and logo, and read the logo."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

import msgspec

from hundi.infra.postgres.database import Database, Queries
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.directory import rules as merchants
from hundi.merchants.directory import store as merchant_rows
from hundi.merchants.directory.actions import CHANGED_CHANNEL, BesideChange, MerchantChange
from hundi.merchants.directory.logos import rules, store
from hundi.merchants.directory.rules import Merchant, MerchantSettings


@dataclass(frozen=True, slots=True)
class BrandChange:
    """What is to change of a merchant's brand; None: it stays.

    logo: the uploaded picture, b"" to have none.
    """

    name: str | None = None
    accent: str | None = None
    logo: bytes | None = None


async def change(
    db: Database,
    merchant_id: int,
    wanted: BrandChange,
    by: str,
    now: datetime,
    beside: BesideChange,
) -> None:
    """Change a merchant's name, colour and logo in one transaction.

    beside: writes the trail's entry. Raises Refused: MERCHANT_UNKNOWN, FIELD_INVALID.
    """
    # Opening a picture takes a while, in which other requests are answered.
    logo = await asyncio.to_thread(rules.picture_of, wanted.logo) if wanted.logo else None
    async with db.transaction() as conn:
        row = await merchant_rows.lock(conn, merchant_id)
        if row is None:
            raise refuse(
                RefusalCode.MERCHANT_UNKNOWN, field="merchant_id", received=str(merchant_id)
            )
        digests = await merchant_rows.digests(conn, merchant_id)
        before = msgspec.convert(row["settings"], MerchantSettings)
        after = msgspec.structs.replace(
            before,
            accent=before.accent if wanted.accent is None else wanted.accent,
            logo=before.logo if wanted.logo is None else logo.name if logo else "",
        )
        name = row["name"] if wanted.name is None else wanted.name
        merchants.check_name(name)
        merchants.check_settings(after)
        await merchant_rows.update_brand(conn, merchant_id, name, after, now)
        if logo is not None:
            await store.write(conn, merchant_id, logo, by, now)
        changed = {
            "name": name != row["name"],
            "accent": after.accent != before.accent,
            "logo": after.logo != before.logo,
        }
        names = tuple(part for part, is_changed in changed.items() if is_changed)
        await beside(conn, MerchantChange(merchant_id, digests, names))
    db.wake(CHANGED_CHANNEL, str(merchant_id))


async def picture(db: Queries, merchant: Merchant) -> bytes | None:
    """Return the PNG of a merchant's logo, None where it has none."""
    named = rules.parse_name(merchant.settings.logo)
    return await store.picture(db, merchant.merchant_id, named[0]) if named else None
