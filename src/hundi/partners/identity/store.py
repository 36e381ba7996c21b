"""All SQL about requests for documents, consents, and the key that documents are signed with."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.partners.identity.rules import OtpRecord, RequestState

_COLUMNS = """affiliate, request_id, gateway_txn_id, holder_reference, last4, state, otp_hash,
    sends, wrong, sent_at, expires_at, forwarded_as, forwarded_txn"""

LOCK_HOLDER = "SELECT pg_advisory_xact_lock($1)"
LOCK_LATEST = f"""
SELECT {_COLUMNS} FROM identity_requests WHERE affiliate = $1
    AND holder_reference = ANY ($2::bytea[])
ORDER BY created_at DESC LIMIT 1 FOR UPDATE
"""
LOCK = (
    f"SELECT {_COLUMNS} FROM identity_requests WHERE affiliate = $1 AND request_id = $2 FOR UPDATE"
)
SENDS_TO = """
SELECT coalesce(sum(sends), 0)::int FROM identity_requests
WHERE affiliate = $1 AND holder_reference = ANY ($2::bytea[]) AND created_at > $3
"""
INSERT = """
INSERT INTO identity_requests (affiliate, request_id, gateway_txn_id, holder_reference, last4,
    state, otp_hash, sends, sent_at, expires_at, created_at)
VALUES ($1, $2, $3, $4, $5, 'open', $6, 1, $7, $8, $7)
"""
RESEND = """
UPDATE identity_requests SET otp_hash = $3, sends = sends + 1, sent_at = $4, expires_at = $5
WHERE affiliate = $1 AND request_id = $2
"""
FORWARDED = """
UPDATE identity_requests SET forwarded_as = $3, forwarded_txn = $4 WHERE affiliate = $1
    AND request_id = $2
"""
TRIED = (
    "UPDATE identity_requests SET wrong = $3, state = $4 WHERE affiliate = $1 AND request_id = $2"
)
USE_UP = """
UPDATE identity_requests SET state = 'used'
WHERE affiliate = $1 AND request_id = $2 AND gateway_txn_id = $3 AND state = 'open'
    AND otp_hash = $4
    AND expires_at > $5
