"""The authentication code of messages: ANSI X9.19 (retail MAC), or AES-CMAC cut to 8 bytes.

X9.19 is algorithm 3 of ISO/IEC 9797-1 with zeros as padding; AES-CMAC is RFC 4493.
"""

import hmac
from collections.abc import Callable, Mapping
from typing import Literal

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC, ECB
from cryptography.hazmat.primitives.cmac import CMAC

Algorithm = Literal["none", "x9.19", "aes-cmac"]
MAC_BYTES = 8
_BLOCK = 8
KEY_BYTES: Mapping[str, tuple[int, ...]] = {"none": (0,), "x9.19": (16,), "aes-cmac": (16, 24, 32)}
"""Bytes of a key of each algorithm."""


def retail_mac(key: bytes, text: bytes) -> bytes:
    """Return the retail MAC of a text, 8 bytes, by a key of 16."""
    left, right = key[:_BLOCK], key[_BLOCK:]
    padded = text.ljust(max(_BLOCK, -(-len(text) // _BLOCK) * _BLOCK), b"\0")
    # Triple DES with one key three times is single DES.
    chain = Cipher(TripleDES(left * 3), CBC(bytes(_BLOCK))).encryptor()
    before = (bytes(_BLOCK) + chain.update(padded[:-_BLOCK]))[-_BLOCK:]
    last = bytes(a ^ b for a, b in zip(before, padded[-_BLOCK:], strict=True))
    # ECB for the one block that is left: the chaining was done by hand.
    return Cipher(TripleDES(left + right + left), ECB()).encryptor().update(last)  # noqa: S305 (one block, as X9.19 says)


def aes_cmac(key: bytes, text: bytes) -> bytes:
    """Return the first 8 bytes of the AES-CMAC of a text."""
    code = CMAC(AES(key))
    code.update(text)
    return code.finalize()[:MAC_BYTES]


_MAKE: Mapping[str, Callable[[bytes, bytes], bytes]] = {"x9.19": retail_mac, "aes-cmac": aes_cmac}


class Seal:
    """Makes and checks the authentication codes of one bank's messages.

    keys: the one in use, then the one before.
    """

    def __init__(self, algorithm: Algorithm, keys: tuple[bytes, ...]) -> None:
        """Keep the keys, which have no readable form here."""
        self._make = _MAKE.get(algorithm)
        self._keys = keys

    @property
    def used(self) -> bool:
        """Return whether messages have a code at all."""
        return self._make is not None

    def of(self, text: bytes) -> bytes:
        """Return the code of an outgoing message."""
        assert self._make is not None
        return self._make(self._keys[0], text)

    def holds(self, text: bytes, mac: bytes) -> bool:
        """Return whether a code was made of this text by one of the keys."""
        make = self._make
        return make is None or any(hmac.compare_digest(make(key, text), mac) for key in self._keys)
