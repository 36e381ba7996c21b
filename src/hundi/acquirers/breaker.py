"""A circuit breaker: after several failures it stops calls for a moment, then tries one."""

from dataclasses import dataclass
from enum import StrEnum

FAILURES_MAX = 5
OPEN_S = 3.0


class BreakerState(StrEnum):
    """What the breaker does with the next call; the values appear in health answers and metrics."""

    CLOSED = "closed"
    """Calls pass."""
    OPEN = "open"
    """Calls are answered here, without the network."""
    HALF_OPEN = "half_open"
    """One call passes and decides; the others are answered here until it has."""


@dataclass(slots=True)
class Breaker:
    """The breaker of one connector in one process.

    Pure but for its own fields: the caller hands in a monotonic clock in seconds, so tests need no waiting.
    failures: failures in a row so far. opened_at_s: when it last opened, None while closed.
    """

    failures_max: int = FAILURES_MAX
    open_s: float = OPEN_S
    failures: int = 0
    opened_at_s: float | None = None
    probing: bool = False

    def state(self, now_s: float) -> BreakerState:
        """Return what would happen to a call made now."""
        if self.opened_at_s is None:
            return BreakerState.CLOSED
        if self.probing or now_s - self.opened_at_s >= self.open_s:
            return BreakerState.HALF_OPEN
        return BreakerState.OPEN

    def admit(self, now_s: float) -> bool:
        """Return whether a call may be made; every admitted call ends in one of the three methods below."""
        state = self.state(now_s)
        if state is BreakerState.CLOSED:
            return True
        if state is BreakerState.OPEN or self.probing:
            return False
        self.probing = True
        return True

    def succeeded(self) -> None:
        """Close: the other side answered."""
        self.failures = 0
        self.opened_at_s = None
        self.probing = False

    def failed(self, now_s: float) -> None:
        """Count a failure; open at the limit, or at once when the failure was the probe's."""
        self.failures += 1
        if self.probing or self.failures >= self.failures_max:
            self.opened_at_s = now_s
        self.probing = False

    def abandoned(self) -> None:
        """Forget a call without a result for the other side, such as one that we cancelled."""
        self.probing = False
