"""The actions of merchants: add, rotate, change, suspend.

Also the cache that every request reads.
"""

import base64
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

import msgspec
from msgspec.structs import replace

from hundi.infra.postgres.database import Connection, Database
from hundi.infra.postgres.row_cache import RowCache
from hundi.infra.secrets.vault import Vault
from hundi.kernel.ids import draw
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.directory import rules, store
from hundi.merchants.directory.api_keys import rules as api_keys
from hundi.merchants.directory.api_keys.rules import ApiKey
from hundi.merchants.directory.keys import rules as key_rules
from hundi.merchants.directory.keys.rules import ROTATABLE, KeyFormulas, Rotatable, StoredKeys
from hundi.merchants.directory.rules import Merchant, MerchantSettings, Mode

CHANGED_CHANNEL = "hundi_merchants"
"""NOTIFY channel: the payload is the merchant id that changed."""
_FIRST_MERCHANT_ID = 10_000
_ID_TRIES_MAX = 20


@dataclass(frozen=True, slots=True)
class MerchantChange:
    """A change of a merchant's name, state, settings or secrets.

    before: the digests of the row before it, none for a new merchant. names: of the settings that
    differ.
    """

    merchant_id: int
    before: Mapping[str, str] = field(default_factory=dict[str, str])
    names: tuple[str, ...] = ()


BesideChange = Callable[[Connection, MerchantChange], Awaitable[object]]
"""Writes the entry of the trail for a change: the audit demands one."""


def new_webhook_key() -> str:
    """Return a new Standard Webhooks key: `whsec_` and 24 random bytes in base64."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(24)).decode()


def new_keys(merchant_id: int) -> StoredKeys:
    """Return a complete set of new secrets.

    Each looks different, so that nobody takes one for another.
    """
    return StoredKeys(
        username=f"user-{merchant_id}",
        password="pw-" + secrets.token_urlsafe(18),
        secret=key_rules.new_secret(merchant_id, secrets.token_urlsafe(24)),
        client_id=f"cid-{merchant_id}"[:20],
        client_secret="oauth-" + secrets.token_urlsafe(24),
        webhook_keys=(new_webhook_key(),),
    )


async def add(
    db: Database,
    vault: Vault,
    *,
    name: str,
    mode: Mode,
    settings: MerchantSettings,
    now: datetime,
    beside: BesideChange,
) -> tuple[int, StoredKeys]:
    """Add a merchant with new secrets; return its id and the secrets, to be shown once.

    Raises Refused (FIELD_INVALID) when name or settings are out of bounds.
    """
    async with db.transaction() as conn:
        return await add_within(
            conn, vault, name=name, mode=mode, settings=settings, now=now, beside=beside
        )


async def add_within(
    conn: Connection,
    vault: Vault,
    *,
    name: str,
    mode: Mode,
    settings: MerchantSettings,
    now: datetime,
    beside: BesideChange,
) -> tuple[int, StoredKeys]:
    """Add a merchant in the caller's transaction; see `add`."""
    rules.check_name(name)
    rules.check_settings(settings)
    for _ in range(_ID_TRIES_MAX):
        merchant_id = _FIRST_MERCHANT_ID + draw(90_000_000)
        keys = replace(
            new_keys(merchant_id), made=dict.fromkeys(ROTATABLE, now.isoformat(timespec="seconds"))
        )
        if await store.insert(
            conn, merchant_id, mode, name, store.sealed(vault, merchant_id, keys), settings, now
        ):
            await beside(conn, MerchantChange(merchant_id))
            return merchant_id, keys
    message = "no free merchant id found"
    raise RuntimeError(message)


