"""The site as `make docs` built it, and its pages."""

from pathlib import Path

import pytest

from tests.house.source import ROOT

SITE = ROOT / "build" / "docs"


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built site."""
    assert (SITE / "index.html").exists(), "run: make docs"
    return SITE
