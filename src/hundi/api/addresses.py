"""The addresses of each interface, in every spelling that existing clients use.

See docs/spec/wire.md#addresses and docs/spec/wire.md#versioning.
"""

from collections.abc import Iterable

from hundi.wire.merchant.old_kits import START, KitOperation
from hundi.wire.merchant.payments import INITIATE
from hundi.wire.plain.operation import DOCUMENT

GATEWAY = "/gateway"
SESSION_PAGE = "/pay/v4/s/"
"""The beginning of a payment session's address; the payment's sealed name follows."""
API = "/pay/v4/api"
PAGE = INITIATE.below
MANDATE_PAGE = "/pay/v4/m/"
"""The beginning of a subscription's address on the payment page; its signed name follows."""
CONSENT_PAGE = "/pay/v4/c/"
"""The beginning of the address where a customer ends WhatsApp messages; its signed name follows."""
RETURN_PAGE = "/pay/v4/from/"
"""The one return address of a connector's customers; the connector's name follows."""
LINK_PAGE = "/l/"
"""The beginning of a payment link's address on the payment page.

Short, because people type it.
"""
WHERE_PAGE = "/where"
"""The page where payers ask for their money. Short, because people type it."""
OFFER_PAGE = "/app/"
"""The beginning of an offer's address; an affiliate's code and the offer's name follow."""
DEMO_CLOCK = "/demo/clock"
CALLBACK = "/callbacks/"
"""The beginning of an acquirer's callback address; the connector's name follows."""

AUXILIARY = "/ms/"
"""A part of the address of every interface for partners, and of no other."""


PAGES_OF_ONE = (
    SESSION_PAGE,
    MANDATE_PAGE,
    CONSENT_PAGE,
    LINK_PAGE,
    OFFER_PAGE,
    "/console/join/",
    "/console/demo/",
)
"""The beginnings of addresses whose next part is the right to what they show.

The last two are one-time links to the console.
"""


def loggable(path: str) -> str:
    """Return a path for a log line, without names of payments, mandates and offers.

    Such a name is the right to it.
    """
    for page_of_one in PAGES_OF_ONE:
        before, found, _ = path.partition(page_of_one)
        if found:
            return before + found
    return path


def spelled(paths: Iterable[str]) -> list[str]:
    """Return each path with and without its trailing slash.

    A redirect from one to the other would turn a POST into a GET in most clients.
    """
    return sorted({form for path in paths for form in (path, path.rstrip("/"))})


def below(paths: Iterable[str], aliases: Iterable[str]) -> list[str]:
    """Return every address of an interface, under `/gateway` and each alias of the settings."""
    prefixes = [GATEWAY, *aliases]
    return spelled(prefix + path for prefix in prefixes for path in paths)


def description(aliases: Iterable[str]) -> list[str]:
    """Return every address of the interface's description."""
    return [f"{prefix}/pay/v4/openapi.json" for prefix in (GATEWAY, *aliases)]


def partner_description(aliases: Iterable[str]) -> list[str]:
    """Return every address of the description of the partners' interfaces."""
    return [f"{prefix}{AUXILIARY}openapi.json" for prefix in (GATEWAY, *aliases)]


PLAIN_DESCRIPTION = DOCUMENT
"""The one address of the description of the plain interface."""


def page(aliases: Iterable[str]) -> list[str]:
    """Return every address a payment can be posted to."""
    return spelled(prefix + path for prefix in ("", GATEWAY, *aliases) for path in PAGE)


def of_kit(kit: KitOperation, aliases: Iterable[str]) -> list[str]:
    """Return every address at which old kits call an operation."""
    return spelled(prefix + path for prefix in ("", GATEWAY, *aliases) for path in kit.paths)


def old_page(aliases: Iterable[str]) -> list[str]:
    """Return every address a payment was posted to before version 4."""
    return of_kit(START, aliases)
