"""How far the bank's clock moves in one step.

Nothing at the gateway is passed by or holds it up.
"""

from dataclasses import dataclass

STEP_S_MIN = 0.01
AGAIN_S_MIN = 60.0
"""Before the first try again at the gateway of what its bank left without an answer.

Doubled with each.
"""
AGAIN_S_MAX = 86_400.0
"""Longest time between two such tries: how late an answer that can be had again is asked for."""


@dataclass(frozen=True, slots=True)
class ClockStep:
    """One step, in seconds. hasty: nothing but tries again falls due at its end."""

    seconds: float
    hasty: bool = False


class Steps:
    """The steps of one move.

    To each moment at which something falls due, ever longer to tries again.
    """

    def __init__(self) -> None:
        """Begin with nothing that waits."""
        self._waiting = 0
        self._again_s = STEP_S_MIN

    def next(
        self, left_s: float, next_due_in_s: float | None, waiting: int, again_in_s: float | None
    ) -> ClockStep:
        """Return the next step, within what is left of the move.

        next_due_in_s: when something falls due, None for never. waiting: how much is tried again.
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
