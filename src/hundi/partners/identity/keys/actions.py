"""Create, store and seal the keys that sign identity documents."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.partners.identity import store
from hundi.partners.identity.consents import actions as consents
from hundi.partners.identity.store import SigningKey

if TYPE_CHECKING:
    from hundi.partners.identity.document import Signer


_SIGNING_PURPOSE = "offline-document"


@dataclass(slots=True)
class Signers:
    """This process's key for documents; the first request that needs it reads or makes it."""

    known: "Signer | None" = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


async def signer_of(signers: Signers, db: Database, vault: Vault, now: datetime) -> "Signer":
    """Return this gateway's key for documents, made for the first document.

    The same in every process.
    """
    async with signers.turn:
        if signers.known is None:
            signers.known = await _stored_signer(db, vault, now)
        return signers.known


async def _stored_signer(db: Database, vault: Vault, now: datetime) -> "Signer":
    from hundi.partners.identity.signing import actions as signing  # noqa: PLC0415 (as in `issue`: signing is a tenth of a start)

    stored = await _stored_key(db, vault, now)
    return signing.read_key(vault.open(stored.sealed_key, _SIGNING_PURPOSE), stored.certificate)


async def certificate(db: Database, vault: Vault, now: datetime) -> bytes:
    """Return the certificate (X.509, DER) that documents are signed with.

    It is made with its key if missing.
    """
    return (await _stored_key(db, vault, now)).certificate


async def _stored_key(db: Database, vault: Vault, now: datetime) -> SigningKey:
    from hundi.partners.identity.signing import actions as signing  # noqa: PLC0415 (as in `issue`)

    stored = await store.signing_key(db, _SIGNING_PURPOSE)
    if stored is None:
        # Finding a key takes a while; other requests go on meanwhile.
        key, made = await asyncio.to_thread(signing.new_key, now)
        await store.insert_key(db, _SIGNING_PURPOSE, vault.seal(key, _SIGNING_PURPOSE), made, now)
        stored = await store.signing_key(db, _SIGNING_PURPOSE)
    assert stored is not None, "the signing key disappeared"
    return stored


async def reseal(db: Database, vault: Vault) -> int:
    """Seal signing keys and consents with the newest key; return how many had an older one."""
    done = 0
    for key in await store.sealed_keys(db):
        if not vault.is_sealed_with_newest(key.sealed_key):
            opened = vault.open(key.sealed_key, key.purpose)
            await store.reseal_key(db, key.purpose, vault.seal(opened, key.purpose))
            done += 1
    return done + await consents.reseal(db, vault)
