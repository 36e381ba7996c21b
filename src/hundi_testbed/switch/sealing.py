"""The authentication code of the simulated switch: ANSI X9.19 step by step, and AES-CMAC."""

import hmac

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB
from cryptography.hazmat.primitives.cmac import CMAC

from hundi_testbed.switch.messages import MAC_DIGITS, SwitchMessage, write

_BLOCK = 8


def _des(key: bytes, block: bytes, *, back: bool = False) -> bytes:
    cipher = Cipher(TripleDES(key + key + key), ECB())  # noqa: S305 (single blocks, as the standard says)
    worker = cipher.decryptor() if back else cipher.encryptor()
    return worker.update(block)


def code(algorithm: str, key: bytes, text: bytes) -> str:
    """Return the code of a text as hexadecimal digits."""
    if algorithm == "aes-cmac":
        mac = CMAC(AES(key))
        mac.update(text)
        return mac.finalize()[:_BLOCK].hex().upper()
    left, right = key[:_BLOCK], key[_BLOCK:]
    chained = bytes(_BLOCK)
    for at in range(0, len(text), _BLOCK):
        block = text[at : at + _BLOCK].ljust(_BLOCK, b"\0")
        chained = _des(left, bytes(a ^ b for a, b in zip(chained, block, strict=True)))
    return _des(left, _des(right, chained, back=True)).hex().upper()


def sealed(algorithm: str, key: bytes, message: SwitchMessage) -> bytes:
    """Return a message in bytes with its code in the last field of its last bitmap.

    Without an agreed code, none is added.
    """
    if algorithm == "none":
        return write(message)
    last = 128 if max(message.fields) > 64 else 64  # noqa: PLR2004 (fields of one bitmap)
    raw = write(SwitchMessage(message.mti, dict(message.fields) | {last: "0" * MAC_DIGITS}))
    return raw[:-MAC_DIGITS] + code(algorithm, key, raw[:-MAC_DIGITS]).encode()


def holds(algorithm: str, key: bytes, raw: bytes) -> bool:
    """Return whether the code at the end of a message is right."""
    if algorithm == "none":
        return True
    return hmac.compare_digest(raw[-MAC_DIGITS:], code(algorithm, key, raw[:-MAC_DIGITS]).encode())
