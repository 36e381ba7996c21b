"""A browser to visit the running gateway with, and customers who complain about everything that is not right."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.customer import Customer
from tests.system.running import RunningGateway

# The first is the same engine without windows: a fresh profile costs it a fifth of the work.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_TIMEOUT_S = 180
"""Of one test: the first one also waits for the gateway and the browser."""
_HERE = Path(__file__).parent

Visit = Callable[..., Customer]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give these tests the time that starting a whole gateway can take on a busy machine."""
    for item in items:
        if item.path.is_relative_to(_HERE):
            item.add_marker(pytest.mark.timeout(_TIMEOUT_S))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium; it lives for one file only, because its event loop would hinder asynchronous tests."""
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    assert path, "no Chromium found: install it with the system's package manager, for example apt-get install chromium"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Browser, gateway: RunningGateway) -> Iterator[Visit]:
    """`visit(**options)` gives a customer with a browser of their own; whatever it complained about fails the test."""
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