async def rotate(
    db: Database,
    vault: Vault,
    merchant_id: int,
    what: Rotatable,
    now: datetime,
    *,
    beside: BesideChange,
    overlap: bool | None = None,
    seen: str = "",
) -> StoredKeys:
    """Replace one secret and return all of them.

    overlap: whether the old one stays valid until it is ended or replaced again; None for the
    default: only an old webhook key does. seen: the mark of the secret to replace, so that a form
    that is sent twice replaces once; "" for any. beside: what is written with it. Raises Refused:
    MERCHANT_UNKNOWN, STATE_FORBIDS when the secret is not the one in `seen`.
    """
    fresh = new_keys(merchant_id)
    new = fresh.webhook_keys[0] if what == "webhook_key" else str(getattr(fresh, what))
    return await _change_keys(
        db,
        vault,
        merchant_id,
        now,
        lambda keys: key_rules.rotated(
            keys, what, new, now, overlap=what == "webhook_key" if overlap is None else overlap
        ),
        beside,
        _what_was_seen(what, seen),
    )


async def retire(
    db: Database,
    vault: Vault,
    merchant_id: int,
    what: Rotatable,
    seen: str,
    now: datetime,
    beside: BesideChange,
) -> StoredKeys:
    """End the secret that is still valid beside its successor.

    seen: the mark of the successor, "" for any. beside: what is written with it. Raises Refused as
    `rotate` does.
    """
    return await _change_keys(
        db,
        vault,
        merchant_id,
        now,
        lambda keys: key_rules.without_before(keys, what),
        beside,
        _what_was_seen(what, seen),
    )


async def add_key(
    db: Database,
    vault: Vault,
    merchant_id: int,
    name: str,
    scopes: Collection[str],
    refund_paise: int,
    now: datetime,
    beside: BesideChange,
) -> ApiKey:
    """Create a further API secret and return it, to be shown once.

    beside: what is written with it. Raises Refused: MERCHANT_UNKNOWN, FIELD_INVALID.
    """
    secret = key_rules.new_secret(merchant_id, secrets.token_urlsafe(24))
    new = api_keys.new_key(
        name, secret, api_keys.checked(name, scopes, refund_paise), refund_paise, now
    )
    await _change_keys(
        db,
        vault,
        merchant_id,
        now,
        lambda keys: replace(keys, further=api_keys.with_key(keys.further, new)),
        beside,
    )
    return new


async def end_key(
    db: Database, vault: Vault, merchant_id: int, name: str, now: datetime, beside: BesideChange
) -> None:
    """End a further API secret at once. Raises Refused: MERCHANT_UNKNOWN, NO_RECORDS."""
    await _change_keys(
        db,
        vault,
        merchant_id,
        now,
        lambda keys: replace(keys, further=api_keys.without_key(keys.further, name)),
        beside,
    )


def _what_was_seen(what: Rotatable, seen: str) -> Callable[[StoredKeys], None]:
    """Return the check that a secret is still the one that a form has shown."""

    def check(keys: StoredKeys) -> None:
        current = keys.webhook_keys[0] if what == "webhook_key" else str(getattr(keys, what))
        if seen and seen != key_rules.mark_of(current):
            raise refuse(
                RefusalCode.STATE_FORBIDS,
                field=what,
                received="replaced meanwhile",
                allowed="the newest",
            )

    return check


async def _change_keys(
    db: Database,
    vault: Vault,
    merchant_id: int,
    now: datetime,
    change: Callable[[StoredKeys], StoredKeys],
    beside: BesideChange,
    check: Callable[[StoredKeys], None] | None = None,
) -> StoredKeys:
    async with db.transaction() as conn:
        row = await store.lock(conn, merchant_id)
        if row is None:
            raise refuse(
                RefusalCode.MERCHANT_UNKNOWN, field="merchant_id", received=str(merchant_id)
            )
        keys = store.stored_keys(vault, row)
        if check is not None:
            check(keys)
        changed, before = change(keys), await store.digests(conn, merchant_id)
        await store.update_keys(conn, merchant_id, store.sealed(vault, merchant_id, changed), now)
        await beside(conn, MerchantChange(merchant_id, before))
    db.wake(CHANGED_CHANNEL, str(merchant_id))
    return changed


