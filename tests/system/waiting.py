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
    """Look until there is something to see, and return it.

    A look that works for long comes less often: it would keep what it waits for from the processor.
    """
    give_up = time.monotonic() + within_s
    began = time.monotonic()
    while not (found := look()):
        now = time.monotonic()
        assert now < give_up, f"not within {within_s} s: {what}; last seen: {found!r}"
        time.sleep(max(every_s, 4 * (now - began)))
        began = time.monotonic()
    return found
