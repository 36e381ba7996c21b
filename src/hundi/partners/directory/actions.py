"""The actions of partners: add, rotate, change, suspend.

Also their directory, and the log of every call.
"""

import asyncio
import base64
import secrets
import string
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Literal

import msgspec
import structlog

from hundi.infra.postgres.database import UNREACHABLE, Connection, Database
from hundi.infra.postgres.row_cache import RowCache
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import DAY_S, MINUTE_S, left_of, minute_and_day
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.partners.directory import rules, store
from hundi.partners.directory.rules import Partner, PartnerKeys, PartnerSettings, Rotatable
from hundi.partners.directory.store import RecordedCall
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who
from hundi.staff.trail.rules import RowKind

OPERATOR = 0
"""The owner of the trail that has the entries about partners."""
CHANGED_CHANNEL = "hundi_partners"
"""NOTIFY channel: the payload is the affiliate code that changed."""
CALLS_WRITTEN_EVERY_S = 0.5
CALLS_WAITING_MAX = 20_000
"""Calls that wait to be written; beyond this they are lost and only counted."""
_VERBS = {
    "added": "add",
    "rotated": "rotate",
    "retired": "retire",
    "changed": "change",
    "suspended": "suspend",
    "resumed": "resume",
}
"""The trail's verb for each verb of a partner's history."""
_ID_TRIES_MAX = 20
_LETTERS = string.ascii_letters + string.digits
_log = structlog.get_logger(__name__)


def new_keys() -> PartnerKeys:
    """Return a complete set of new secrets.

    Each looks different, so that nobody takes one for another.
    """
    return PartnerKeys(
        api_key="pak-" + secrets.token_urlsafe(24),
        processor_key="ppk-" + secrets.token_urlsafe(24),
        secret="pss-" + secrets.token_urlsafe(24),
        card_token="".join(secrets.choice(_LETTERS) for _ in range(rules.CARD_TOKEN_LENGTH)),
        webhook_key="whsec_" + base64.b64encode(secrets.token_bytes(24)).decode(),
    )


def _new(what: Rotatable) -> str:
    # A new partner has no gateway key: it is compared only once there is one.
    return (
        "pgk-" + secrets.token_urlsafe(24) if what == "gateway_key" else getattr(new_keys(), what)
    )


async def add(
    db: Database, by: Who, *, name: str, settings: PartnerSettings, now: datetime
) -> tuple[str, PartnerKeys]:
    """Add a partner with new secrets.

    Return its affiliate code and the secrets, to be shown once. Raises Refused (FIELD_INVALID) when
    name or settings are out of bounds.
    """
    rules.check_name(name)
    rules.check_settings(settings)
    for _ in range(_ID_TRIES_MAX):
        affiliate = f"AF{secrets.randbelow(10**6):06d}"
        keys = new_keys()
        digest = store.token_hash(keys.card_token)
        async with db.transaction() as conn:
            if await store.insert(
                conn,
                affiliate,
                name,
                store.sealed(by.vault, affiliate, keys),
                digest,
                settings,
                now,
            ):
                await _record(conn, by, affiliate, "added", "", "", now)
                return affiliate, keys
    message = "no free affiliate code found"
    raise RuntimeError(message)


async def rotate(
    db: Database, by: Who, affiliate: str, what: Rotatable, now: datetime, *, at_once: bool = False
) -> PartnerKeys:
    """Replace a key and return all keys.

    The previous key stays valid until it is retired; with at_once it ends now. Raises Refused:
    PARTNER_UNPROVEN; STATE_FORBIDS while an older key of this name is still valid, because a third
    would end it unseen.
    """
    fresh = _new(what)

    def rotated(keys: PartnerKeys) -> PartnerKeys:
        if at_once:
            return keys.only(what, fresh)
        if what in keys.older:
            raise refuse(
                RefusalCode.STATE_FORBIDS,
                field=what,
                allowed="another one once the older one is retired",
            )
        return keys.rotated(what, fresh)

    words = f"{what}, the one before it at once" if at_once else what
    return await _change_keys(db, by, affiliate, rotated, "rotated", words, now)


async def retire(
    db: Database, by: Who, affiliate: str, what: Rotatable, now: datetime
) -> PartnerKeys:
    """End the older key of a name; return the valid keys.

    Raises Refused (PARTNER_UNPROVEN, NO_RECORDS).
    """

    def newest_alone(keys: PartnerKeys) -> PartnerKeys:
        if what not in keys.older:
            raise refuse(
                RefusalCode.NO_RECORDS, field=what, allowed="a key that was rotated and not retired"
            )
        return keys.only(what, getattr(keys, what))

    return await _change_keys(db, by, affiliate, newest_alone, "retired", what, now)


