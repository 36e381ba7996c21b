"""The key that signs roots (Ed25519): created once, and sealed in the vault."""

from datetime import datetime, timedelta

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_der_private_key

from hundi.infra.secrets.certificates import self_signed

_VALID_FOR = timedelta(days=36_500)


def new_key(now: datetime) -> tuple[bytes, bytes]:
    """Return a new key and its self-signed certificate, both as DER."""
    return self_signed(Ed25519PrivateKey.generate(), "Hundi books", _VALID_FOR, now)


def sign(private: bytes, text: bytes) -> bytes:
    """Return the signature of a text."""
    key = load_der_private_key(private, None)
    if not isinstance(key, Ed25519PrivateKey):
        message = "the key that roots are signed with is of another kind"
        raise TypeError(message)
    return key.sign(text)
