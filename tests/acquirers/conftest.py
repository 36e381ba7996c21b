"""What the tests of all acquirers share."""

import pytest

from hundi.acquirers.port.memory import ShortMemory


@pytest.fixture
def memory() -> ShortMemory:
    return ShortMemory()
