"""BillDesk's envelopes: JWS with HS256, around JWE with A256GCM; see docs/billdesk.md.

The algorithms are fixed here. An envelope's header is compared with them, and never followed.
"""

import binascii
import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from hundi.acquirers.calls.jose_parts import bytes_of_part, part_of, says

SIGNED, SEALED = {"alg": "HS256"}, {"alg": "dir", "enc": "A256GCM"}
_IV_BYTES, _TAG_BYTES = 12, 16
_JWS_PARTS, _JWE_PARTS = 3, 5


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys that make and open envelopes: in memory only, without a readable form.

    signing: any text. sealing: 32 characters, or "" where nothing is encrypted. key_id: "" where
    BillDesk gave none.
    """

    client_id: str
    signing: str
    sealing: str = ""
    key_id: str = ""

    def __repr__(self) -> str:
        """Hide the keys: this value reaches tracebacks."""
        return "Keys(****)"

    def header(self, algorithms: dict[str, str]) -> str:
        """Return the header of an envelope."""
        named = {
            **algorithms,
            **({"kid": self.key_id} if self.key_id else {}),
            "clientid": self.client_id,
        }
        return part_of(json.dumps(named, separators=(",", ":")).encode())


def seal(payload: bytes, keys: Keys) -> bytes:
    """Return a payload in its envelope: signed, and encrypted if the account has a key for that."""
    inner = _encrypted(payload, keys) if keys.sealing else payload
    head = f"{keys.header(SIGNED)}.{part_of(inner)}"
    return f"{head}.{part_of(_mac(head, keys))}".encode()


def opened(envelope: bytes, keys: Keys) -> bytes | None:
    """Return the payload of an envelope, None when signature or encryption does not hold."""
    try:
        parts = envelope.decode("ascii").strip().split(".")
        if len(parts) != _JWS_PARTS or not says(parts[0], SIGNED):
            return None
        if not hmac.compare_digest(bytes_of_part(parts[2]), _mac(f"{parts[0]}.{parts[1]}", keys)):
            return None
        inner = bytes_of_part(parts[1])
        return _decrypted(inner.decode("ascii"), keys) if keys.sealing else inner
    except (ValueError, RecursionError, binascii.Error, InvalidTag):
        return None


def _mac(head: str, keys: Keys) -> bytes:
    return hmac.new(keys.signing.encode(), head.encode(), hashlib.sha256).digest()


def _encrypted(payload: bytes, keys: Keys) -> bytes:
    header, iv = keys.header(SEALED), secrets.token_bytes(_IV_BYTES)
    sealed = AESGCM(keys.sealing.encode()).encrypt(iv, payload, header.encode())
    parts = header, "", part_of(iv), part_of(sealed[:-_TAG_BYTES]), part_of(sealed[-_TAG_BYTES:])
    return ".".join(parts).encode()


def _decrypted(compact: str, keys: Keys) -> bytes | None:
    parts = compact.split(".")
    if len(parts) != _JWE_PARTS or parts[1] or not says(parts[0], SEALED):
        return None
    iv, sealed, tag = (bytes_of_part(part) for part in parts[2:])
    if len(iv) != _IV_BYTES or len(tag) != _TAG_BYTES:
        return None
    return AESGCM(keys.sealing.encode()).decrypt(iv, sealed + tag, parts[0].encode())
