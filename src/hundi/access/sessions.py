"""Session addresses of the payment page: an unguessable name of one payment, checked without a look-up.

The address is the whole right to act on the page (there is no cookie), so a forged request from another site has nothing to ride on.
"""

import base64
import hashlib
import hmac
import re

_PURPOSE = "payment-page-session"
_TAG_BYTES = 18
_SESSION = re.compile(r"([1-9][0-9]{0,11})\.([1-9][0-9]{0,14})\.([A-Za-z0-9_-]{24})\Z")


class Sessions:
    """Makes and reads session names with one key."""

    def __init__(self, key: bytes) -> None:
        """Keep the key (32 bytes, derived by the vault for this purpose)."""
        self._key = key

    def _tag(self, merchant_id: int, payment_id: int) -> str:
        text = f"{_PURPOSE}:{merchant_id}:{payment_id}".encode()
        return base64.urlsafe_b64encode(hmac.digest(self._key, text, hashlib.sha256)[:_TAG_BYTES]).decode()

    def seal(self, merchant_id: int, payment_id: int) -> str:
        """Return the session name of a payment: url-safe, 144 bits of tag."""
        return f"{merchant_id}.{payment_id}.{self._tag(merchant_id, payment_id)}"

    def open_(self, session: str) -> tuple[int, int] | None:
        """Return (merchant_id, payment_id), or None when the name is not one of ours."""
        match = _SESSION.match(session)
        if match is None:
            return None
        merchant_id, payment_id = int(match[1]), int(match[2])
        if not hmac.compare_digest(match[3], self._tag(merchant_id, payment_id)):
            return None
        return merchant_id, payment_id
