"""The test programs of the SDKs in other languages, and shops that use them.

`make -C sdks test` names the languages that are built; without a name there is nothing to collect.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.conftest import browser, open_shop, server
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway
from tests.system.shop import Shop
from tools.sdks.check import Program, command_of

__all__ = ["browser", "server"]
LANGUAGES = os.environ.get("HUNDI_TEST_LANGUAGES", "").split()


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Pass by when no language is named."""
    is_test = collection_path.name.startswith("test_")
    return True if is_test and not LANGUAGES else None


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    """A language that is built."""
    return request.param


@pytest.fixture(scope="module")
def program(language: str) -> Iterator[Program]:
    """The running test program of a language."""
    running = Program(command_of(language))
    yield running
    running.close()


@pytest.fixture(scope="module")
def shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A shop that refunds in parts, with a linked account."""
    for opened in open_shop(gateway, server, "abroad", multiple_partial_refunds="on"):
        bank = ("HDFC0000001", "--number", "50100123456789")
        merchant_id = opened.merchant.merchant_id
        gateway.operate("split", "link", merchant_id, "WEAVER", "The weaver", *bank)
        yield opened
