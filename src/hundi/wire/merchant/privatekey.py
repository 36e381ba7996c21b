"""`privatekey`: proof that the sender knows the merchant's API secret.

Every operation but token issuance needs it.
"""

import hashlib
import hmac


def derive(secret: str, username: str, password: str) -> str:
    """Return hex sha256 of `secret@username:|:password`.

    secret: the merchant's API secret, not the OAuth client secret and not the derived encryption
    key. See docs/spec/wire.md#privatekey.
    """
    return hashlib.sha256(f"{secret}@{username}:|:{password}".encode()).hexdigest()


def matches(expected: str, given: str) -> bool:
    """Compare in constant time; hex digits of either case are the same."""
    return hmac.compare_digest(expected.encode(), given.strip().lower().encode(errors="replace"))
