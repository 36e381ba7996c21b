"""Paytm's checksum: AES-CBC over a salted SHA-256, with the merchant's key; see docs/paytm.md.

Its IV is fixed and it has no time: whoever has seen a webhook can send it again.
"""

import base64
import binascii
import hashlib
import hmac
import secrets
import string
from collections.abc import Mapping

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC

_IV = CBC(b"@@@@&&&&####$$$$")
_BLOCK = 16
_SALT_LENGTH = 4
_LETTERS = string.ascii_letters + string.digits
_PLAIN_LENGTH = 64 + _SALT_LENGTH
"""Characters of a SHA-256 in hexadecimal digits, and of its salt behind it."""
_PADDING = bytes([_BLOCK - _PLAIN_LENGTH % _BLOCK]) * (_BLOCK - _PLAIN_LENGTH % _BLOCK)


def sign(text: bytes, key: str, salt: str = "") -> str:
    """Return the checksum of a text. salt: four letters or digits; "" makes them."""
    salt = salt or "".join(secrets.choice(_LETTERS) for _ in range(_SALT_LENGTH))
    encryptor = Cipher(AES(key.encode()), _IV).encryptor()
    return base64.b64encode(
        encryptor.update(_salted(text, salt) + _PADDING) + encryptor.finalize()
    ).decode()


def holds(text: bytes, key: str, checksum: str) -> bool:
    """Return whether a checksum is of this text, made with this key."""
    try:
        sealed = base64.b64decode(checksum, validate=True)
    except (ValueError, binascii.Error):
        return False
    if len(sealed) != _PLAIN_LENGTH + len(_PADDING):
        return False
    decryptor = Cipher(AES(key.encode()), _IV).decryptor()
    opened = decryptor.update(sealed) + decryptor.finalize()
    salt = opened[_PLAIN_LENGTH - _SALT_LENGTH : _PLAIN_LENGTH].decode("latin-1")
    return hmac.compare_digest(opened, _salted(text, salt) + _PADDING)


def form_text(form: Mapping[str, str]) -> bytes:
    """Return the text of a form's checksum: its values, sorted by name; "null" is empty."""
    values = (form[name] for name in sorted(form))
    return "|".join("" if value.lower() == "null" else value for value in values).encode()


def _salted(text: bytes, salt: str) -> bytes:
    tail = salt.encode("latin-1")
    return hashlib.sha256(text + b"|" + tail).hexdigest().encode() + tail
