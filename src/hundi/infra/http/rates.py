"""Rate limits for each minute, counted in one process."""

from collections import Counter

from hundi.kernel.clock import MINUTE_S, left_of
from hundi.kernel.refusals import Cure, RefusalCode, refuse

LATE_MINUTES_MAX = 2
"""No call arrives later than this; an older time comes from a clock that was set back."""


class Rates:
    """Counts the calls of each caller for each thing in this minute, in this process."""

    def __init__(self) -> None:
        """Start without calls."""
        self._minute = -1
        self._asked: Counter[tuple[str, str]] = Counter()

    def count(self, caller: str, thing: str, most: int, now_s: float, limit: str = "") -> None:
        """Count a call. Raises Refused (TOO_MANY_REQUESTS) above the limit.

        limit: the merchant's setting with this limit, "" if it is no setting.
        """
        if not self.has_room(caller, thing, most, now_s):
            wait_s = left_of(MINUTE_S, now_s)
            allowed, enough = f"{most} calls a minute", str(2 * self._asked[caller, thing])
            cures = (Cure(limit, enough),) if limit else ()
            raise refuse(
                RefusalCode.TOO_MANY_REQUESTS, allowed=allowed, retry_after_s=wait_s, cures=cures
            )

    def has_room(self, caller: str, thing: str, most: int, now_s: float) -> bool:
        """Count a call and return whether it is within the limit."""
        # A late call belongs to an earlier minute: it counts in this one and does not reset it.
        minute = int(now_s // MINUTE_S)
        if minute > self._minute or minute < self._minute - LATE_MINUTES_MAX:
            self._minute = minute
            self._asked.clear()
        self._asked[caller, thing] += 1
        return self._asked[caller, thing] <= most
