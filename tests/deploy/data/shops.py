"""Shops of gateways on an operator's database, and the sealing of their books."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hundi.infra.postgres.database import open_database
from hundi.infra.secrets.vault import open_vault
from hundi.infra.settings import load_settings
from hundi.kernel.clock import utc_now
from hundi.money.chain import actions as chain
from tests.system.acknowledged import Facts, verified
from tests.system.conftest import open_shop
from tests.system.crowd import BY_CARD, BY_UPI, Customer, at_once, customers
from tests.system.running import RunningGateway
from tests.system.shop import Shop

opened = contextmanager(open_shop)


@contextmanager
def reopened(shop: Shop, gateway: RunningGateway) -> Iterator[Shop]:
    """Yield the same shop at the gateway of another database."""
    again = Shop.at(gateway, shop.merchant, shop.endpoint)
    with again.client:
        yield again


def pay(shop: Shop, number: int) -> list[Customer]:
    """Let so many customers pay, and return them when their shop was told."""
    crowd = customers(shop, number, (BY_UPI, BY_CARD))
    at_once(crowd)
    for each in crowd:
        each.ends()
    return crowd


def facts(shop: Shop, crowd: list[Customer]) -> dict[str, Facts]:
    """Return what verify says of each order."""
    return verified(shop, [each.order_id for each in crowd])


def seal(url: str, data_dir: Path) -> None:
    """Seal what is new in the books, as the worker does every 5 minutes."""

    async def act() -> None:
        async with await open_database(url, pool_size=2) as db:
            await chain.seal(db, open_vault(load_settings(data_dir=str(data_dir))), utc_now())

    asyncio.run(act())


def restarted(gateway: RunningGateway) -> None:
    """Forget that a gateway ran, so that the next one in its folder is waited for."""
    (gateway.data_dir / "demo.json").unlink()