async def _change_keys(
    db: Database,
    by: Who,
    affiliate: str,
    keys: Callable[[PartnerKeys], PartnerKeys],
    kind: str,
    words: str,
    now: datetime,
) -> PartnerKeys:
    async with db.transaction() as conn:
        row = await store.lock(conn, affiliate)
        if row is None:
            raise _unknown(affiliate)
        changed, before = keys(store.keys_of(by.vault, row)), await store.digest(conn, affiliate)
        await store.update_keys(conn, affiliate, by.vault, changed, now)
        await _record(conn, by, affiliate, kind, words, before, now)
    db.wake(CHANGED_CHANNEL, affiliate)
    return changed


async def change(
    db: Database,
    by: Who,
    affiliate: str,
    keys: Callable[[PartnerKeys], PartnerKeys],
    settings: Callable[[PartnerSettings], PartnerSettings],
    now: datetime,
) -> PartnerSettings:
    """Apply changes to a partner's secrets and settings, all or none, under a lock.

    Return the settings. Raises Refused (PARTNER_UNPROVEN, FIELD_INVALID). The caller checks whether
    the callback may be called: that needs the network.
    """
    async with db.transaction() as conn:
        row = await store.lock(conn, affiliate)
        if row is None:
            raise _unknown(affiliate)
        before, chosen = (
            store.keys_of(by.vault, row),
            msgspec.convert(row["settings"], PartnerSettings),
        )
        digest = await store.digest(conn, affiliate)
        after, changed = keys(before), settings(chosen)
        rules.check_gateway_key(after.gateway_key)
        rules.check_settings(changed)
        if names := rules.changed_names(before, after) + rules.changed_names(chosen, changed):
            await store.update_keys(conn, affiliate, by.vault, after, now)
            await store.update_settings(conn, affiliate, changed, now)
            await _record(conn, by, affiliate, "changed", " ".join(names), digest, now)
    db.wake(CHANGED_CHANNEL, affiliate)
    return changed


async def set_state(
    db: Database, by: Who, affiliate: str, state: Literal["active", "suspended"], now: datetime
) -> None:
    """Suspend a partner or reactivate it; raises Refused (PARTNER_UNPROVEN)."""
    async with db.transaction() as conn:
        if await store.lock(conn, affiliate) is None:
            raise _unknown(affiliate)
        before = await store.digest(conn, affiliate)
        await store.update_state(conn, affiliate, state, now)
        await _record(
            conn, by, affiliate, "suspended" if state == "suspended" else "resumed", "", before, now
        )
    db.wake(CHANGED_CHANNEL, affiliate)


async def _record(
    conn: Connection, by: Who, affiliate: str, kind: str, words: str, before: str, now: datetime
) -> None:
    """Write an act on a partner into its history and into the trail.

    before: its digest, "" for a new one.
    """
    await store.insert_event(conn, affiliate, kind, words, now)
    await record_partner(conn, by, _VERBS[kind], affiliate, before, now, words=words)


async def record_partner(
    conn: Connection,
    by: Who,
    verb: str,
    affiliate: str,
    before: str,
    now: datetime,
    **detail: object,
) -> None:
    """Record the new digest of a partner in the operator's trail."""
    said = trail.told(RowKind.PARTNER, await store.digest(conn, affiliate), before)
    await trail.record(conn, OPERATOR, by, f"partner.{verb}", affiliate, now, **detail, **said)


async def reseal(db: Database, by: Who, now: datetime) -> int:
    """Seal every partner's secrets with the newest key.

    Return how many were sealed with an older one.
    """
    done = 0
    for affiliate in [row["affiliate"] for row in await store.select_all(db)]:
        async with db.transaction() as conn:
            row = await store.lock(conn, affiliate)
            if row is not None and not by.vault.is_sealed_with_newest(row["sealed_keys"]):
                before = await store.digest(conn, affiliate)
                recorded = await trail.newest_told(
                    conn, by.vault, OPERATOR, RowKind.PARTNER, affiliate
                )
                await store.update_keys(
                    conn, affiliate, by.vault, store.keys_of(by.vault, row), now
                )
                if recorded == before:
                    await record_partner(conn, by, "reseal", affiliate, before, now)
                done += 1
    return done


def _unknown(affiliate: str) -> Exception:
    return refuse(RefusalCode.PARTNER_UNPROVEN, field="affiliate", received=affiliate[:16])


