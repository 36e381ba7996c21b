"""Settings as text for people: without secrets."""

import json
from urllib.parse import urlsplit, urlunsplit

MASK = "********"

_SHOWN_OF_ACQUIRERS = ("kind", "methods")
"""The fields of an acquirer that are not secret, whatever its kind.

Addresses are shown too, without a password.
"""


def shown_to_people(field: str, value: object) -> object:
    """Return a field of an acquirer for people to read; all but the shown ones are masked."""
    if field.endswith("url"):
        return without_password(str(value))
    return value if field in _SHOWN_OF_ACQUIRERS else MASK


def text_of(value: object) -> str:
    """Return a setting's value in the form of its environment variable."""
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, dict):
        return json.dumps(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def without_password(url: str) -> str:
    """Return a database address without its password."""
    parts = urlsplit(url)
    if parts.password is None:
        return url
    return urlunsplit(
        parts._replace(netloc=parts.netloc.replace(f":{parts.password}@", f":{MASK}@", 1))
    )
