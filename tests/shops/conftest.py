"""Shops whose plugins are the packed ones, at the running gateway.

`make -C shops test` installs what they need; without its word there is nothing to collect.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import NewFolder
from tests.shops.opencart import OpenCart
from tests.shops.programs import MariaDB
from tests.shops.wordpress import WordPress
from tests.system.conftest import add_merchant, browser
from tests.system.running import RunningGateway

__all__ = ["browser"]
ARE_READY = os.environ.get("HUNDI_TEST_SHOPS", "") != ""


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Pass by where the shops' software is not installed."""
    needs_shop = collection_path.name in {"test_woocommerce.py", "test_opencart.py"}
    return True if needs_shop and not ARE_READY else None


@pytest.fixture(scope="session")
def mariadb(new_folder: NewFolder) -> Iterator[MariaDB]:
    """The database server of all shops."""
    with MariaDB(new_folder("mariadb")) as running:
        yield running


@pytest.fixture(scope="session")
def wordpress(
    gateway: RunningGateway, new_folder: NewFolder, mariadb: MariaDB
) -> Iterator[WordPress]:
    """A WordPress with our plugin, connected as a merchant of the gateway."""
    with WordPress(new_folder("wordpress"), mariadb) as running:
        pages = {
            "success_url": running.page("return"),
            "failure_url": running.page("return"),
            "notification_url": running.page("notification"),
        }
        merchant = add_merchant(gateway, "WordPress", multiple_partial_refunds="on", **pages)
        running.connect(merchant.credentials, gateway.base_url)
        yield running


@pytest.fixture(scope="session")
def opencart(
    gateway: RunningGateway, new_folder: NewFolder, mariadb: MariaDB
) -> Iterator[OpenCart]:
    """OpenCart's interface with our extension, connected as a merchant of the gateway."""
    with OpenCart(new_folder("opencart"), mariadb) as running:
        pages = {
            "success_url": running.page("back"),
            "failure_url": running.page("back"),
            "notification_url": running.page("notification"),
        }
        merchant = add_merchant(gateway, "OpenCart", multiple_partial_refunds="on", **pages)
        running.connect(merchant.credentials, gateway.base_url)
        yield running
