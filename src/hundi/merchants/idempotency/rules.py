"""What makes two requests the same one; pure."""

import hashlib
from dataclasses import dataclass
from datetime import timedelta

KEPT_FOR = timedelta(days=30)
"""How long a key is known."""
KEY_MAX = 64


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """A caller's own name of one request, with the SHA-256 of what it asks for."""

    merchant_id: int
    key: str
    operation: str
    content_hash: bytes


@dataclass(frozen=True, slots=True)
class EarlierRequest:
    """A request that had its effect. subject: the id of the payment, refund or link."""

    operation: str
    content_hash: bytes
    subject: int

    def is_same(self, key: IdempotencyKey) -> bool:
        """Return whether a request under its key asks for the same."""
        return (self.operation, self.content_hash) == (key.operation, key.content_hash)


def content_hash(operation: str, content: bytes) -> bytes:
    """Return the SHA-256 of what a request asks for."""
    return hashlib.sha256(operation.encode() + b"\0" + content).digest()
