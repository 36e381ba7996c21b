"""Shops whose plugins are the packed ones, at the running gateway.

`make -C shops test` installs what they need; without its word there is nothing to collect.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from tests.conftest import NewFolder
from tests.shops.magento import Magento
from tests.shops.opencart import OpenCart
from tests.shops.prestashop import PrestaShop
from tests.shops.programs import MariaDB
from tests.shops.wordpress import WordPress
from tests.system.conftest import add_merchant, browser
from tests.system.running import RunningGateway

__all__ = ["browser"]
NEED_A_SHOP = {
    "test_magento.py",
    "test_opencart.py",
    "test_prestashop.py",
    "test_trouble.py",
    "test_twig.py",
    "test_woocommerce.py",
}
ARE_READY = os.environ.get("HUNDI_TEST_SHOPS", "") != ""


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Pass by where the shops' software is not installed."""
    needs_shop = collection_path.name in NEED_A_SHOP
    return True if needs_shop and not ARE_READY else None


@pytest.fixture(scope="session")
def mariadb(lasting_folder: NewFolder) -> Iterator[MariaDB]:
    """The database server of all shops."""
    with MariaDB(lasting_folder("mariadb")) as running:
        yield running


S = TypeVar("S", WordPress, OpenCart, PrestaShop, Magento)


def connected(shop: S, gateway: RunningGateway, name: str, back: str) -> S:
    """Make a merchant of the gateway for a shop, and type its keys into the shop's settings."""
    pages = {"success_url": shop.page(back), "failure_url": shop.page(back)}
    pages["notification_url"] = shop.page("notification")
    merchant = add_merchant(gateway, name, multiple_partial_refunds="on", **pages)
    shop.connect(merchant.credentials, gateway.base_url)
    return shop


@pytest.fixture(scope="session")
def wordpress(
    gateway: RunningGateway, lasting_folder: NewFolder, mariadb: MariaDB
) -> Iterator[WordPress]:
    """A WordPress with our plugin for WooCommerce."""
    with WordPress(lasting_folder("wordpress"), mariadb) as running:
        yield connected(running, gateway, "WordPress", "return")


@pytest.fixture(scope="session")
def opencart(
    gateway: RunningGateway, lasting_folder: NewFolder, mariadb: MariaDB
) -> Iterator[OpenCart]:
    """OpenCart's interface with our extension."""
    with OpenCart(lasting_folder("opencart"), mariadb) as running:
        yield connected(running, gateway, "OpenCart", "back")


@pytest.fixture(scope="session")
def prestashop(
    gateway: RunningGateway, lasting_folder: NewFolder, mariadb: MariaDB
) -> Iterator[PrestaShop]:
    """PrestaShop's interface with our module."""
    with PrestaShop(lasting_folder("prestashop"), mariadb) as running:
        yield connected(running, gateway, "PrestaShop", "back")


@pytest.fixture(scope="session")
def magento(
    gateway: RunningGateway, lasting_folder: NewFolder, mariadb: MariaDB
) -> Iterator[Magento]:
    """Magento's interface with our module."""
    with Magento(lasting_folder("magento"), mariadb) as running:
        yield connected(running, gateway, "Magento", "back")
