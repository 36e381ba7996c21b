"""CCAvenue's encryption: AES-CBC under the MD5 of the working key; see docs/ccavenue.md.

Its IV is fixed, and it has no signature: whoever holds a message can change it, and nothing that a
browser brings proves an outcome.
"""

import binascii
import hashlib

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC
from cryptography.hazmat.primitives.padding import PKCS7

_IV = CBC(bytes(range(16)))
_PADDING = PKCS7(128)


def seal(text: bytes, key: str) -> str:
    """Return a text encrypted, in hexadecimal digits."""
    padder, encryptor = _PADDING.padder(), _cipher(key).encryptor()
    padded = padder.update(text) + padder.finalize()
    return (encryptor.update(padded) + encryptor.finalize()).hex()


def opened(sealed: str, key: str) -> bytes | None:
    """Return the text of hexadecimal digits, or None if this key does not open them."""
    try:
        whole = binascii.unhexlify(sealed.strip())
        decryptor, unpadder = _cipher(key).decryptor(), _PADDING.unpadder()
        padded = decryptor.update(whole) + decryptor.finalize()
        return unpadder.update(padded) + unpadder.finalize()
    except ValueError:
        return None


def _cipher(key: str) -> Cipher[CBC]:
    return Cipher(AES(hashlib.md5(key.encode(), usedforsecurity=False).digest()), _IV)
