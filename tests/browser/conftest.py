"""A browser for the running gateway, and customers who report everything that is wrong."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.customer import Customer
from tests.browser.launch import ARGUMENTS, chromium
from tests.system.running import RunningGateway

Visit = Callable[..., Customer]


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
