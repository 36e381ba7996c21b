"""Keys with which this gateway signs, each with a self-signed certificate."""

from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


def self_signed(
    key: Ed25519PrivateKey | RSAPrivateKey, name: str, valid_for: timedelta, now: datetime
) -> tuple[bytes, bytes]:
    """Return a key (PKCS #8) and its certificate (X.509), both as DER. name: of the holder."""
    whose = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(whose)
        .issuer_name(whose)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + valid_for)
        .sign(key, SHA256() if isinstance(key, RSAPrivateKey) else None)
    )
    private = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    return private, certificate.public_bytes(Encoding.DER)
