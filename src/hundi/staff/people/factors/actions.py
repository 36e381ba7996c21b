"""The secrets of a second factor: one-time passwords and recovery codes."""

import base64
import hashlib
import secrets

from hundi.infra.postgres.database import Connection
from hundi.infra.secrets.vault import Vault
from hundi.staff.people import store
from hundi.staff.people.proofs import actions as proofs

CODES = 10
"""The recovery codes of a person."""

_CODE_BYTES = 10

TOTP_BYTES = 20

_PURPOSE = "staff-totp"


def hash_of(secret: str) -> bytes:
    """Return the stored hash of a random secret, which has too many bits to be guessed."""
    return hashlib.sha256(secret.encode()).digest()


def new_totp_secret() -> str:
    """Return a new secret of a second factor, in base 32."""
    return base64.b32encode(secrets.token_bytes(TOTP_BYTES)).decode()


async def new_codes(conn: Connection, vault: Vault, person_id: int) -> list[str]:
    """Return new recovery codes, which replace the older ones; they are shown this once."""
    codes = [
        _grouped(base64.b32encode(secrets.token_bytes(_CODE_BYTES)).decode().lower())
        for _ in range(CODES)
    ]
    hashes = [hash_of(code) for code in codes]
    await store.replace_codes(
        conn, person_id, {each: proofs.code_mark(vault, person_id, each) for each in hashes}
    )
    return codes


def _grouped(code: str) -> str:
    return "-".join(code[start : start + 4] for start in range(0, len(code), 4))


def seal_totp(vault: Vault, person_id: int, secret: str) -> bytes:
    """Return the secret of a second factor sealed for storage."""
    return vault.seal(secret.encode(), _PURPOSE, person_id)


def open_totp(vault: Vault, person_id: int, sealed: bytes) -> str:
    """Return the secret of a second factor, opened."""
    return vault.open(sealed, _PURPOSE, person_id).decode()
