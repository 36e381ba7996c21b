"""Session addresses of the payment page: unguessable names of payments, checked without a query.

The address is the whole right to act on the page (there is no cookie), so another site cannot forge
a request.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Callable

PURPOSE = "payment-page-session"
MANDATE_PURPOSE = "mandate-page"
"""The purpose of the pages on which customers manage their mandates.

Its keys are others, so no session opens one.
"""
CONSENT_PURPOSE = "consent-page"
"""The purpose of the pages on which customers take their consent to messages back."""
_TAG_BYTES = 18
_SESSION = re.compile(
    r"([1-9][0-9]{0,11})\.([1-9][0-9]{0,14})\.([A-Za-z0-9_-]{24})(?:\.[a-z]{2})?\Z"
)


class Sessions:
    """Makes session names with the newest key, and reads those of every key."""

    def __init__(self, keys: Callable[[], tuple[bytes, ...]]) -> None:
        """Keep the function that returns the keys.

        They have 32 bytes each, newest first, derived by the vault for `PURPOSE`.
        """
        self._keys = keys

    def seal(self, merchant_id: int, payment_id: int) -> str:
        """Return the session name of a payment: url-safe, 144 bits of tag."""
        return f"{merchant_id}.{payment_id}.{_tag(self._keys()[0], merchant_id, payment_id)}"

    def open_(self, session: str) -> tuple[int, int] | None:
        """Return (merchant_id, payment_id), or None when the name is not one of ours.

        The language that a customer chose may follow a name: `7.42.TAG.ta`.
        """
        match = _SESSION.match(session)
        if match is None:
            return None
        merchant_id, payment_id = int(match[1]), int(match[2])
        if any(
            hmac.compare_digest(match[3], _tag(key, merchant_id, payment_id))
            for key in self._keys()
        ):
            return merchant_id, payment_id
        return None


def _tag(key: bytes, merchant_id: int, payment_id: int) -> str:
    text = f"{PURPOSE}:{merchant_id}:{payment_id}".encode()
    return base64.urlsafe_b64encode(hmac.digest(key, text, hashlib.sha256)[:_TAG_BYTES]).decode()
