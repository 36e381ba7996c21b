"""Pair a live merchant with its sandbox, and end a pair."""

from datetime import datetime

from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.directory import store as merchants
from hundi.merchants.directory.rules import Mode
from hundi.merchants.directory.twins import store


async def pair(db: Database, live_id: int, sandbox_id: int, now: datetime, beside: Beside) -> None:
    """Make a sandbox that of a live merchant.

    beside: what is written with it, for each of the two. Raises Refused: MERCHANT_UNKNOWN;
    FIELD_INVALID where one is of the other kind; STATE_FORBIDS where one has a pair.
    """
    async with db.transaction() as conn:
        await _check_mode(conn, live_id, "merchant_id", "live")
        await _check_mode(conn, sandbox_id, "sandbox", "sandbox")
        for merchant_id, twin_id in sorted(((live_id, sandbox_id), (sandbox_id, live_id))):
            if not await store.insert(conn, merchant_id, twin_id, now):
                raise refuse(
                    RefusalCode.STATE_FORBIDS,
                    field="merchant_id",
                    received=str(merchant_id),
                    allowed="a merchant without a pair",
                )
            await beside(conn, merchant_id)


async def _check_mode(conn: Connection, merchant_id: int, field: str, mode: Mode) -> None:
    row = await merchants.select(conn, merchant_id)
    if row is None:
        raise refuse(RefusalCode.MERCHANT_UNKNOWN, field=field, received=str(merchant_id))
    if row["mode"] != mode:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field=field,
            received=f"{merchant_id}, which is {row['mode']}",
            allowed=f"a {mode} merchant",
        )


async def part(db: Database, merchant_id: int, beside: Beside) -> None:
    """End the pair of a merchant. Raises Refused: NO_RECORDS where it has none."""
    async with db.transaction() as conn:
        twin_id = await store.delete(conn, merchant_id)
        if twin_id is None:
            raise refuse(RefusalCode.NO_RECORDS, field="merchant_id", received=str(merchant_id))
        await store.delete(conn, twin_id)
        for each in sorted((merchant_id, twin_id)):
            await beside(conn, each)
