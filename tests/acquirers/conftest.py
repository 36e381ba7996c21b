"""What the tests of all acquirers share."""

import pytest

from hundi.acquirers.port.memory import ShortMemory
from tests.acquirers.shared import Clock


@pytest.fixture
def memory() -> ShortMemory:
    return ShortMemory()


@pytest.fixture
def clock() -> Clock:
    return Clock()
