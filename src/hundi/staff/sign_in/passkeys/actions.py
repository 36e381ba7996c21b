"""Passkeys: proof by a person's device or key, with its own check of the person (WebAuthn).

A passkey counts as both factors: the device is one; finger, face or PIN, which it must ask for, the
other.
"""

import base64
import secrets
from contextlib import suppress
from datetime import datetime, timedelta
from ipaddress import ip_address
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec
from asyncpg import Record

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.marks import holds, mark_of
from hundi.infra.secrets.vault import Vault, VaultError
from hundi.infra.settings import Settings
from hundi.kernel.clock import utc_now, world_now
from hundi.staff.people import store as people_store
from hundi.staff.people.factors import actions as people_factors
from hundi.staff.people.history.actions import CREDENTIAL, history_of
from hundi.staff.people.passkeys import store as passkeys
from hundi.staff.people.passkeys.store import NewPasskey
from hundi.staff.people.proofs import actions as proofs
from hundi.staff.people.proofs.actions import PASSKEY
from hundi.staff.people.rules import Person
from hundi.staff.sign_in import store
from hundi.staff.sign_in.rules import Session
from hundi.staff.trail.actions import Who

CHALLENGE_LIFE = timedelta(minutes=5)
PASSKEYS_MAX = 10
"""Passkeys of one person."""
NAME_LENGTH_MAX = 60
_PURPOSE = "staff-passkey-challenge"
_CHALLENGE_BYTES = 32
_PATIENCE_MS = 60_000


class Site(NamedTuple):
    """The binding of passkeys: the host, and the origin whose pages may ask."""

    host: str
    origin: str


def site_of(settings: Settings, host: str) -> Site | None:
    """Return the binding of passkeys; None at a bare IP address, which browsers do not allow.

    host: in the browser's address. A demo on this machine has passkeys when it is reached as
    `localhost`.
    """
    parts = urlsplit(settings.base_url)
    site = Site(parts.hostname or "", settings.base_url)
    with suppress(ValueError):
        named = settings.demo and ip_address(site.host).is_loopback
        site = Site("localhost", f"{parts.scheme}://localhost:{parts.port}") if named else None
    return site if site and site.host == host else None


class _Offered(msgspec.Struct, frozen=True):
    """A challenge for an unknown visitor; without a session to store it, it travels sealed."""

    challenge: bytes
    at: datetime


def sign_in_options(site: Site, vault: Vault) -> tuple[str, str]:
    """Return the browser's options for a sign-in, as JSON, and the sealed challenge."""
    challenge = secrets.token_bytes(_CHALLENGE_BYTES)
    options = {
        "challenge": _text(challenge),
        "rpId": site.host,
        "userVerification": "required",
        "timeout": _PATIENCE_MS,
    }
    offered = vault.seal(msgspec.json.encode(_Offered(challenge, world_now())), _PURPOSE)
    return msgspec.json.encode(options).decode(), base64.urlsafe_b64encode(offered).decode()


async def person_shown(
    db: Database, vault: Vault, site: Site, offered: str, answer: str
) -> Person | None:
    """Return the person whom a passkey proves, or None. A challenge is answered once."""
    import webauthn  # noqa: PLC0415 (a tenth of a process's start: only who uses a passkey pays for it)

    bad = _bad()
    try:
        opened = msgspec.json.decode(
            vault.open(base64.urlsafe_b64decode(offered), _PURPOSE), type=_Offered
        )
        answer_fields: dict[str, Any] = msgspec.json.decode(answer)
        credential_id = _bytes(answer_fields["rawId"])
    except (VaultError, *bad):
        return None
    now = world_now()
    row = await passkeys.select(db, credential_id)
    if row is None or now - opened.at > CHALLENGE_LIFE:
        return None
    if not await _is_ours(db, vault, credential_id, row):
        return None
    try:
        proved = webauthn.verify_authentication_response(
            credential=answer_fields,
            expected_challenge=opened.challenge,
            expected_rp_id=site.host,
            expected_origin=site.origin,
            credential_public_key=row["public_key"],
            credential_current_sign_count=row["sign_count"],
            require_user_verification=True,
        )
    except bad:
        return None
    if not await store.use_challenge(db, people_factors.hash_of(offered), now):
        return None
    await passkeys.use(db, credential_id, proved.new_sign_count, now)
    person = await people_store.select(db, row["person_id"])
    return person if person and person.state == "active" else None


async def _is_ours(db: Database, vault: Vault, credential_id: bytes, row: Record) -> bool:
    """Return whether a passkey was made here, and is not a removed one that was put back."""
    if not holds(vault, PASSKEY, row["mark"], credential_id, row["person_id"], row["public_key"]):
        return False
    history = await history_of(db, vault, row["person_id"])
    return history.has_passkey(people_factors.hash_of(credential_id.hex()).hex())


async def registration_options(db: Database, site: Site, person: Person, session: Session) -> str:
    """Return the browser's options for a new passkey, as JSON; the session stores the challenge."""
    import webauthn  # noqa: PLC0415 (see person_shown)
    from webauthn.helpers import structs  # noqa: PLC0415 (see person_shown)

    known = await passkeys.passkeys_of(db, person.person_id)
    options = webauthn.generate_registration_options(
        rp_id=site.host,
        rp_name="Hundi",
        user_id=person.handle,
        user_name=person.email,
        user_display_name=person.name,
        authenticator_selection=structs.AuthenticatorSelectionCriteria(
            resident_key=structs.ResidentKeyRequirement.REQUIRED,
            user_verification=structs.UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=[
            structs.PublicKeyCredentialDescriptor(id=row["credential_id"]) for row in known
        ],
    )
    await store.set_challenge(db, session.session_hash, options.challenge)
    return webauthn.options_to_json(options)


async def register(
    db: Database, by: Who, site: Site, person: Person, session: Session, answer: str, name: str
) -> str:
    """Store a new passkey; return why it is refused, or ""."""
    import webauthn  # noqa: PLC0415 (see person_shown)

    if len(await passkeys.passkeys_of(db, person.person_id)) >= PASSKEYS_MAX:
        return f"There are {PASSKEYS_MAX} passkeys already: remove one first."
    if session.challenge is None:
        return "The page is old. Open it again."
    try:
        proved = webauthn.verify_registration_response(
            credential=dict(msgspec.json.decode(answer)),
            expected_challenge=session.challenge,
            expected_rp_id=site.host,
            expected_origin=site.origin,
            require_user_verification=True,
        )
    except _bad():
        return "The browser's answer proves nothing. Try again."
    await store.set_challenge(db, session.session_hash, None)
    shown_name = " ".join(name.split())[:NAME_LENGTH_MAX] or "Passkey"
    fields = proved.credential_id, person.person_id, proved.credential_public_key
    mark = mark_of(by.vault, PASSKEY, *fields)
    passkey = NewPasskey(*fields, proved.sign_count, shown_name, world_now(), mark)
    async with db.transaction() as conn:
        if not await passkeys.insert(conn, passkey):
            return "This passkey is known already."
        detail = {
            "name": shown_name,
            CREDENTIAL: people_factors.hash_of(proved.credential_id.hex()).hex(),
        }
        await proofs.record_setting(
            conn, by, "person.add_passkey", person.person_id, utc_now(), **detail
        )
    return ""


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def _bad() -> tuple[type[Exception], ...]:
    """Return the exceptions for an answer that proves nothing or is malformed."""
    from webauthn.helpers.exceptions import WebAuthnException  # noqa: PLC0415 (see person_shown)

    return WebAuthnException, msgspec.DecodeError, ValueError, TypeError, KeyError, AttributeError
