"""The network addresses that the gateway may call when somebody else chose the address.

The list is explicit: `ipaddress.is_global` changed its answers between Python releases. See
docs/spec/wire.md#callback-addresses.
"""

import ipaddress
from urllib.parse import urlsplit

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

URL_CHARACTERS_MAX = 2_048

_NEVER = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8",  # this host
        "100.64.0.0/10",  # carrier-grade NAT; one cloud keeps its metadata here
        "168.63.129.16/32",  # a cloud's host agent
        "169.254.0.0/16",  # link-local, where most clouds keep metadata
        "192.0.0.0/24",  # protocol assignments; one cloud's metadata
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
        "::/128",
        "::ffff:0:0:0/96",  # IPv4 translated without state
        "100::/64",  # discard
        "2001::/23",  # protocol assignments: Teredo and the like, which carry IPv4 inside
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which carries IPv4 inside
        "3fff::/20",  # documentation
        "5f00::/16",  # segment routing
        "64:ff9b:1::/48",  # translation inside one network
        "fd00:ec2::/32",  # a cloud's metadata inside the unique local range
        "fe80::/10",  # link-local
        "fec0::/10",  # site-local
        "ff00::/8",  # multicast
    )
)
_PRIVATE = tuple(
    ipaddress.ip_network(text)
    for text in (
        "10.0.0.0/8",
        "127.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "::1/128",
        "fc00::/7",
    )
)
_TRANSLATED = ipaddress.ip_network(
    "64:ff9b::/96"
)  # an IPv4 address reached from an IPv6-only network


class AddressRefusedError(Exception):
    """The gateway does not call this address; the text explains it for merchants."""


class PrivateAddressError(AddressRefusedError):
    """A private address, refused by this process's own setting; another process may allow it."""


def check_ip(text: str, *, allow_private: bool) -> None:
    """Raise AddressRefusedError unless the gateway may connect to this IP address.

    PrivateAddressError: only the setting forbids it. allow_private: also allow loopback and private
    networks, but never metadata, link-local and the like.
    """
    address = _plain(ipaddress.ip_address(text.partition("%")[0]))
    if any(address in network for network in _NEVER if network.version == address.version):
        message = f"{address} is not a public address"
        raise AddressRefusedError(message)
    if not allow_private and any(
        address in network for network in _PRIVATE if network.version == address.version
    ):
        message = (
            f"{address} is a private address, which only HUNDI_ALLOW_PRIVATE_CALLBACKS permits"
        )
        raise PrivateAddressError(message)


def _plain(address: IpAddress) -> IpAddress:
    """Return the IPv4 address inside an IPv6 form that only carries it."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in _TRANSLATED or (int(address) >> 32 == 0 and int(address) > 1):
            return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def check_url(url: str) -> tuple[str, int]:
    """Return (host, port) of an address. Raises AddressRefusedError if its form is not allowed."""
    if len(url) > URL_CHARACTERS_MAX or not url.isprintable() or " " in url or "\\" in url:
        message = (
            f"an address has at most {URL_CHARACTERS_MAX} printable characters, without spaces and"
            " backslashes"
        )
        raise AddressRefusedError(message)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        message = "the address cannot be read"
        raise AddressRefusedError(message) from error
    if parts.scheme not in {"http", "https"}:
        message = "an address starts with http:// or https://"
        raise AddressRefusedError(message)
    if parts.username is not None or parts.password is not None:
        message = "an address carries no user name or password"
        raise AddressRefusedError(message)
    if not parts.hostname or port == 0:
        message = "the address names no host"
        raise AddressRefusedError(message)
    return parts.hostname, port or (443 if parts.scheme == "https" else 80)
