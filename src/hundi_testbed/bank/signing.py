"""Signatures between acquirer and gateway, in both directions: HMAC-SHA256 over time and body."""

import hmac
import re
from hashlib import sha256

REQUEST_HEADER = "Acquirer-Signature"
CALLBACK_HEADER = "Simbank-Signature"
WINDOW_S = 300
_FORM = re.compile(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})\Z")


def sign(key: bytes, body: bytes, *, now_s: int) -> str:
    """Return the header `t=<unix seconds>,v1=<hex>` of a body.

    A GET signs its path and query.
    """
    return f"t={now_s},v1={_digest(key, now_s, body)}"


def verify(key: bytes, body: bytes, header: str, *, now_s: int) -> bool:
    """Return, in constant time, whether a value signs this body and is at most WINDOW_S old."""
    match = _FORM.match(header)
    if match is None:
        return False
    at_s = int(match[1])
    genuine = hmac.compare_digest(_digest(key, at_s, body), match[2])
    return genuine and abs(now_s - at_s) <= WINDOW_S


def _digest(key: bytes, at_s: int, body: bytes) -> str:
    return hmac.digest(key, b"%d." % at_s + body, sha256).hex()
