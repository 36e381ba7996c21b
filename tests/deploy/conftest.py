"""The release that tests of its files and of the page of installation share."""

import pytest

from tests.deploy.release import Release, released


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """A signed release of the last commit."""
    return released(tmp_path_factory)
