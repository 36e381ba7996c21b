"""Merchants of the shared gateway with endpoints, and customers with browsers.

Nothing of them stays.
"""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import httpx
import pytest

from hundi.kernel.events import WRITTEN_WHEN_WANTED, Kind
from tests.conftest import NewFolder
from tests.system.browser import Browser
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Merchant, Sender
from tests.system.partners import Keys, PartnerSender
from tests.system.running import RunningGateway
from tests.system.shop import Shop

NewMerchant = Callable[..., Merchant]
NewPartner = Callable[..., PartnerSender]
_shops = count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[MerchantServer]:
    """The merchants' web server."""
    with MerchantServer() as running:
        yield running


@pytest.fixture(scope="session")
def sender(gateway: RunningGateway) -> Iterator[Sender]:
    """Sends hand-made envelopes to the shared gateway."""
    with httpx.Client(trust_env=False, timeout=30) as http:
        yield Sender(gateway.base_url, http)


@pytest.fixture(scope="session")
def new_merchant(gateway: RunningGateway) -> NewMerchant:
    """Makes merchants of the shared gateway; options as `hundi merchant set` has them."""
    return lambda name="Chai House", **options: add_merchant(gateway, name, **options)


@pytest.fixture(scope="session")
def shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A live merchant with an endpoint, a success and a failure page, and an SDK."""
    yield from open_shop(gateway, server, "shop")


@pytest.fixture(scope="session")
def rival(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """Another live merchant of the same gateway."""
    yield from open_shop(gateway, server, "rival")


@pytest.fixture(scope="session")
def sandbox(gateway: RunningGateway) -> Merchant:
    """The demo's sandbox merchant."""
    return next(
        Merchant.of(each) for each in gateway.demo["merchants"] if each["mode"] == "sandbox"
    )


@pytest.fixture(scope="session")
def new_partner(gateway: RunningGateway, sender: Sender) -> NewPartner:
    """Makes partners of the shared gateway; options as `hundi partner set` has them."""

    def make(name: str, **options: object) -> PartnerSender:
        keys = Keys.of(gateway.operate("partner", "add", name))
        if options:
            chosen = (
                part
                for option, value in options.items()
                for part in (f"--{option.replace('_', '-')}", str(value))
            )
            gateway.operate("partner", "set", keys.affiliate, *chosen)
        return PartnerSender(gateway, sender.http, keys)

    return make


@pytest.fixture(scope="session")
def partner(new_partner: NewPartner) -> PartnerSender:
    """A partner that may call everything."""
    return new_partner("Asha Fintech", lookups_a_minute=100_000, lookups_a_day=100_000)


@pytest.fixture(scope="session")
def rival_partner(new_partner: NewPartner) -> PartnerSender:
    """Another partner of the same gateway."""
    return new_partner("Bharat Fintech")


@pytest.fixture
def browser() -> Iterator[Browser]:
    """A customer's browser."""
    with Browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def operated(new_folder: NewFolder, request: pytest.FixtureRequest) -> Iterator[RunningGateway]:
    """A gateway of its own, whose operator changes what concerns every merchant."""
    with RunningGateway(new_folder(request.node.name.rpartition("/")[2])) as running:
        yield running


@pytest.fixture(scope="module")
def books_hold(gateway: RunningGateway) -> Iterator[None]:
    """Audit the shared gateway's books after a module's tests.

    Whatever they sent, every promise is kept.
    """
    yield
    gateway.audit()


MODERN = tuple(each for each in Kind if each not in WRITTEN_WHEN_WANTED)
"""What a server hears that looks at the event, as the SDK does."""


def add_merchant(gateway: RunningGateway, name: str, **options: Any) -> Merchant:
    """Add a merchant to a gateway and give it settings.

    `reply_format="plain"` is `--reply-format plain`.

    events: what its server is told of; () to leave that as it is for whoever chose nothing.
    """
    mode, chosen_events = options.pop("mode", "live"), options.pop("events", MODERN)
    merchant = Merchant.of(gateway.operate("merchant", "add", name, "--mode", mode))
    if chosen_events:
        told = [part for each in chosen_events for part in ("--tell", each)]
        gateway.operate("merchant", "events", merchant.merchant_id, "--withhold", "all", *told)
    if options:
        chosen = [
            part
            for option, value in options.items()
            for part in (f"--{option.replace('_', '-')}", str(value))
        ]
        gateway.operate("merchant", "set", merchant.merchant_id, *chosen)
    return merchant


def open_shop(
    gateway: RunningGateway, server: MerchantServer, name: str, **options: Any
) -> Iterator[Shop]:
    """Open a shop with an endpoint of its own, and close its SDK afterwards."""
    # Of shops with one name, in several files or gateways, none hears what another did.
    endpoint = server.endpoint(f"{name}-{next(_shops)}")
    urls = {
        "notification_url": endpoint.url,
        "success_url": f"{server.url}/{name}/paid",
        "failure_url": f"{server.url}/{name}/unpaid",
    }
    shop = Shop.at(gateway, add_merchant(gateway, f"The {name}", **(urls | options)), endpoint)
    with shop.client:
        yield shop
