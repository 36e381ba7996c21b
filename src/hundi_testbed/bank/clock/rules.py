"""The size of one step of the bank's clock: nothing at the gateway is skipped or delays it."""

from dataclasses import dataclass

STEP_S_MIN = 0.01
AGAIN_S_MIN = 60.0
"""Seconds before the gateway first repeats a call without an answer; doubled each time."""
AGAIN_S_MAX = 86_400.0
"""The longest time between two such repeats."""


@dataclass(frozen=True, slots=True)
class ClockStep:
    """One step, in seconds. hasty: only repeats fall due at its end."""

    seconds: float
    hasty: bool = False


class Steps:
    """The steps of one move: to each due time, with ever longer steps to repeats."""

    def __init__(self) -> None:
        """Begin without waiting repeats."""
        self._waiting = 0
        self._again_s = STEP_S_MIN

    def next(
        self, left_s: float, next_due_in_s: float | None, waiting: int, again_in_s: float | None
    ) -> ClockStep:
        """Return the next step, within the rest of the move.

        next_due_in_s: when something falls due, None for never. waiting: the number of repeats.
        again_in_s: when.
        """
        stuck = 0 < self._waiting <= waiting
        self._waiting = waiting
        self._again_s = (
            min(max(self._again_s * 2, AGAIN_S_MIN), AGAIN_S_MAX) if stuck else STEP_S_MIN
        )
        within_s = left_s if next_due_in_s is None else min(left_s, next_due_in_s)
        if again_in_s is not None and max(again_in_s, self._again_s) < within_s:
            return ClockStep(max(again_in_s, self._again_s), hasty=stuck)
        return ClockStep(min(left_s, max(within_s, STEP_S_MIN)))
