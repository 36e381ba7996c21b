"""Real shops with our plugins: somebody buys there by a browser, at the running gateway.

`make storefronts` installs their software and names them here; without a name there is nothing to
collect.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import browser
from tests.browser.customer import Customer
from tests.storefronts.store import Store
from tests.system.running import RunningGateway

__all__ = ["browser"]
STORES = os.environ.get("HUNDI_TEST_STOREFRONTS", "").split()
Enter = Callable[[Store], Customer]


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Pass by a shop that is not installed."""
    name = collection_path.stem.removeprefix("test_").replace("_", "-")
    is_test = collection_path.name.startswith("test_")
    return True if is_test and name not in STORES else None


@pytest.fixture
def enter(browser, gateway: RunningGateway) -> Iterator[Enter]:
    """`enter(store)` gives somebody with a browser of their own at a shop."""
    people: list[Customer] = []

    def go(store: Store) -> Customer:
        at = {"base_url": store.url, "shop_url": store.url}
        people.append(Customer(browser, {**gateway.demo, **at}))
        people[-1].forgive("favicon")
        return people[-1]

    yield go
    complaints = [complaint for each in people for complaint in each.leave()]
    assert not complaints
