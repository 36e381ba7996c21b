"""The key that this gateway signs documents with: made once, read by every process."""

from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import NameOID

from hundi.partners.identity.document import Signer

_KEY_BITS = 2048
_VALID_FOR = timedelta(days=3_650)


def new_key(now: datetime) -> tuple[bytes, bytes]:
    """Return a new key and a certificate that it has signed itself, both as DER."""
    key = rsa.generate_private_key(65537, _KEY_BITS)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Hundi simulated identity register")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + _VALID_FOR)
        .sign(key, SHA256())
    )
    form = serialization.Encoding.DER
    private = key.private_bytes(form, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return private, certificate.public_bytes(form)


def read_key(private: bytes, certificate: bytes) -> Signer:
    """Return a key as documents are signed with it."""
    key = serialization.load_der_private_key(private, None)
    if not isinstance(key, rsa.RSAPrivateKey):
        message = "the signing key is of another kind"
        raise TypeError(message)
    return Signer(key, x509.load_der_x509_certificate(certificate))