"""
INSERT_CONSENT = """
INSERT INTO identity_consents (affiliate, reference, at, holder_reference, last4, sealed_words)
VALUES ($1, $2, $3, $4, $5, $6)
"""
SELECT_KEY = "SELECT purpose, sealed_key, certificate FROM signing_keys WHERE purpose = $1"
INSERT_KEY = """
INSERT INTO signing_keys (purpose, sealed_key, certificate, created_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING
"""
SEALED_KEYS = "SELECT purpose, sealed_key, certificate FROM signing_keys"
RESEAL_KEY = "UPDATE signing_keys SET sealed_key = $2 WHERE purpose = $1"
CONSENTS_AFTER = """
SELECT affiliate, reference, at, last4, sealed_words FROM identity_consents
    WHERE (affiliate, reference) > ($1, $2)
ORDER BY affiliate, reference LIMIT 500
"""
NEWEST_CONSENTS = """
SELECT affiliate, reference, at, last4, sealed_words FROM identity_consents WHERE affiliate = $1
ORDER BY at DESC LIMIT $2
"""
RESEAL_CONSENT = """
UPDATE identity_consents SET sealed_words = $3 WHERE affiliate = $1 AND reference = $2
    AND sealed_words = $4
"""
SWEEP = "DELETE FROM identity_requests WHERE created_at < $1"


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A sealed key that signs documents of one purpose, with its certificate (X.509, DER)."""

    purpose: str
    sealed_key: bytes = field(repr=False)
    certificate: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class SealedConsent:
    """A consent as it is stored. reference: of the call. last4: of the number that was checked."""

    affiliate: str
    reference: str
    at: datetime
    last4: str
    sealed_words: bytes = field(repr=False)


def _request(row: Record) -> OtpRecord:
    values: dict[str, Any] = dict(row)
    values["state"] = RequestState(row["state"])
    return OtpRecord(**values)


async def lock_holder(conn: Connection, holder_reference: bytes) -> None:
    """Lock a holder: nobody else requests their password until the transaction ends."""
    await conn.execute(LOCK_HOLDER, int.from_bytes(holder_reference[:8], signed=True))


async def lock_latest(
    conn: Connection, affiliate: str, references: tuple[bytes, ...]
) -> OtpRecord | None:
    """Return a partner's latest request about a holder, locked until the transaction ends."""
    row = await conn.fetchrow(LOCK_LATEST, affiliate, references)
    return _request(row) if row else None


async def lock(conn: Queries, affiliate: str, request_id: str) -> OtpRecord | None:
    """Return a request, locked until the end of the transaction."""
    row = await conn.fetchrow(LOCK, affiliate, request_id)
    return _request(row) if row else None


async def sends_to(
    conn: Connection, affiliate: str, references: tuple[bytes, ...], since: datetime
) -> int:
    """Return how many passwords a partner sent to a holder since a time."""
    return int(await conn.fetchval(SENDS_TO, affiliate, references, since) or 0)


async def insert(conn: Connection, new: OtpRecord) -> None:
    """Write a new request, whose first password is about to be sent."""
    await conn.execute(
        INSERT,
        new.affiliate,
        new.request_id,
        new.gateway_txn_id,
        new.holder_reference,
        new.last4,
        new.otp_hash,
        new.sent_at,
        new.expires_at,
    )


async def resend(conn: Connection, request: OtpRecord) -> None:
    """Write a new password of a request, which replaces the last one."""
    await conn.execute(
        RESEND,
        request.affiliate,
        request.request_id,
        request.otp_hash,
        request.sent_at,
        request.expires_at,
    )


async def forwarded(db: Database, request: OtpRecord, request_id: str, gateway_txn_id: int) -> None:
    """Write a live provider's ids of a request."""
    await db.execute(FORWARDED, request.affiliate, request.request_id, request_id, gateway_txn_id)


async def tried(conn: Connection, request: OtpRecord, wrong: int, state: RequestState) -> None:
    """Write the result of a try with a password."""
    await conn.execute(TRIED, request.affiliate, request.request_id, wrong, state)


async def use_up(db: Database, request: OtpRecord, now: datetime) -> bool:
    """Use up the password of an unchanged request; return whether it was unchanged."""
    key = request.affiliate, request.request_id, request.gateway_txn_id
    return await db.execute(USE_UP, *key, request.otp_hash, now) == "UPDATE 1"


async def insert_consent(db: Database, *values: object) -> None:
    """Write a consent; values are the columns of INSERT_CONSENT, in order."""
    await db.execute(INSERT_CONSENT, *values)


async def signing_key(db: Database, purpose: str) -> SigningKey | None:
    """Return the key that signs documents of a purpose."""
    row = await db.fetchrow(SELECT_KEY, purpose)
    return SigningKey(**dict(row)) if row else None


async def insert_key(
    db: Database, purpose: str, sealed_key: bytes, certificate: bytes, now: datetime
) -> None:
    """Write a key, unless another process was faster."""
    await db.execute(INSERT_KEY, purpose, sealed_key, certificate, now)


async def sealed_keys(db: Database) -> list[SigningKey]:
    """Return every signing key as it is stored."""
    return [SigningKey(**dict(row)) for row in await db.fetch(SEALED_KEYS)]


async def reseal_key(db: Database, purpose: str, sealed_key: bytes) -> None:
    """Replace a signing key's seal."""
    await db.execute(RESEAL_KEY, purpose, sealed_key)


async def consents_after(db: Database, affiliate: str, reference: str) -> list[SealedConsent]:
    """Return the next consents by key; none after the last."""
    return [
        SealedConsent(**dict(row)) for row in await db.fetch(CONSENTS_AFTER, affiliate, reference)
    ]


async def newest_consents(db: Database, affiliate: str, limit: int) -> list[SealedConsent]:
    """Return a partner's latest consents."""
    return [SealedConsent(**dict(row)) for row in await db.fetch(NEWEST_CONSENTS, affiliate, limit)]


async def reseal_consent(db: Database, consent: SealedConsent, words: bytes) -> bool:
    """Re-encrypt a consent text with the newest key.

    False when somebody changed it since it was read.
    """
    values = consent.affiliate, consent.reference, words, consent.sealed_words
    return await db.execute(RESEAL_CONSENT, *values) == "UPDATE 1"


async def sweep(db: Database, before: datetime) -> None:
    """Delete requests before a time."""
    await db.execute(SWEEP, before)
