"""Parts of JWS and JWE: strict base64url, and headers that are compared and never followed.

The algorithms are each connector's own; see
docs/decisions/0058-envelopes-are-opened-by-fixed-algorithms.md.
"""

import base64
import json
from collections.abc import Mapping
from typing import Any

_FOLLOWED = frozenset({"crit", "zip", "b64"})
"""Names in a header that a reader would have to follow."""


def says(part: str, algorithms: Mapping[str, str]) -> bool:
    """Return whether a header names exactly these algorithms and refers to nothing else.

    algorithms: `alg`, and `enc` where something is encrypted. Raises ValueError.
    """
    header: Any = json.loads(bytes_of_part(part))
    named = {name: header.get(name) for name in ("alg", "enc")} if isinstance(header, dict) else {}
    expected = {name: algorithms.get(name) for name in ("alg", "enc")}
    return named == expected and not _FOLLOWED & set(header)


def part_of(value: bytes) -> str:
    """Return base64url without padding."""
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def bytes_of_part(part: str) -> bytes:
    """Decode strict base64url without padding. Raises ValueError."""
    value = base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
    if part_of(value) != part:
        message = "not canonical"
        raise ValueError(message)
    return value
