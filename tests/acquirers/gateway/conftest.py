"""A merchant of ours at the shared gateway, which plays the other gateway."""

from collections.abc import AsyncIterator, Iterator
from typing import cast

import msgspec
import pytest

from hundi.acquirers.gateway.connector import GatewayConnector
from hundi.acquirers.gateway.kind import KIND
from hundi.acquirers.gateway.seamless import SeamlessCardsGateway
from hundi.acquirers.kinds import AcquirerContext, open_registry
from hundi.acquirers.port.memory import ShortMemory
from tests.acquirers.gateway.played import BANK, CALLBACK
from tests.acquirers.gateway.standin import ACCOUNT, Standin
from tests.acquirers.gateway.there import Customers, settings
from tests.system.conftest import add_merchant
from tests.system.envelopes import Merchant
from tests.system.running import RunningGateway


@pytest.fixture(scope="session")
def account(gateway: RunningGateway) -> Merchant:
    """Our account there, as its operator sets it up for us."""
    merchant = add_merchant(
        gateway,
        "Gateway in front",
        success_url="http://127.0.0.1:9/pay/v4/from/other",
        failure_url="http://127.0.0.1:9/pay/v4/from/other",
        multiple_partial_refunds="on",
        channels="upi_pg_nb_ppc_payltr",
    )
    gateway.operate("merchant", "seamless", merchant.merchant_id, "on", "--cards", "on")
    return merchant


@pytest.fixture
def customers(gateway: RunningGateway) -> Customers:
    """Customers at the other gateway."""
    return Customers(gateway)


@pytest.fixture
def memory() -> ShortMemory:
    """What the connector remembers."""
    return ShortMemory()


@pytest.fixture(params=["off", "banks", "cards"])
async def connector(
    request: pytest.FixtureRequest, gateway: RunningGateway, account: Merchant, memory: ShortMemory
) -> AsyncIterator[GatewayConnector]:
    """A connector to the other gateway, in each of its three sizes."""
    fields = settings(
        gateway.base_url, account, seamless=request.param, bank_origins=[gateway.simbank_url]
    )
    registry = open_registry(
        {"other": fields}, lambda _name: "http://127.0.0.1:9/callbacks/other", memory
    )
    # What a registry gives has the calls of the connector and is another object: see
    # acquirers/calls/front.py.
    yield cast("GatewayConnector", registry.get("other"))
    await registry.close()


@pytest.fixture
def other() -> Iterator[Standin]:
    with Standin() as running:
        yield running


@pytest.fixture
async def asking(other: Standin, memory: ShortMemory) -> AsyncIterator[SeamlessCardsGateway]:
    fields = settings(
        other.url, ACCOUNT, environment="production", seamless="cards", bank_origins=[BANK]
    )
    del fields["kind"]
    # Opened by its kind and not by a registry, which would keep test cards away from it.
    opened = KIND.open(
        "other", msgspec.convert(fields, KIND.settings), AcquirerContext(CALLBACK, memory)
    )
    assert isinstance(opened, SeamlessCardsGateway)
    yield opened
    await opened.close()
