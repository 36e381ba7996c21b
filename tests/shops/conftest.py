"""Shops whose plugins are the packed ones, at the running gateway.

`make -C shops test` installs what they need; without its word there is nothing to collect.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import NewFolder
from tests.shops.wordpress import WordPress
from tests.system.conftest import add_merchant, browser
from tests.system.running import RunningGateway

__all__ = ["browser"]
ARE_READY = os.environ.get("HUNDI_TEST_SHOPS", "") != ""


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Pass by where the shops' software is not installed."""
    needs_shop = collection_path.name in {"test_woocommerce.py"}
    return True if needs_shop and not ARE_READY else None


@pytest.fixture(scope="session")
def wordpress(gateway: RunningGateway, new_folder: NewFolder) -> Iterator[WordPress]:
    """A WordPress with our plugin, connected as a merchant of the gateway."""
    with WordPress(new_folder("wordpress")) as running:
        pages = {
            "success_url": running.page("return"),
            "failure_url": running.page("return"),
            "notification_url": running.page("notification"),
        }
        merchant = add_merchant(gateway, "WordPress", multiple_partial_refunds="on", **pages)
        running.connect(merchant.credentials, gateway.base_url)
        yield running
