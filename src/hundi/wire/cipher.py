"""The cipher of `encdata` and replies: AES-256-CBC under a key made of username and password.

The IV is in front. The cipher has no authentication tag. Whoever holds a message can change its
first 16 plaintext bytes through the IV, so a plaintext proves nothing by itself: authenticate
first, open second, and let every operation demand its own fields. See docs/spec/wire.md#cipher and
docs/spec/wire.md#cipher-limits.
"""

import binascii
import hashlib
import re
import secrets
from functools import lru_cache

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC

from hundi.wire import strict_json
from hundi.wire.strict_json import JsonValue

BLOCK = 16
"""Bytes of an AES block, and characters of the IV."""

KEYS_KEPT_MAX = 1_024
"""Keys whose check is cached."""

_IV = re.compile(r"[ -~]{16}\Z")
# A form body whose `+` was not encoded arrives with spaces; some base64 writers break lines.
_REPAIRS = str.maketrans({" ": "+", "\r": None, "\n": None})
_PADDINGS = tuple(bytes([size]) * size for size in range(BLOCK + 1))


class UnreadableCipher(ValueError):  # noqa: N818 (the protocol's word; one error for every way of being unreadable)
    """The message cannot be opened.

    It deliberately gives no reason, which would be a padding oracle.
    """


def encryption_key(username: str, password: str) -> bytes:
    """Return the key: the 32 hex characters of md5(username~:~password) as 32 ASCII bytes.

    The characters are in lower case.
    """
    return key_of_secret(f"{username}~:~{password}")


def key_of_secret(secret: str) -> bytes:
    """Return the key made of one text, as kits before version 4 make it of their API secret."""
    digest = hashlib.md5(secret.encode(), usedforsecurity=False)
    return digest.hexdigest().encode("ascii")


def seal(key: bytes, plaintext: bytes, iv: str | None = None) -> str:
    """Return IV (16 characters) and padded base64 of the ciphertext, without a separator.

    iv: 16 printable ASCII characters; by default 8 random bytes as hex. Raises ValueError for any
    other IV.
    """
    if iv is None:
        iv = secrets.token_hex(BLOCK // 2)
    elif not _IV.match(iv):
        message = "an IV is 16 printable ASCII characters"
        raise ValueError(message)
    encryptor = Cipher(_aes(key), CBC(iv.encode("ascii"))).encryptor()
    padded = plaintext + _PADDINGS[BLOCK - len(plaintext) % BLOCK]
    return iv + binascii.b2a_base64(encryptor.update(padded), newline=False).decode("ascii")


def open_(key: bytes, encdata: str) -> bytes:
    """Return the plaintext of a sealed message; `+` that arrived as space is repaired.

    Raises UnreadableCipher.
    """
    plaintext, intact = _open(key, encdata)
    if not intact:
        raise UnreadableCipher
    return plaintext


def open_json(
    key: bytes, encdata: str, values_max: int = strict_json.VALUES_MAX
) -> dict[str, JsonValue]:
    """Return the JSON object in a sealed message. Raises UnreadableCipher.

    Numbers are `strict_json.JsonNumber`. values_max: the most values in it.

    A message with bad base64 or bad padding is decrypted and parsed all the same, so that the three
    failures take the same path and about the same time.
    """
    plaintext, intact = _open(key, encdata)
    try:
        value = strict_json.parse(plaintext, values_max)
    except strict_json.UnreadableJson:
        intact, value = False, {}
    if not intact:
        raise UnreadableCipher
    return value


def _open(key: bytes, encdata: str) -> tuple[bytes, bool]:
    """Return the plaintext and whether it is valid; a broken message is decrypted all the same."""
    message = _split(encdata) or _split(encdata.translate(_REPAIRS))
    intact = message is not None
    iv, ciphertext = message or (bytes(BLOCK), bytes(max(BLOCK, len(encdata) // BLOCK * BLOCK)))
    padded = Cipher(_aes(key), CBC(iv)).decryptor().update(ciphertext)
    size = padded[-1]
    if not 1 <= size <= BLOCK or not padded.endswith(_PADDINGS[size]):
        return padded, False
    return padded[:-size], intact


@lru_cache(maxsize=KEYS_KEPT_MAX)
def _aes(key: bytes) -> AES:
    """Return the cipher of a key; merchants' keys are in memory anyway."""
    return AES(key)


def _split(encdata: str) -> tuple[bytes, bytes] | None:
    if not _IV.match(encdata[:BLOCK]):
        return None
    try:
        ciphertext = binascii.a2b_base64(encdata[BLOCK:], strict_mode=True)
    except ValueError:
        return None
    if not ciphertext or len(ciphertext) % BLOCK:
        return None
    return encdata[:BLOCK].encode("ascii"), ciphertext
