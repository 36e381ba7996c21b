"""A circuit breaker: after several failures it stops calls for a moment, then tries one."""

from dataclasses import dataclass
from enum import StrEnum

FAILURES_MAX = 5
OPEN_S = 3.0
REFUSED_OPEN_S = 30.0
"""Seconds without calls after the acquirer refused our keys: an operator has to correct them."""


class BreakerState(StrEnum):
    """What the breaker does with the next call; the values appear in health answers and metrics."""

    CLOSED = "closed"
    """Calls pass."""
    OPEN = "open"
    """Calls are answered here, without the network."""
    HALF_OPEN = "half_open"
    """One call passes and decides; until then the others are answered here."""


@dataclass(slots=True)
class Breaker:
    """The breaker of one connector in one process.

    Pure but for its own fields: the caller hands in a monotonic clock in seconds, so tests need no
    waiting. failures: failures in a row so far. open_until_s: when the next call may probe, None
    while closed.
    """

    failures_max: int = FAILURES_MAX
    open_s: float = OPEN_S
    failures: int = 0
    open_until_s: float | None = None
    probing: bool = False

    def state(self, now_s: float) -> BreakerState:
        """Return the state for a call made now."""
        if self.open_until_s is None:
            return BreakerState.CLOSED
        if self.probing or now_s >= self.open_until_s:
            return BreakerState.HALF_OPEN
        return BreakerState.OPEN

    def admit(self, now_s: float) -> bool:
        """Return whether a call may be made.

        Every admitted call ends in one of the methods below.
        """
        state = self.state(now_s)
        if state is BreakerState.CLOSED:
            return True
        if state is BreakerState.OPEN or self.probing:
            return False
        self.probing = True
        return True

    def succeeded(self) -> None:
        """Close after an answer."""
        self.failures = 0
        self.open_until_s = None
        self.probing = False

    def failed(self, now_s: float) -> None:
        """Count a failure; open at the limit, or at once when the failure was the probe's."""
        self.failures += 1
        if self.probing or self.failures >= self.failures_max:
            self.open_until_s = now_s + self.open_s
        self.probing = False

    def credentials_refused(self, now_s: float) -> None:
        """Open at once, and for longer.

        The acquirer refuses every call until our keys are right.
        """
        self.failures += 1
        self.open_until_s = now_s + REFUSED_OPEN_S
        self.probing = False

    def abandoned(self) -> None:
        """Forget a call that says nothing about the acquirer, such as one that we cancelled."""
        self.probing = False
