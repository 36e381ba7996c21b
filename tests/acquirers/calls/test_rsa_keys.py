"""Keys in PEM, however an operator's form or variable writes their lines."""

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from hundi.acquirers.calls.rsa_keys import private_key, public_key

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
SHORT = rsa.generate_private_key(public_exponent=65537, key_size=1024)  # noqa: S505 (has to be refused)
CURVE = ec.generate_private_key(ec.SECP256R1())


def private_pem(
    key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey,
    form: PrivateFormat = PrivateFormat.PKCS8,
    encryption: KeySerializationEncryption | None = None,
) -> str:
    return key.private_bytes(Encoding.PEM, form, encryption or NoEncryption()).decode()


def public_pem(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> str:
    public = key.public_key()
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


@pytest.mark.parametrize("form", [PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL])
@pytest.mark.parametrize("breaks", ["\n", "\r\n", "", " ", "\\n"])
def test_a_key_is_read_with_and_without_its_lines(form: PrivateFormat, breaks: str) -> None:
    own = private_key(private_pem(KEY, form).replace("\n", breaks))
    assert own.private_numbers() == KEY.private_numbers()
    other = public_key(public_pem(KEY).replace("\n", breaks))
    assert other.public_numbers() == KEY.public_key().public_numbers()


@pytest.mark.parametrize(
    "pem",
    [
        "",
        "no key",
        private_pem(CURVE),
        private_pem(SHORT),
        private_pem(KEY, encryption=BestAvailableEncryption(b"secret")),
        public_pem(KEY),
        private_pem(KEY).replace("A", "B", 3),
    ],
)
def test_what_is_no_private_key_is_refused(pem: str) -> None:
    with pytest.raises(ValueError, match=r"(?i)key|pem"):
        private_key(pem)


@pytest.mark.parametrize("pem", ["", "no key", private_pem(KEY), public_pem(CURVE)])
def test_what_is_no_public_key_is_refused(pem: str) -> None:
    with pytest.raises(ValueError, match=r"(?i)key|pem"):
        public_key(pem)