async def change_settings(
    db: Database,
    merchant_id: int,
    change: Callable[[MerchantSettings], MerchantSettings],
    now: datetime,
    beside: BesideChange,
) -> MerchantSettings:
    """Apply a change to a merchant's settings under a lock and return the result.

    Raises Refused (MERCHANT_UNKNOWN, FIELD_INVALID). The caller checks whether an address may be
    called: that needs the network.
    """
    async with db.transaction() as conn:
        changed = await change_settings_within(conn, merchant_id, change, now, beside)
    db.wake(CHANGED_CHANNEL, str(merchant_id))
    return changed


async def change_settings_within(
    conn: Connection,
    merchant_id: int,
    change: Callable[[MerchantSettings], MerchantSettings],
    now: datetime,
    beside: BesideChange,
) -> MerchantSettings:
    """Apply a change in the caller's transaction; see `change_settings`.

    After the commit the caller wakes `CHANGED_CHANNEL`.
    """
    row = await store.lock(conn, merchant_id)
    if row is None:
        raise refuse(RefusalCode.MERCHANT_UNKNOWN, field="merchant_id", received=str(merchant_id))
    before, digests = (
        msgspec.convert(row["settings"], MerchantSettings),
        await store.digests(conn, merchant_id),
    )
    changed = change(before)
    rules.check_settings(changed)
    await store.update_settings(conn, merchant_id, changed, now)
    names = [
        name
        for name in changed.__struct_fields__
        if getattr(changed, name) != getattr(before, name)
    ]
    await beside(conn, MerchantChange(merchant_id, digests, tuple(names)))
    return changed


async def reseal(db: Database, vault: Vault, now: datetime, beside: BesideChange) -> int:
    """Seal every merchant's secrets with the newest key.

    Return how many were sealed with an older one.
    """
    done = 0
    for merchant_id in [row["merchant_id"] for row in await store.select_all(db)]:
        async with db.transaction() as conn:
            row = await store.lock(conn, merchant_id)
            if row is not None and not vault.is_sealed_with_newest(row["sealed_keys"]):
                anew, before = (
                    store.sealed(vault, merchant_id, store.stored_keys(vault, row)),
                    await store.digests(conn, merchant_id),
                )
                await store.update_keys(conn, merchant_id, anew, now)
                await beside(conn, MerchantChange(merchant_id, before))
                done += 1
    return done


async def set_state(
    db: Database,
    merchant_id: int,
    state: Literal["active", "suspended"],
    now: datetime,
    beside: BesideChange,
) -> None:
    """Suspend a merchant or reactivate it. Raises Refused (MERCHANT_UNKNOWN)."""
    async with db.transaction() as conn:
        if await store.lock(conn, merchant_id) is None:
            raise refuse(
                RefusalCode.MERCHANT_UNKNOWN, field="merchant_id", received=str(merchant_id)
            )
        before = await store.digests(conn, merchant_id)
        await store.update_state(conn, merchant_id, state, now)
        await beside(conn, MerchantChange(merchant_id, before))
    db.wake(CHANGED_CHANNEL, str(merchant_id))


class Directory:
    """Merchants by id, cached in process until the database says that one changed."""

    def __init__(self, db: Database, vault: Vault, formulas: KeyFormulas) -> None:
        """Keep the dependencies; call `start` before the first request."""
        self._db = db
        self._vault = vault
        self._formulas = formulas
        self._known = RowCache(
            db, CHANGED_CHANNEL, self._load, lambda named: int(named) if named.isdigit() else None
        )

    async def start(self) -> None:
        """Listen for changes made by other processes."""
        await self._known.start()

    def encryption_key(self, keys: StoredKeys) -> bytes:
        """Return the encryption key of stored secrets."""
        return self._formulas(keys)[0]

    async def get(self, merchant_id: int) -> Merchant | None:
        """Return a merchant, or None when there is none with this id."""
        return await self._known.get(merchant_id)

    async def _load(self, merchant_id: int) -> Merchant | None:
        row = await store.select(self._db, merchant_id)
        return store.merchant_of(row, self._vault, self._formulas) if row else None

    async def everyone(self) -> list[Merchant]:
        """Return all reachable merchants by id, read from the database."""
        rows = await store.select_reachable(self._db)
        return [store.merchant_of(row, self._vault, self._formulas) for row in rows]
