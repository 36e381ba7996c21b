"""A browser for the running gateway, and customers who report everything that is wrong."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.customer import Customer
from tests.browser.jobs import Jobs
from tests.browser.launch import ARGUMENTS, chromium
from tests.conftest import NewFolder
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until

Visit = Callable[..., Customer]
DAYS, MADE_WITHIN_S = "35", 600
"""A past that has all of last month's end, whatever today is."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium.

    It lives for one file only, because its event loop would hinder asynchronous tests.
    """
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        yield started
        started.close()


@pytest.fixture
def visit(browser: Browser, gateway: RunningGateway) -> Iterator[Visit]:
    """`visit(**options)` gives a customer with a browser of their own.

    Whatever it complained about fails the test.
    """
    customers: list[Customer] = []

    def enter(**options: Any) -> Customer:
        customers.append(Customer(browser, gateway.demo, **options))
        return customers[-1]

    yield enter
    complaints = [complaint for each in customers for complaint in each.leave()]
    assert not complaints


@pytest.fixture
def customer(visit: Visit) -> Customer:
    """A customer at a desk."""
    return visit()


@pytest.fixture(scope="session")
def jobs(lasting_folder: NewFolder) -> Iterator[Jobs]:
    """A demo with a past, for every job of the console and for the walk over its pages."""
    with RunningGateway(lasting_folder("jobs"), "--history", DAYS) as gateway:
        until((gateway.data_dir / "demo_history").exists, "the past", within_s=MADE_WITHIN_S)
        with MerchantServer() as server, Jobs(gateway, server) as found:
            yield found
