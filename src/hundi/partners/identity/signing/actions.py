"""The gateway's key for signing documents: made once, read by every process."""

from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from hundi.infra.secrets.certificates import self_signed
from hundi.partners.identity.document import Signer

_KEY_BITS = 2048
_VALID_FOR = timedelta(days=3_650)


def new_key(now: datetime) -> tuple[bytes, bytes]:
    """Return a new key and its self-signed certificate, both as DER."""
    key = rsa.generate_private_key(65537, _KEY_BITS)
    return self_signed(key, "Hundi simulated identity register", _VALID_FOR, now)


def read_key(private: bytes, certificate: bytes) -> Signer:
    """Return a stored key as a signer."""
    key = serialization.load_der_private_key(private, None)
    if not isinstance(key, rsa.RSAPrivateKey):
        message = "the signing key is of another kind"
        raise TypeError(message)
    return Signer(key, x509.load_der_x509_certificate(certificate))
