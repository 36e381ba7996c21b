"""The key that roots are signed with (Ed25519): made once, and sealed in the vault."""

from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_der_private_key,
)
from cryptography.x509.oid import NameOID

_VALID_FOR = timedelta(days=36_500)


def new_key(now: datetime) -> tuple[bytes, bytes]:
    """Return a new key and a certificate that it has signed itself, both as DER."""
    key = Ed25519PrivateKey.generate()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Hundi books")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + _VALID_FOR)
        .sign(key, None)
    )
    private = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    return private, certificate.public_bytes(Encoding.DER)


def sign(private: bytes, text: bytes) -> bytes:
    """Return the signature of a text."""
    key = load_der_private_key(private, None)
    if not isinstance(key, Ed25519PrivateKey):
        message = "the key that roots are signed with is of another kind"
        raise TypeError(message)
    return key.sign(text)
