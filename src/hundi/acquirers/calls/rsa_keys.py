"""RSA keys in PEM, as operators type them into an account."""

import re

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

KEY_BITS_MIN = 2_048
_PEM = re.compile(r"-----BEGIN ([A-Z ]+)-----(.+)-----END \1-----", re.DOTALL)
_BREAKS = re.compile(r"\s|\\n")
"""Line breaks, and how a variable may spell them."""
_COLUMNS = 64


def public_key(pem: str) -> RSAPublicKey:
    """Return a public key. Raises ValueError: it is no RSA key in PEM."""
    key = load_pem_public_key(_in_lines(pem))
    if not isinstance(key, RSAPublicKey):
        message = "the public key is no RSA key"
        raise ValueError(message)  # noqa: TRY004 (a wrong setting, as the loader says it)
    return key


def private_key(pem: str) -> RSAPrivateKey:
    """Return a private key.

    Raises ValueError: it is no RSA key in PEM without a password, or a short one.
    """
    try:
        key = load_pem_private_key(_in_lines(pem), password=None)
    except TypeError:
        message = "the private key has a password"
        raise ValueError(message) from None
    if not isinstance(key, RSAPrivateKey) or key.key_size < KEY_BITS_MIN:
        message = f"the private key is no RSA key of {KEY_BITS_MIN} bits or more"
        raise ValueError(message)
    return key


def _in_lines(pem: str) -> bytes:
    """Return a key with the lines of PEM: a form's field for secrets has one line."""
    found = _PEM.search(pem)
    if found is None:
        return pem.encode()
    name, text = found[1], _BREAKS.sub("", found[2])
    lines = [text[place : place + _COLUMNS] for place in range(0, len(text), _COLUMNS)]
    return "\n".join((f"-----BEGIN {name}-----", *lines, f"-----END {name}-----", "")).encode()
