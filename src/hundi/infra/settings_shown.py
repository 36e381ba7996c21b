"""Settings as text for people: without secrets."""

import json
import re
from urllib.parse import parse_qsl, unquote, urlsplit

MASK = "********"
NO_ADDRESS = (
    "this is no address of a database; in a password write / as %2F, ? as %3F, # as %23, % as %25"
)
_PASSWORDS = {"password", "sslpassword", "passfile"}
"""What may stand behind an address's question mark, and is shown to nobody."""
_SERVER = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[^:\[\]]*)(:[0-9]{1,5})?")

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
    """Return an address without its passwords; a mask for one that cannot be read."""
    if not is_address(url):
        return MASK
    parts = urlsplit(url)
    who, at, servers = parts.netloc.rpartition("@")
    user, colon, _ = who.partition(":")
    netloc = f"{user}:{MASK}{at}{servers}" if colon else parts.netloc
    query = "&".join(map(_pair_to_people, parts.query.split("&")))
    if (netloc, query) == (parts.netloc, parts.query):
        return url
    return f"{parts.scheme}://{netloc}{parts.path}{'?' * bool(query)}{query}"


def _pair_to_people(pair: str) -> str:
    name = pair.partition("=")[0]
    return f"{name}={MASK}" if unquote(name) in _PASSWORDS else pair


def is_address(url: str) -> bool:
    """Return whether all programs read an address alike, so that no password is in another part."""
    try:
        parts = urlsplit(url)
        named = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        return False
    servers = parts.netloc.rpartition("@")[2].split(",")
    is_whole = all(_SERVER.fullmatch(each) for each in servers) and all(name for name, _ in named)
    return is_whole and "@" not in parts.path and "#" not in url
