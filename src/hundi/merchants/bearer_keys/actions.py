"""The actions of bearer keys: make, list, end, and find the key of a call."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from hundi.infra.postgres.database import Beside, Database
from hundi.infra.secrets.marks import holds, mark_of
from hundi.infra.secrets.vault import Vault
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.bearer_keys import rules, store
from hundi.merchants.bearer_keys.rules import BearerKey
from hundi.merchants.directory import store as merchants

_PURPOSE = "bearer-key"
"""The purpose of a key's proof: whoever can write rows alone makes no key."""


@dataclass(frozen=True, slots=True)
class WantedKey:
    """What a new key is to be. days: until it expires, 0 for never. made_by: a person's name."""

    name: str
    scopes: Collection[str]
    refund_paise: int
    days: int
    made_by: str


async def make(
    db: Database,
    vault: Vault,
    merchant_id: int,
    wanted: WantedKey,
    now: datetime,
    beside: Beside,
) -> tuple[str, BearerKey]:
    """Make a key and return its text, to be shown once, and what is stored of it.

    beside: what is written with it. Raises Refused: MERCHANT_UNKNOWN, FIELD_INVALID.
    """
    text = rules.new_text(merchant_id)
    key = rules.new_key(
        merchant_id,
        text,
        wanted.name,
        wanted.scopes,
        wanted.refund_paise,
        wanted.days,
        wanted.made_by,
        now,
    )
    key = replace(key, proof=mark_of(vault, _PURPOSE, *key.proved_values))
    async with db.transaction() as conn:
        # The merchant's row is locked, so that keys made at once are counted.
        if await merchants.lock(conn, merchant_id) is None:
            raise refuse(
                RefusalCode.MERCHANT_UNKNOWN, field="merchant_id", received=str(merchant_id)
            )
        rules.check_room(await store.of_merchant(conn, merchant_id), key.name, now)
        await store.insert(conn, key)
        await beside(conn, merchant_id)
    return text, key


async def end(db: Database, merchant_id: int, name: str, now: datetime, beside: Beside) -> None:
    """End a key at once. beside: what is written with it. Raises Refused: NO_RECORDS."""
    async with db.transaction() as conn:
        if not await store.end(conn, merchant_id, name, now):
            raise refuse(RefusalCode.NO_RECORDS, field="name", received=name[:32])
        await beside(conn, merchant_id)


async def list_of(db: Database, merchant_id: int) -> list[BearerKey]:
    """Return a merchant's keys, newest first."""
    return await store.of_merchant(db, merchant_id)


async def proven(
    db: Database, vault: Vault, merchant_id: int, text: str, now: datetime
) -> BearerKey:
    """Return the key of a call, and note that it was used.

    It is read anew each time, so that an ended key opens nothing more in any process. Raises
    Refused: TOKEN_UNKNOWN, also for an ended key and one that was written by SQL; TOKEN_EXPIRED.
    """
    key = await store.by_digest(db, merchant_id, rules.digest_of(text))
    if key is None or key.ended_at is not None:
        detail = f"the bearer key {key.name} was ended" if key else "no bearer key is this one"
        raise refuse(RefusalCode.TOKEN_UNKNOWN, detail=detail)
    if not holds(vault, _PURPOSE, key.proof, *key.proved_values):
        detail = f"the bearer key {key.name} was not made by a gateway with our keys"
        raise refuse(RefusalCode.TOKEN_UNKNOWN, detail=detail)
    if not key.counts(now):
        raise refuse(RefusalCode.TOKEN_EXPIRED, detail=f"the bearer key {key.name} expired")
    if not key.is_use_noted(now):
        await store.note_use(db, merchant_id, key.digest, now)
    return key
