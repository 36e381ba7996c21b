"""What tests of both clients share."""

import pytest

from tests.sdk.both_clients import Call, in_async, in_sync


@pytest.fixture(params=[in_sync, in_async], ids=["sync", "async"])
def call(request: pytest.FixtureRequest) -> Call:
    """How to call a method of either client."""
    return request.param
