"""Inspects a payment page as it arrives: something on the way to the customer may change it."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from hundi.acquirers.registry import Registry
from hundi.api.addresses import SESSION_PAGE
from hundi.infra.http.addresses import AddressRefusedError
from hundi.infra.http.client import ClientSettings, HttpAnswer, NoAnswerError, OutboundClient, Reach
from hundi.infra.look.colours import stylesheet
from hundi.infra.postgres.database import Queries
from hundi.merchants.access.sessions.rules import Sessions
from hundi.merchants.directory.actions import Directory
from hundi.page import assets
from hundi.page.manifest import accent_of, faults, loaded
from hundi.page.returns import origin_of
from hundi.payments.orders import store

PAGE_BYTES_MAX = 256 * 1024
PAGE_S_MAX = 20.0
_HTML = {"Accept": "text/html"}
_OK = 200
OriginsOf = Callable[[int], Awaitable[Collection[str]]]
"""Returns the origins that a merchant's page may lead to: its acquirers' and its own."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Inspection:
    """The result of one inspection.

    address: of the page, "" if no payment is open. faults: its differences from ours.
    """

    address: str = ""
    files: int = 0
    faults: list[str] = field(default_factory=list[str])

    @property
    def result(self) -> str:
        """Return the result in one word."""
        return "changed" if self.faults else "unchanged" if self.address else "nothing_open"


def client() -> OutboundClient:
    """Return the client that loads pages, from the operator's own address."""
    return OutboundClient(
        ClientSettings(reach=Reach.ANY, answer_bytes_max=PAGE_BYTES_MAX, keep_alive_s=0)
    )


async def report(
    db: Queries, sessions: Sessions, origins: OriginsOf, base_url: str, now: datetime
) -> None:
    """Inspect a page and log the result, as an error if it differs (scheduled, gateway-wide)."""
    async with client() as http:
        inspection = await inspect(db, sessions, http, origins, base_url, now)
    if inspection.faults:
        _log.error("payment_page_changed", address=inspection.address, faults=inspection.faults)
    else:
        _log.info("payment_page_checked", result=inspection.result)


async def inspect(
    db: Queries,
    sessions: Sessions,
    http: OutboundClient,
    origins: OriginsOf,
    base_url: str,
    now: datetime,
) -> Inspection:
    """Load the page of an open payment with its files, as customers do, and compare it with ours.

    origins: where a merchant's page may lead. base_url: of the payment page. A page that cannot be
    loaded is a fault, too.
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
    problems = faults(address, headers, text, await origins(newest[0]))
    files = loaded(text)
    for path in files:
        problems += await _fault_of(http, base_url, path)
    return Inspection(base_url, len(files), problems)


async def _fault_of(http: OutboundClient, base_url: str, path: str) -> list[str]:
    """Return what is wrong with a file of the page, as it arrives."""
    answer = await _load(http, base_url + path)
    if isinstance(answer, str):
        return [f"{path}: {answer}"]
    accent, ours = accent_of(path), assets.at(path)
    content = stylesheet(accent).encode() if accent else ours.content if ours else None
    return [] if answer.body == content else [f"{path} has another content than ours"]


async def _load(http: OutboundClient, address: str) -> HttpAnswer | str:
    try:
        answer = await http.send("GET", address, b"", _HTML, timeout_s=PAGE_S_MAX)
    except (NoAnswerError, AddressRefusedError) as error:
        return f"it cannot be loaded: {error}"
    return answer if answer.status == _OK else f"it is answered with HTTP status {answer.status}"


def origins_of(directory: Directory, connectors: Registry) -> OriginsOf:
    """Return the function that knows where each merchant's page may lead."""

    async def found(merchant_id: int) -> Collection[str]:
        merchant = await directory.get(merchant_id)
        settings = merchant.settings if merchant else None
        ends = [settings.success_url, settings.failure_url] if settings else []
        framed = settings.frame_origins if settings else ()
        return {*connectors.browser_origins, *framed, *(origin_of(each) for each in ends if each)}

    return found
