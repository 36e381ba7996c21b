"""Marks of rows: HMAC-SHA256 under a key that the database never holds.

Access to the rows without the key is not enough to forge a mark.
"""

import hmac
from datetime import UTC, datetime
from hashlib import sha256

from hundi.infra.secrets.vault import Vault

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Value = str | int | bytes | datetime | None


def mark_of(vault: Vault, purpose: str, *values: Value) -> bytes:
    """Return the mark of these values under the newest key.

    purpose: the kind of row, so that a mark does not fit another kind.
    """
    return _mark(vault.derive(purpose), values)


def holds(vault: Vault, purpose: str, mark: bytes, *values: Value) -> bool:
    """Return whether a mark fits these values under any key that this process knows."""
    return any(hmac.compare_digest(mark, _mark(key, values)) for key in vault.derive_all(purpose))


def _mark(key: bytes, values: tuple[Value, ...]) -> bytes:
    # Over the digest of each value, with its kind, so that no two lists of values give the same
    # text.
    text = b"".join(sha256(_text(value)).digest() for value in values)
    return hmac.new(key, text, sha256).digest()


def _text(value: Value) -> bytes:
    if value is None:
        return b"none"
    if isinstance(value, datetime):
        return b"at " + str((value - _EPOCH) // datetime.resolution).encode()
    if isinstance(value, bytes):
        return b"bytes " + value
    return f"{type(value).__name__} {value}".encode()
