"""Waits for what another process does."""

import time
from collections.abc import Callable
from typing import TypeVar

from tests.patience import PATIENCE_S

Found = TypeVar("Found")


def until(
    look: Callable[[], Found | None],
    what: str,
    *,
    within_s: float = PATIENCE_S,
    every_s: float = 0.05,
) -> Found:
    """Look until there is something to see, and return it."""
    give_up = time.monotonic() + within_s
    while not (found := look()):
        assert time.monotonic() < give_up, f"not within {within_s} s: {what}; last seen: {found!r}"
        time.sleep(every_s)
    return found
