"""The security headers of every response, whoever makes it.

Our pages have a policy of their own. A response without one is no page: no browser may run, frame,
keep or guess it.
"""

from litestar.types import Message, Send

Header = tuple[bytes, bytes]
Headers = tuple[Header, ...]

OF_NO_PAGE: Headers = (
    (
        b"content-security-policy",
        b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
    ),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
)
"""The headers of a response that does not set them itself."""
_ONLY_BY_TLS = (b"strict-transport-security", b"max-age=31536000; includeSubDomains")
"""A browser that saw it uses only TLS with this host and those below it, for a year."""


def for_addresses(*addresses: str) -> Headers:
    """Return the headers of a gateway at these addresses.

    Where all have TLS, TLS is demanded.
    """
    by_tls = all(address.startswith("https://") for address in addresses)
    return (*OF_NO_PAGE, _ONLY_BY_TLS) if by_tls else OF_NO_PAGE


def completed(own: list[Header], headers: Headers) -> list[Header]:
    """Return the headers of a response, with its missing ones added."""
    names = {name for name, _ in own}
    return [*own, *[each for each in headers if each[0] not in names]]


def completing(send: Send, headers: Headers) -> Send:
    """Return a `send` that adds the missing headers to responses."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = completed(list(message["headers"]), headers)
        await send(message)

    return sent
