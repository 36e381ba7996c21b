"""Passkeys: who proves to be there by one, and that one which was written by SQL proves nothing."""

import base64
import hashlib
import json

import cbor2
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.marks import mark_of
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import world_now
from hundi.staff.people.factors import actions as factors
from hundi.staff.people.passkeys import store
from hundi.staff.people.passkeys.store import NewPasskey
from hundi.staff.people.proofs import actions as proofs
from hundi.staff.sign_in.passkeys import actions as passkeys
from hundi.staff.sign_in.passkeys.actions import Site
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who

VAULT = Vault({"k1": bytes(32)})
SITE = Site("pay.example", "https://pay.example")
CREDENTIAL, PERSON, STRANGER = b"credential", 5, 6
KEY = ec.generate_private_key(ec.SECP256R1())


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def _public() -> bytes:
    """Return the public key as a passkey is kept: COSE, ES256."""
    point = KEY.public_key().public_numbers()
    return cbor2.dumps({1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32), -3: point.y.to_bytes(32)})


def _answer(options: str) -> str:
    """Return what a browser with the passkey answers to a page."""
    asked = {
        "type": "webauthn.get",
        "challenge": json.loads(options)["challenge"],
        "origin": SITE.origin,
    }
    client = json.dumps({**asked, "crossOrigin": False}).encode()
    authenticator = hashlib.sha256(SITE.host.encode()).digest() + bytes((0b101,)) + (1).to_bytes(4)
    signature = KEY.sign(authenticator + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
    response = {
        "clientDataJSON": _text(client),
        "authenticatorData": _text(authenticator),
        "signature": _text(signature),
    }
    credential = _text(CREDENTIAL)
    return json.dumps(
        {"id": credential, "rawId": credential, "type": "public-key", "response": response}
    )


@pytest.mark.parametrize("ended_by", ["person.remove_passkey", "person.renew", "person.end"])
@pytest.mark.parametrize(
    ("marked", "shown"),
    [
        ((CREDENTIAL, PERSON, _public()), True),
        ((CREDENTIAL, STRANGER, _public()), False),
        ((CREDENTIAL, PERSON, b"another key"), False),
        (None, False),
    ],
)
async def test_a_passkey_that_was_not_made_here_shows_nobody(
    db: Database, marked: tuple[bytes, int, bytes] | None, ended_by: str, *, shown: bool
) -> None:
    await db.execute(
        "INSERT INTO people (person_id, email, name, handle, state, password_hash, sealed_totp,"
        " created_at, changed_at)"
        " VALUES ($1, 'asha@a.example', 'Asha', $2, 'active', 'x', $2, now(), now())",
        *(PERSON, bytes(32)),
    )
    mark = mark_of(VAULT, proofs.PASSKEY, *marked) if marked else b""
    passkey = NewPasskey(CREDENTIAL, PERSON, _public(), 0, "Mine", world_now(), mark)
    await store.insert(db, passkey)
    credential = factors.hash_of(CREDENTIAL.hex()).hex()
    asha = Who(PERSON, "Asha", VAULT)
    assert not await _is_shown(db), "nobody added it here"
    await trail.record(
        db, 0, asha, "person.add_passkey", PERSON, world_now(), credential=credential
    )
    assert await _is_shown(db) is shown
    await trail.record(db, 0, asha, ended_by, PERSON, world_now(), credential=credential)
    assert not await _is_shown(db), "a row that was put back"


async def _is_shown(db: Database) -> bool:
    options, offered = passkeys.sign_in_options(SITE, VAULT)
    return await passkeys.person_shown(db, VAULT, SITE, offered, _answer(options)) is not None
