"""The merchants' web server, for shops of gateways on an operator's database."""

from collections.abc import Iterator

import pytest

from tests.system.endpoint import MerchantServer


@pytest.fixture(scope="session")
def server() -> Iterator[MerchantServer]:
    """The merchants' web server."""
    with MerchantServer() as running:
        yield running
