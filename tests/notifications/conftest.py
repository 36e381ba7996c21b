"""A merchant's server, merchants who listen there, and workers that deliver to them."""

from collections.abc import AsyncIterator, Callable

import pytest
from aiohttp import web

from hundi.infra.background.due import DueLoop
from hundi.infra.http.client import OutboundClient, client_for_others
from hundi.infra.postgres.database import Database
from hundi.notifications.jobs import deliveries
from hundi.notifications.rules import Delivery
from tests.notifications.shop_server import Listener, Merchants


@pytest.fixture
async def listener() -> AsyncIterator[Listener]:
    found = Listener()
    app = web.Application()
    app.router.add_post("/{merchant_id}", found.answer)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    found.url = f"http://127.0.0.1:{port}/{{merchant_id}}"
    yield found
    found.release.set()
    await runner.cleanup()


@pytest.fixture
def merchants(listener: Listener) -> Merchants:
    return Merchants(listener.url)


@pytest.fixture
async def http() -> AsyncIterator[OutboundClient]:
    async with client_for_others(allow_private=True) as client:
        yield client


@pytest.fixture
def new_run(
    db: Database, merchants: Merchants, http: OutboundClient
) -> Callable[[], DueLoop[Delivery]]:
    """Return a maker of workers; each is as fresh as after a restart."""
    return lambda: deliveries(db, merchants, http)
