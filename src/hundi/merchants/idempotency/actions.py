"""Do a request once: find what was done under its key, and write the key with its effect."""

from datetime import datetime

from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.merchants.idempotency import store
from hundi.merchants.idempotency.rules import KEPT_FOR, EarlierRequest, IdempotencyKey


class KeyTakenError(Exception):
    """Another request under the same key was done at the same moment: look again."""


async def earlier(db: Database, key: IdempotencyKey) -> EarlierRequest | None:
    """Return what was done under a key, or None.

    Raises Refused (REQUEST_ID_REUSED) where that was another request.
    """
    known = await store.select(db, key)
    if known is not None and not known.is_same(key):
        raise _reused(key)
    return known


def recording(key: IdempotencyKey, now: datetime) -> Beside:
    """Return the writer of a key, for the transaction of its effect.

    It raises KeyTakenError, which undoes the effect.
    """

    async def write(conn: Connection, subject: int) -> None:
        if not await store.insert(conn, key, subject, now):
            raise KeyTakenError

    return write


async def note(db: Database, key: IdempotencyKey, subject: int, now: datetime) -> None:
    """Write the key of a request that found its effect there, as an order that is opened again.

    Raises Refused (REQUEST_ID_REUSED) where another request was faster.
    """
    if not await store.insert(db, key, subject, now):
        await earlier(db, key)


async def sweep(db: Database, now: datetime) -> None:
    """Forget old keys."""
    await store.sweep(db, now - KEPT_FOR)


def _reused(key: IdempotencyKey) -> Refused:
    return refuse(
        RefusalCode.REQUEST_ID_REUSED,
        field="Idempotency-Key",
        received=key.key,
        allowed="a key of its own for another request",
    )
