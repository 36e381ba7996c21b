"""Looks at a payment page as it arrives: something on its way to the customer may have changed it."""

import hashlib
from base64 import b64encode
from dataclasses import dataclass, field
from datetime import datetime

import structlog
from prometheus_client import Counter

from hundi.api.addresses import SESSION_PAGE
from hundi.infra.addresses import AddressRefusedError
from hundi.infra.database import Queries
from hundi.infra.http_client import Answer, ClientSettings, OutboundClient, Reach, UnreachableError
from hundi.merchants.access.sessions import Sessions
from hundi.page import assets
from hundi.page.manifest import faults, loaded
from hundi.payments.orders import store

PAGE_BYTES_MAX = 1024 * 1024
PAGE_S_MAX = 20.0
_CHECKED = Counter("hundi_page_checks", "Looks at a payment page as it arrives, by what was found.", ["result"])
_HTML = {"Accept": "text/html"}
_OK = 200
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Inspection:
    """What one look found.

    address: of the page, "" when no payment is open. faults: how it differs from ours.
    """

    address: str = ""
    files: int = 0
    faults: list[str] = field(default_factory=list[str])

    @property
    def result(self) -> str:
        """Return it in one word."""
        return "changed" if self.faults else "unchanged" if self.address else "nothing_open"


def client() -> OutboundClient:
    """Return the client that loads pages: the address is the operator's own."""
    return OutboundClient(ClientSettings(reach=Reach.ANY, answer_bytes_max=PAGE_BYTES_MAX, keep_alive_s=0))


async def report(db: Queries, sessions: Sessions, base_url: str, now: datetime) -> None:
    """Inspect a page, count the result, and log an error when it differs (scheduled, gateway-wide)."""
    async with client() as http:
        found = await inspect(db, sessions, http, base_url, now)
    _CHECKED.labels(found.result).inc()
    if found.faults:
        _log.error("payment_page_changed", address=found.address, faults=found.faults)


async def inspect(db: Queries, sessions: Sessions, http: OutboundClient, base_url: str, now: datetime) -> Inspection:
    """Load the page of an open payment, with its files, as customers do, and compare it with ours.

    base_url: of the payment page. That it cannot be loaded is a fault, too.
    """
    newest = await store.newest_open(db, now)
    if newest is None:
        return Inspection()
    address = base_url + SESSION_PAGE + sessions.seal(*newest)
    page = await _load(http, address)
    if isinstance(page, str):
        return Inspection(base_url, 0, [page])
    text = page.body.decode("utf-8", "replace")
    headers = {name.lower(): value for name, value in page.headers.items()}
    found = faults(address, headers, text)
    files = loaded(text)
    for path in files:
        found += await _fault_of(http, base_url, path)
    return Inspection(base_url, len(files), found)


async def _fault_of(http: OutboundClient, base_url: str, path: str) -> list[str]:
    """Return what is wrong with a file of the page, as it arrives."""
    wanted = assets.at(path)
    if wanted is None:
        return []  # the colour of a shop: a stylesheet that is made for it
    given = await _load(http, base_url + path)
    if isinstance(given, str):
        return [f"{path}: {given}"]
    digest = "sha384-" + b64encode(hashlib.sha384(given.body).digest()).decode()
    return [] if digest == wanted.integrity else [f"{path} has another content than ours"]


async def _load(http: OutboundClient, address: str) -> Answer | str:
    try:
        answer = await http.send("GET", address, b"", _HTML, timeout_s=PAGE_S_MAX)
    except (UnreachableError, AddressRefusedError) as error:
        return f"it cannot be loaded: {error}"
    return answer if answer.status == _OK else f"it is answered with HTTP status {answer.status}"