async def count_lookup(db: Database, partner: Partner, now: datetime) -> None:
    """Count a lookup of a person or business.

    Raises Refused (TOO_MANY_REQUESTS) when it is above the limit.
    """
    settings = partner.settings
    minute, day = await store.count_lookup(db, partner.affiliate, *minute_and_day(now))
    if minute > settings.lookups_a_minute or day > settings.lookups_a_day:
        allowed = f"{settings.lookups_a_minute} lookups a minute and {settings.lookups_a_day} a day"
        wait_s = left_of(DAY_S if day > settings.lookups_a_day else MINUTE_S, now.timestamp())
        raise refuse(RefusalCode.TOO_MANY_REQUESTS, allowed=allowed, retry_after_s=wait_s)


async def sweep(db: Database, now: datetime) -> None:
    """Delete calls and counts that are old enough (scheduled, gateway-wide)."""
    await store.sweep(db, now - rules.CALLS_KEPT_FOR, now - rules.COUNTS_KEPT_FOR)


class PartnerDirectory:
    """Partners by affiliate code and by card token, cached in process until one changes."""

    def __init__(self, db: Database, vault: Vault) -> None:
        """Keep the dependencies; call `start` before the first request."""
        self._db = db
        self._vault = vault
        self._known = RowCache(db, CHANGED_CHANNEL, self._load, lambda named: named or None)
        # A rotated token names no partner any more: every notice clears them all.
        self._by_token = RowCache(db, CHANGED_CHANNEL, self._named, lambda _: None)

    async def start(self) -> None:
        """Listen for changes made by other processes."""
        await self._known.start()
        await self._by_token.start()

    async def get(self, affiliate: str) -> Partner | None:
        """Return a partner, or None when there is none of this code.

        affiliate: as it was sent, unchecked.
        """
        return await self._known.get(affiliate) if rules.is_affiliate(affiliate) else None

    async def with_card_token(self, token: str) -> Partner | None:
        """Return the partner with a card token, as the one that uses it."""
        affiliate = await self._by_token.get(store.token_hash(token))
        partner = await self.get(affiliate) if affiliate else None
        # The two are cached separately: a token that was retired in between belongs to nobody.
        return (
            partner.using("card_token", token)
            if partner and token in partner.keys.valid("card_token")
            else None
        )

    async def everyone(self) -> list[Partner]:
        """Return all partners by code, read from the database."""
        return [store.partner_of(row, self._vault) for row in await store.select_all(self._db)]

    async def _load(self, affiliate: str) -> Partner | None:
        row = await store.select(self._db, affiliate)
        return store.partner_of(row, self._vault) if row else None

    async def _named(self, digest: bytes) -> str | None:
        return await store.by_card_token(self._db, digest)


class CallLog:
    """Records calls in batches: one row at a time would cost a call more than its own work.

    A killed process loses the calls of the last half second.
    """

    def __init__(self, db: Database) -> None:
        """Keep the database; call `start` in the running loop."""
        self._db = db
        self._waiting: list[RecordedCall] = []
        self._lost = 0
        self._writing: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()
        self._noted = asyncio.Event()

    async def start(self) -> None:
        """Start the writer."""
        self._writing = asyncio.create_task(self._until_closed())

    def note(self, call: RecordedCall) -> None:
        """Add a call; it is written soon."""
        if len(self._waiting) < CALLS_WAITING_MAX:
            self._waiting.append(call)
            self._noted.set()
        else:
            self._lost += 1

    async def close(self) -> None:
        """Write the waiting calls, and stop; a write under way may finish."""
        self._closing.set()
        self._noted.set()
        if self._writing is not None:
            await self._writing
        await self._write()

    async def _until_closed(self) -> None:
        while not self._closing.is_set():
            # Most processes serve no partner: they do not wake up for nothing.
            await self._noted.wait()
            self._noted.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(CALLS_WRITTEN_EVERY_S):
                    await self._closing.wait()
            await self._write()

    async def _write(self) -> None:
        calls, self._waiting = self._waiting, []
        if not calls:
            return
        try:
            await store.insert_calls(self._db, calls)
        except UNREACHABLE as error:
            _log.warning("partner_calls_not_written", error=type(error).__name__, calls=len(calls))
            # They are written when the database is back, as long as there is room for them.
            room = CALLS_WAITING_MAX - len(self._waiting)
            self._waiting[:0] = calls[:room]
            self._lost += len(calls[room:])
        except Exception as error:  # noqa: BLE001 (a batch that cannot be written must not keep others from it for ever)
            _log.exception(
                "partner_calls_not_writable", calls=len(calls), error=type(error).__name__
            )
            self._lost += len(calls)
        if self._lost:
            _log.warning("partner_calls_lost", calls=self._lost)
            self._lost = 0
